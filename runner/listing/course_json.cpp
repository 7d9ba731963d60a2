#include "runner/listing/course_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "common/demangle.h"
#include "common/embedded.h"
#include "runner/case/plan.h"
#include "runner/listing/metric_table.h"
#include "runner/report/json_text.h"
#include "runner/version.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

/// Null where there is nothing to say.
Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json dim_json(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }
Json dims_json(const std::vector<Dim3>& dims) {
  Json json = Json::array();
  for (const auto& dim : dims) json.push_back(dim_json(dim));
  return json;
}
std::string capability_text(int capability) { return fmt::format("{}.{}", capability / 10, capability % 10); }

Json param_json(const Param& param) {
  Json json{{"name", param.name}, {"help", param.help}};
  if (const auto* size = std::get_if<std::int64_t>(&param.fallback)) {
    json.update({{"kind", "integer"}, {"default", *size}, {"min", param.min}, {"max", param.max}});
  } else if (const auto* real = std::get_if<double>(&param.fallback)) {
    json.update({{"kind", "real"}, {"default", *real}});
  } else {
    json.update({{"kind", "word"}, {"default", std::get<std::string>(param.fallback)}, {"choices", param.choices}});
  }
  return json;
}

Json blocks_json(const BlockRule& rule) {
  return {{"text", blocks_text(rule)},       {"only", dims_json(rule.only)},    {"dimensions", rule.dimensions},
          {"min_threads", rule.min_threads}, {"max_threads", rule.max_threads}, {"power_of_two", rule.power_of_two},
          {"whole_warps", rule.whole_warps}, {"why", or_null(rule.why)}};
}

/// How a variant runs.
std::string runs_as(const Variant& variant) {
  if (launches_kernels(variant)) return "kernels";
  return variant.host ? "host" : variant.calculate ? "arithmetic" : "library";
}

Json variant_json(const Variant& variant) {
  const bool kernels = launches_kernels(variant);
  Json json{{"name", variant.name},
            {"summary", variant.summary},
            {"runs_as", runs_as(variant)},
            {"kernel", or_null(variant.kernel)},
            {"file", kernels ? Json(variant.file) : Json()},
            {"needs",
             {{"gpu", variant.gpu_only || variant.vendor.run != nullptr},
              {"compute_capability", kernels && variant.min_compute_capability > 50
                                         ? Json(capability_text(variant.min_compute_capability))
                                         : Json()},
              {"cooperative_launch", variant.cooperative}}},
            {"racy", variant.racy},
            {"shows_in_time_alone", variant.about_time},
            {"starts_a_ladder", variant.starts},
            {"params", Json::object()},
            {"blocks", kernels ? blocks_json(variant.blocks) : Json()},
            {"any_grid", variant.strides},
            {"claims", Json::array()}};
  for (const auto& [name, words] : variant.only) json["params"][name] = words;
  for (const auto& claim : variant.claims) {
    json["claims"].push_back({{"name", claim.counter},
                              {"moves", claim.moves == Claim::Moves::down ? "down" : "up"},
                              {"than", or_null(claim.than)}});
  }
  return json;
}

Json metric_json(const ListedMetric& metric) {
  const char* kinds[] = {"counter", "rate", "modelled", "fact"};
  Json json{{"name", metric.name},
            {"kind", kinds[static_cast<int>(metric.kind)]},
            {"lab", or_null(metric.lab)},
            {"unit", or_null(metric.unit)},
            {"definition", metric.definition},
            {"ncu", or_null(metric.ncu)},
            {"nvprof", or_null(metric.nvprof)},
            {"from", Json::array()}};
  if (metric.simulated) json["from"].push_back("simulator");
  if (metric.measured) json["from"].push_back("gpu");
  return json;
}

Json kernels_json(const Lab& lab) {
  Json json = Json::array();
  for (const auto& file : embedded_kernels()) {
    if (file.lab != lab.name) continue;
    std::map<std::string_view, Json> by_entry;
    for (const auto& row : file.resources) {
      by_entry[row.entry].push_back({{"architecture", fmt::format("sm_{}", row.sm)},
                                     {"registers_per_thread", row.registers},
                                     {"static_shared_bytes", row.static_shared_bytes},
                                     {"local_bytes", row.stack_bytes},
                                     {"spill_store_bytes", row.spill_store_bytes},
                                     {"spill_load_bytes", row.spill_load_bytes},
                                     {"constant_bytes", row.constant_bytes == 0 ? Json() : Json(row.constant_bytes)},
                                     {"barriers", row.barriers}});
    }
    for (auto& [entry, rows] : by_entry) {
      json.push_back({{"kernel", kernel_name(entry)},
                      {"file", file.file},
                      {"compute_capability", capability_text(file.compute_capability)},
                      {"resources", std::move(rows)}});
    }
  }
  return json;
}

Json values_json(const std::map<std::string, ParamValue, std::less<>>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) std::visit([&, key = name](const auto& v) { json[key] = v; }, value);
  return json;
}

Json contract_json(const Contract& contract) {
  Json json{{"name", contract.name},
            {"signature", contract.signature},
            {"summary", contract.summary},
            {"types", Json::array()},
            {"more_types", Json::array()},
            {"launches", Json::array()},
            {"every_launch", contract.every_launch},
            {"takes_any_block", contract.takes_any_block},
            {"about_barriers", contract.about_barriers},
            {"grid", contract.grid},
            {"dynamic_shared_memory", or_null(contract.shared)},
            {"before", or_null(contract.before)},
            {"may_overwrite", contract.may_write},
            {"precision", or_null(contract.precision)},
            {"reference", values_json(contract.reference)},
            {"beside", contract.rungs},
            {"classes", Json::array()}};
  for (const auto type : contract.types) json["types"].push_back(cpp_name_of(type));
  for (const auto type : contract.more_types) json["more_types"].push_back(cpp_name_of(type));
  for (const auto& launch : contract.launches) {
    const auto covers = launch.covers.x == 0 ? launch.block : launch.covers;
    json["launches"].push_back({{"block", dim_json(launch.block)}, {"covers", dim_json(covers)}});
  }
  for (const auto& one : contract.classes) {
    Json points = Json::array();
    for (const auto& point : one.points) points.push_back(values_json(point));
    json["classes"].push_back({{"name", one.name}, {"about", one.about}, {"points", std::move(points)}});
  }
  return json;
}

Json lab_json(const Lab& lab, LabDetails details) {
  Json json{{"name", lab.name},
            {"lecture", lab.lecture},
            {"topic", lab.topic},
            {"question", lab.question},
            {"after", lab.prerequisites},
            {"headline", lab.headline},
            {"params", Json::array()},
            {"block", {{"default", dim_json(lab.default_block)}, {"presets", dims_json(lab.block_presets)}}},
            {"variants", Json::array()},
            {"contracts", Json::array()}};
  for (const auto& param : lab.params) json["params"].push_back(param_json(param));
  for (const auto& variant : lab.variants) json["variants"].push_back(variant_json(variant));
  for (const auto& contract : lab.contracts) json["contracts"].push_back(contract_json(contract));
  if (details == LabDetails::resources) json["kernels"] = kernels_json(lab);
  return json;
}

Json document() {
  return {{"schema", "gpulab.list.v1"}, {"gpulab", {{"version", version()}}}, {"toolkit", toolkit_version()}};
}

Json metrics_of(std::span<const Lab> labs) {
  Json json = Json::array();
  for (const auto& metric : listed_metrics(labs)) json.push_back(metric_json(metric));
  return json;
}

}  // namespace

std::string course_json(std::span<const Lab> labs, LabDetails details) {
  Json json = document();
  json["labs"] = Json::array();
  for (const auto& lab : labs) json["labs"].push_back(lab_json(lab, details));
  json["metrics"] = metrics_of(labs);
  return json_text(json);
}

std::string metrics_json(std::span<const Lab> labs) {
  Json json = document();
  json["metrics"] = metrics_of(labs);
  return json_text(json);
}

}  // namespace gpulab
