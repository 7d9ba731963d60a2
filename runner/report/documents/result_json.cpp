#include "runner/report/documents/result_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/report/json_text.h"
#include "runner/report/ladder/time_metrics.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json dim(const Dim3& d) { return {d.x, d.y, d.z}; }

Json launch(const LaunchFacts& facts) {
  Json json{{"grid", dim(facts.grid)},
            {"block", dim(facts.block)},
            {"dynamic_shared_bytes", facts.dynamic_shared_bytes},
            {"static_shared_bytes", or_null(facts.static_shared_bytes)},
            {"registers_per_thread", or_null(facts.registers_per_thread)},
            {"local_bytes", or_null(facts.local_bytes)},
            {"launches", facts.launches}};
  if (facts.estimated_registers) {
    json["registers_estimate"] = {
        {"registers_per_thread", *facts.estimated_registers},
        {"compute_capability", fmt::format("{}.{}", *facts.estimated_for / 10, *facts.estimated_for % 10)}};
  }
  return json;
}

Json occupancy(const Occupancy& o) {
  return {{"theoretical", json_real(o.theoretical)}, {"blocks_per_sm", o.blocks_per_sm}, {"limited_by", o.limited_by}};
}

Json verification(const Verification& v) {
  Json mismatches = Json::array();
  for (const auto& m : v.mismatches) {
    mismatches.push_back({{"index", m.index}, {"got", value_json(m.got)}, {"expected", value_json(m.expected)}});
  }
  Json json{{"status", to_text(v.status)},
            {"max_abs_error", json_real(v.max_abs_error)},
            {"max_rel_error", json_real(v.max_rel_error)},
            {"tolerance", json_real(v.tolerance)},
            {"mismatch_count", v.mismatch_count},
            {"mismatches", std::move(mismatches)}};
  if (!v.note.empty()) json["note"] = v.note;
  return json;
}

Json spread(const Spread& s) {
  return {{"sm_count", s.sm_count}, {"sms_used", s.sms_used}, {"waves", or_null(s.waves)}, {"tail", or_null(s.tail)}};
}

Json timing(const Timing& t) {
  if (t.source == TimeSource::none) return {{"source", to_text(t.source)}};
  Json json{{"source", to_text(t.source)},
            {"mode", t.mode ? Json(to_text(*t.mode)) : Json()},
            {"samples", t.samples},
            {"min_ms", json_real(t.min_ms)},
            {"q1_ms", json_real(t.q1_ms)},
            {"median_ms", json_real(t.median_ms)},
            {"q3_ms", json_real(t.q3_ms)},
            {"mean_ms", json_real(t.mean_ms)},
            {"stddev_ms", json_real(t.stddev_ms)}};
  if (!t.samples_ms.empty()) json["samples_ms"] = t.samples_ms;
  if (t.in_turn) json["in_turn"] = true;
  if (!t.sm_mhz.empty()) json["sm_mhz"] = t.sm_mhz;
  if (t.stopped_by) json["stopped_by"] = to_text(*t.stopped_by);
  for (const auto& one : t.discarded) json["discarded"].push_back({{"reason", one.reason}, {"samples", one.samples}});
  if (!t.throttled.empty()) json["throttled"] = t.throttled;
  if (!t.throttling_unseen.empty()) json["throttling_unseen"] = t.throttling_unseen;
  return json;
}

Json model(const ModelledTime& m) {
  return {{"gpu", m.gpu},
          {"time_ms", json_real(m.ms)},
          {"low_ms", json_real(m.low_ms)},
          {"high_ms", json_real(m.high_ms)},
          {"bound", m.bound},
          {"validated", m.validated},
          {"no_ground", m.no_ground.empty() ? Json() : Json(m.no_ground)},
          {"busy",
           {{"issue", json_real(m.issue)},
            {"fp32", json_real(m.fp32)},
            {"shared", json_real(m.shared)},
            {"l1", json_real(m.l1)},
            {"l2", json_real(m.l2)},
            {"dram", json_real(m.dram)},
            {"atomics", json_real(m.atomics)}}},
          {"sms_used", m.sms_used},
          {"waves", json_real(m.waves)},
          {"tail", json_real(m.tail)},
          {"sm_efficiency", json_real(m.sm_efficiency)},
          {"achieved_occupancy", json_real(m.achieved_occupancy)},
          {"warps",
           {{"issue", json_real(m.warps.issue)},
            {"memory", json_real(m.warps.memory)},
            {"shared", json_real(m.warps.shared)},
            {"barrier", json_real(m.warps.barrier)},
            {"result", json_real(m.warps.result)}}}};
}

/// Counts as integers; ratios and averages as numbers, left out where they have no denominator.
Json counters(const Counters& c, const std::vector<std::string>& chosen) {
  Json json = Json::object();
  for (const auto& info : counter_table()) {
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), info.name) == chosen.end()) continue;
    if (const auto count = info.count(c)) {
      json[std::string(info.name)] = *count;
    } else if (const auto ratio = info.value(c)) {
      json[std::string(info.name)] = json_real(*ratio);
    }
  }
  return json;
}

Json buffer(const BufferFacts& b) {
  Json first = Json::array();
  for (const auto& v : b.first) first.push_back(value_json(v));
  Json json{
      {"name", b.name}, {"type", b.type}, {"count", b.count}, {"first", std::move(first)}, {"fnv1a64", b.fnv1a64}};
  for (const auto& slice : b.slices) {
    Json values = Json::array();
    for (const auto& v : slice.values) values.push_back(value_json(v));
    json["slices"].push_back({{"from", slice.from}, {"values", std::move(values)}});
  }
  return json;
}

Json changes(const std::vector<RungChange>& all) {
  Json json = Json::array();
  for (const auto& m : all) {
    json.push_back({{"counter", m.counter},
                    {"than", m.than},
                    {"before", json_real(m.before)},
                    {"now", json_real(m.now)},
                    {"unit", m.unit},
                    {"effect", m.gain ? "gain" : "loss"}});
  }
  return json;
}

Json curve(const Curve& c) {
  Json points = Json::array();
  for (std::size_t i = 0; i < c.x.size(); ++i) points.push_back({json_real(c.x[i]), json_real(c.y[i])});
  return {{"name", c.name}, {"x", c.x_label}, {"y", c.y_label}, {"points", std::move(points)}};
}

Json all_metrics(const Result& r) {
  Json json = Json::object();
  for (const auto& metric : r.metrics) json[metric.name] = {{"value", json_real(metric.value)}, {"unit", metric.unit}};
  return json;
}

/// Those that somebody asked for: counters have a place of their own.
Json chosen_metrics(const Result& r, const std::vector<std::string>& chosen) {
  Json json = Json::object();
  for (const auto& name : chosen) {
    const auto value = find_counter(name) == nullptr ? metric_value(r, name) : std::nullopt;
    if (!value) continue;
    json[name] = {{"value", json_real(value->value)}, {"unit", value->unit}};
    if (value->modelled) json[name]["modelled"] = true;
  }
  return json;
}

}  // namespace

Json value_json(const decltype(Mismatch::got)& v) {
  if (const auto* real = std::get_if<double>(&v)) return json_real(*real);
  return std::visit([](auto number) { return Json(number); }, v);
}

Json finding_json(const Finding& f) {
  Json sites = Json::array();
  for (const auto& site : f.at) {
    sites.push_back({{"file", site.file},
                     {"line", site.line},
                     {"access", site.access},
                     {"block", dim(site.block)},
                     {"thread", dim(site.thread)},
                     {"address", site.address}});
  }
  Json json{{"tool", f.tool},
            {"severity", to_text(f.severity)},
            {"message", f.message},
            {"count", f.count},
            {"at", std::move(sites)}};
  if (f.unchecked) json["unchecked"] = true;
  return json;
}

Json params_json(const decltype(Result::params)& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) std::visit([&, &key = name](const auto& v) { json[key] = v; }, value);
  return json;
}

Json result_json(const Result& r, const std::vector<std::string>& chosen) {
  Json json{{"variant", r.variant},
            {"kernel", or_null(r.kernel)},
            {"status", to_text(r.status)},
            {"message", r.message},
            {"params", params_json(r.params)}};
  if (r.racy) json["racy"] = true;
  json["launch"] = r.launch ? launch(*r.launch) : Json();
  json["occupancy"] = r.occupancy ? occupancy(*r.occupancy) : Json();
  if (r.spread) json["spread"] = spread(*r.spread);
  json["verification"] = r.verification ? verification(*r.verification) : Json();
  json["timing"] = r.timing ? timing(*r.timing) : Json();
  if (r.simulation_ms) json["simulation"] = {{"wall_ms", json_real(*r.simulation_ms)}};
  if (r.model) json["model"] = model(*r.model);
  if (!r.model_unavailable.empty()) {
    json["model"] = nullptr;
    json["model_unavailable"] = r.model_unavailable;
  }
  json["metrics"] = chosen.empty() ? all_metrics(r) : chosen_metrics(r, chosen);
  if (!r.built_on.empty()) json["built_on"] = r.built_on;
  if (!r.changes.empty()) json["movements"] = changes(r.changes);
  if (!r.notes.empty()) json["notes"] = r.notes;
  if (r.curve) json["curve"] = curve(*r.curve);
  if (r.counters) json["counters"] = counters(*r.counters, chosen);
  if (!r.counters_params.empty()) json["counters_params"] = params_json(r.counters_params);
  json["findings"] = Json::array();
  for (const auto& f : r.findings) json["findings"].push_back(finding_json(f));
  if (!r.output.empty()) json["output"] = r.output;
  if (r.output_cut != 0) json["output_cut"] = r.output_cut;
  if (!r.buffers.empty()) {
    json["buffers"] = Json::array();
    for (const auto& b : r.buffers) json["buffers"].push_back(buffer(b));
  }
  return json;
}

}  // namespace gpulab
