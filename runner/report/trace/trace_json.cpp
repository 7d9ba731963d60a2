#include "runner/report/trace/trace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "common/simt/observers/trace/value_code.h"
#include "common/simt/timing/gpu_timing.h"
#include "common/text.h"
#include "runner/report/trace/accused.h"
#include "runner/report/trace/packed_table.h"
#include "runner/report/trace/trace_text.h"
#include "runner/report/trace/troubles.h"
#include "runner/report/words/lines.h"
#include "runner/version.h"

namespace gpulab {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t around = 12;  ///< lines of source kept above and below one that runs

Json extents(const Dim3& d) { return {d.x, d.y, d.z}; }

Json registers(const std::vector<StepRegister>& all) {
  Json json = Json::array();
  for (const auto& reg : all) {
    json.push_back({reg.name, reg.type});
    if (!reg.variable.empty()) json.back().push_back(reg.variable);
  }
  return json;
}

/// One word each: blanks of the PTX's columns are for people who read PTX files.
std::string squeezed(std::string_view line) {
  std::string text;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return visible(text);
}

/// The label in front of an instruction of the PTX, that branches name; empty: none.
std::string label_before(const std::vector<std::string_view>& ptx, std::size_t line) {
  for (std::size_t at = std::min(line, ptx.size() + 1); at >= 2; --at) {
    const std::string text = squeezed(ptx[at - 2]);
    const bool for_debuggers = text.starts_with(".loc") || text.starts_with("$L__tmp");
    if (text.empty() || for_debuggers || text.starts_with("//")) continue;
    const std::size_t end = text.find(':');
    return end != std::string::npos && text.find(' ') >= end ? text.substr(0, end) : "";
  }
  return {};
}

class Document {
 public:
  Document(const TraceView& view, std::size_t most) : view_(view), trace_(*view.steps), most_(most) {}

  Json json() {
    Json json{{"schema", "gpulab.trace.v1"}, {"gpulab", {{"version", version()}}}, {"profile", view_.device.profile}};
    json["lab"] = view_.lab.empty() ? Json() : Json(view_.lab);
    json["file"] = view_.file.empty() ? Json() : Json(view_.file);
    json["question"] = view_.question;
    json["variant"] = view_.result->variant;
    json["summary"] = view_.result->summary;
    json["kernel"] = trace_.kernel;
    json["params"] = Json::object();
    for (const auto& [name, value] : view_.result->params)
      std::visit([&, &key = name](const auto& held) { json["params"][key] = held; }, value);
    json["status"] = to_text(view_.result->status);
    json["message"] = visible(view_.result->message);
    json["launch"] = {{"number", trace_.launch + 1},
                      {"of", trace_.launches},
                      {"grid", extents(trace_.grid)},
                      {"block", extents(trace_.block)},
                      {"shared_bytes", trace_.shared_bytes}};
    json["schedule"] = view_.schedule;
    json["debug"] = trace_.debug;
    json["ended"] = visible(trace_.ended);
    add_window(json);
    add_source(json);
    add_sites(json);
    add_findings(json);
    json["texts"] = trace_.texts;
    add_tables(json);
    return json;
  }

 private:
  void add_window(Json& json) {
    Json warps = Json::array();
    for (const StepWarp& w : trace_.warps)
      warps.push_back({{"block", w.block}, {"index", extents(w.index)}, {"warp", w.warp}, {"lanes", w.lanes}});
    json["window"] = {{"from", trace_.from}, {"seen", trace_.seen}, {"all_warps", trace_.all_warps}, {"warps", warps}};
    json["notes"] = window_notes(trace_);
    Json arrays = Json::array();
    for (const StepArray& a : trace_.arrays)
      arrays.push_back({{"name", visible(a.name)}, {"shared", a.shared}, {"address", a.address}, {"bytes", a.bytes}});
    json["arrays"] = arrays;
  }

  void add_source(Json& json) const {
    const auto lines = lines_of(view_.source);
    std::set<std::uint32_t> shown;
    for (const TraceStep& step : trace_.steps) {
      const std::uint32_t line = step.site == no_step_part ? 0 : trace_.sites[step.site].line;
      if (line == 0 || line > lines.size() || (shown.contains(line) && shown.contains(line + around))) continue;
      for (std::uint32_t l = line > around ? line - around : 1; l <= line + around && l <= lines.size(); ++l)
        shown.insert(l);
    }
    Json text = Json::array();
    for (const std::uint32_t line : shown) text.push_back({line, visible(lines[line - 1])});
    json["source"] = {{"name", view_.source.empty() ? "" : view_.source_name}, {"lines", text}};
  }

  /// Of the sites, those that ran; others are null.
  void add_sites(Json& json) const {
    const auto ptx = lines_of(view_.ptx);
    std::vector<bool> ran(trace_.sites.size());
    for (const TraceStep& step : trace_.steps)
      if (step.site != no_step_part) ran[step.site] = true;
    Json sites = Json::array();
    for (std::size_t i = 0; i < trace_.sites.size(); ++i) {
      const StepSite& site = trace_.sites[i];
      if (!ran[i]) {
        sites.push_back(nullptr);
        continue;
      }
      Json one{{"line", site.line == 0 ? Json() : Json(site.line)}, {"ptx_line", site.ptx_line}};
      one["ptx"] = site.ptx_line != 0 && site.ptx_line <= ptx.size() ? squeezed(ptx[site.ptx_line - 1]) : "";
      if (const std::string label = label_before(ptx, site.ptx_line); !label.empty()) one["label"] = label;
      if (!site.results.empty()) one["results"] = registers(site.results);
      if (!site.stored.empty()) one["stored"] = registers(site.stored);
      sites.push_back(std::move(one));
    }
    json["sites"] = std::move(sites);
  }

  void add_findings(Json& json) const {
    Json findings = Json::array(), accused = Json::array();
    std::vector<std::size_t> number(view_.result->findings.size());
    for (std::size_t i = 0; i < number.size(); ++i) {
      const Finding& finding = view_.result->findings[i];
      number[i] = findings.size();
      if (is_of_launch(finding, trace_))
        findings.push_back(
            {{"tool", finding.tool}, {"severity", to_text(finding.severity)}, {"message", visible(finding.message)}});
    }
    for (const AccusedStep& one : accused_steps(view_))
      accused.push_back({{"step", one.step},
                         {"finding", number[one.finding]},
                         {"access", one.site},
                         {"lane", one.lane},
                         {"what", one.what}});
    json["findings"] = findings;
    json["accused"] = accused;
    json["opens_at"] = opening_step(view_);
  }

  void add_tables(Json& json) {
    json["steps"] = packed_table(step_columns());
    json["accesses"] = access_table();
    std::vector<std::uint32_t> low, high;
    for (const std::int64_t arg : trace_.args) {
      low.push_back(static_cast<std::uint32_t>(arg));
      high.push_back(static_cast<std::uint32_t>(static_cast<std::uint64_t>(arg) >> 32));
    }
    json["args"] = packed_table({{"low", low}, {"high", high}});
    std::size_t taken = 0;
    for (const char* part : {"steps", "args", "texts", "sites", "source", "accesses"})
      taken += json[part].dump(-1, ' ', false, Json::error_handler_t::replace).size();
    add_values(json, taken < most_ ? most_ - taken : 0);
    timing(json);
  }

  std::vector<Column> step_columns() const {
    std::vector<Column> columns;
    const auto add = [&](const char* name, auto value) {
      std::vector<std::uint32_t> numbers;
      numbers.reserve(trace_.steps.size());
      for (const TraceStep& step : trace_.steps) numbers.push_back(static_cast<std::uint32_t>(value(step)));
      columns.emplace_back(name, std::move(numbers));
    };
    add("site", [](const TraceStep& s) { return s.site; });
    add("warp", [](const TraceStep& s) { return s.warp; });
    add("active", [](const TraceStep& s) { return s.active; });
    add("off", [](const TraceStep& s) { return s.off; });
    add("live", [](const TraceStep& s) { return s.live; });
    add("waiting", [](const TraceStep& s) { return s.waiting; });
    add("then_live", [](const TraceStep& s) { return s.then_live; });
    add("then_waiting", [](const TraceStep& s) { return s.then_waiting; });
    add("text", [](const TraceStep& s) { return s.text; });
    add("first_arg", [](const TraceStep& s) { return s.first_arg; });
    add("access", [](const TraceStep& s) { return s.access; });
    add("address", [](const TraceStep& s) { return s.address; });
    add("address_high", [](const TraceStep& s) { return s.address >> 32; });
    add("values", [](const TraceStep& s) { return s.values; });
    add("issued", [](const TraceStep& s) {
      return s.issued < 0 ? std::uint64_t{no_step_part} : static_cast<std::uint64_t>(s.issued);
    });
    add("waited", [](const TraceStep& s) { return std::max(s.waited, 0.0F); });
    add("stall", [](const TraceStep& s) { return static_cast<int>(s.stall); });
    return columns;
  }

  Json access_table() const {
    std::vector<Column> columns;
    const auto add = [&](const char* name, auto value) {
      std::vector<std::uint32_t> numbers;
      for (const StepAccess& access : trace_.accesses) numbers.push_back(static_cast<std::uint32_t>(value(access)));
      columns.emplace_back(name, std::move(numbers));
    };
    add("space", [](const StepAccess& a) { return static_cast<int>(a.space); });
    add("kind", [](const StepAccess& a) { return a.atomic ? 2 : a.store ? 1 : 0; });
    add("width", [](const StepAccess& a) { return a.width; });
    add("mask", [](const StepAccess& a) { return a.mask; });
    add("sectors", [](const StepAccess& a) { return a.sectors; });
    add("distinct_bytes", [](const StepAccess& a) { return a.distinct_bytes; });
    add("wavefronts", [](const StepAccess& a) { return a.wavefronts; });
    add("ideal_wavefronts", [](const StepAccess& a) { return a.ideal_wavefronts; });
    add("excess", [](const StepAccess& a) { return excess_of(a); });
    std::string lanes;
    for (const StepAccess& access : trace_.accesses) {
      simt::LaneValues values{};
      for (std::size_t lane = 0; lane < values.size(); ++lane)
        values[lane] = static_cast<std::uint64_t>(access.relative[lane]);
      simt::pack_values(lanes, &values, access.mask);
    }
    Json table = packed_table(columns);
    table["lanes"] = packed_bytes(lanes);
    return table;
  }

  /// The last place up to `most` where a step's values begin: what lies before it is whole.
  [[nodiscard]] std::size_t start_before(std::size_t most) const {
    std::size_t start = 0;
    for (const TraceStep& step : trace_.steps)
      if (step.values != no_step_part && step.values <= most) start = std::max<std::size_t>(start, step.values);
    return start;
  }

  /// As many of the values as fit: those of the first steps.
  void add_values(Json& json, std::size_t room) {
    std::size_t kept = trace_.values.size();
    std::string packed = packed_bytes(trace_.values);
    while (packed.size() > room && kept > 0) {
      kept = room == 0 ? 0
                       : static_cast<std::size_t>(static_cast<double>(kept) * 0.97 * static_cast<double>(room) /
                                                  static_cast<double>(packed.size()));
      kept = start_before(kept);
      packed = packed_bytes(std::string_view(trace_.values).substr(0, kept));
    }
    json["values"] = packed;
    json["values_bytes"] = kept;
    if (kept == trace_.values.size()) return;
    std::size_t last = 0;
    for (std::size_t i = 0; i < trace_.steps.size(); ++i)
      if (trace_.steps[i].values < kept) last = i;
    json["notes"].push_back(fmt::format(
        "Values of registers are kept up to step {}: more would not fit the page; --from and --events choose others.",
        grouped(trace_.from + last)));
  }

  void timing(Json& json) const {
    const bool timed =
        std::any_of(trace_.steps.begin(), trace_.steps.end(), [](const TraceStep& s) { return s.issued >= 0; });
    json["model"] = timed ? Json{{"gpu", view_.device.profile}} : Json();
    if (!timed)
      json["model_unavailable"] =
          !trace_.not_timed.empty() ? trace_.not_timed : "the model does not follow these warps";
    else if (simt::gpu_timing(view_.device.profile) == nullptr)
      json["notes"].push_back(
          fmt::format("Cycles are estimates of a {}, which nobody has compared with one.", view_.device.profile));
    Json stalls = Json::array();
    for (const auto word : words_of(Stall{})) stalls.push_back(word);
    json["stalls"] = stalls;
  }

  const TraceView& view_;
  const StepTrace& trace_;
  const std::size_t most_;
};

}  // namespace

Json trace_json(const TraceView& view, std::size_t most) { return Document(view, most).json(); }

}  // namespace gpulab
