// gpulab.exec.v1 (configs/schema/exec.json). Additive changes only.

#include <nlohmann/json.hpp>

#include "runner/report/documents/result_json.h"
#include "runner/report/json_text.h"
#include "runner/report/program/program_lines.h"
#include "runner/report/program/program_report.h"
#include "runner/version.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

Json dim(const Dim3& d) { return {d.x, d.y, d.z}; }
Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json explain_json(const cuda_api::KernelRecord& kernel, const ProgramRun& run) {
  const ExplainedKernel explained(kernel, run);
  Json marks = Json::array();
  for (const auto& mark : explained.explanation.marks)
    marks.push_back({{"line", mark.line == 0 ? Json() : Json(mark.line)},
                     {"kind", mark.kind},
                     {"share", json_real(mark.share)},
                     {"text", mark.text}});
  return {{"file", explained.launch.file}, {"ptx_lines", explained.launch.ptx}, {"marks", std::move(marks)}};
}

Json advice_json(const ProgramRun& run) {
  Json list = Json::array();
  const auto found = advice_of(run);
  for (const auto& one : found.advices)
    list.push_back({{"kind", one.kind},
                    {"where", or_null(one.where)},
                    {"kernel", or_null(one.kernel)},
                    {"cost_ms", json_real(one.ms)},
                    {"share", json_real(one.share)},
                    {"text", one.text},
                    {"remedy", or_null(one.remedy)}});
  return list;
}

Json kernel_json(const cuda_api::KernelRecord& kernel, const ProgramRun& run) {
  const auto& metrics = run.metrics;
  const Json result = result_json(result_of(kernel), metrics);
  Json json{{"name", kernel.name},
            {"launches", kernel.launches},
            {"launches_not_run", kernel.repeats},
            {"launches_not_counted", kernel.uncounted},
            {"grid", dim(kernel.grid)},
            {"block", dim(kernel.block)},
            {"registers_per_thread", kernel.registers ? Json(*kernel.registers) : Json()},
            {"shared_bytes", kernel.shared_bytes},
            {"caller", or_null(kernel.caller)}};
  if (kernel.beside_host) json["repeatable"] = false;
  if (result.contains("counters")) json["counters"] = result["counters"];
  for (const auto& metric : metrics)
    if (result.contains("metrics") && result["metrics"].contains(metric))
      json["metrics"][metric] = result["metrics"][metric];
  json["time"] = {{"total_ms", json_real(kernel.ms)},
                  {"min_ms", json_real(kernel.least_ms)},
                  {"max_ms", json_real(kernel.most_ms)},
                  {"lower_bound", !kernel.modelled}};
  json["model"] = result.contains("model") ? result["model"] : Json();
  if (!kernel.model_unavailable.empty()) json["model_unavailable"] = kernel.model_unavailable;
  json["findings"] = Json::array();
  for (const auto& finding : kernel.findings) json["findings"].push_back(finding_json(finding));
  if (kernel.lines) json["explain"] = explain_json(kernel, run);
  return json;
}

Json fault_json(const cuda_api::FaultRecord& fault) {
  return {{"failure", fault.failure},      {"kernel", fault.kernel},      {"launch", fault.launch},
          {"grid", dim(fault.grid)},       {"block", dim(fault.block)},   {"message", fault.what},
          {"where", or_null(fault.where)}, {"hint", or_null(fault.hint)}, {"error", fault.error},
          {"seen_by_program", fault.seen}, {"caller", fault.caller},      {"count", fault.count}};
}

Json activity_json(const cuda_api::Activity& one) {
  Json json{{"name", one.what},
            {"start_ms", json_real(one.start_ms)},
            {"time_ms", json_real(one.ms)},
            {"stream", one.stream}};
  if (one.gpu != 0) json["gpu"] = one.gpu;
  if (one.number == 0) {
    json["bytes"] = one.bytes;
    return json;
  }
  json["launch"] = one.number;
  json["grid"] = dim(one.grid);
  json["block"] = dim(one.block);
  json["shared_bytes"] = one.shared_bytes;
  json["caller"] = or_null(one.caller);
  return json;
}

Json leaks_json(const cuda_api::Record& record) {
  Json list = Json::array();
  for (const auto& leak : record.leaks)
    list.push_back({{"allocation", leak.name}, {"bytes", leak.bytes}, {"caller", leak.caller}});
  return {{"bytes", record.leaked_bytes}, {"allocations", std::move(list)}, {"more", record.leaks_cut}};
}

}  // namespace

std::string program_json(const ProgramRun& run, const Style&) {
  const auto& record = run.record;
  Json json{{"schema", "gpulab.exec.v1"}, {"gpulab", {{"version", version()}}},
            {"program", run.program},     {"arguments", run.arguments},
            {"trusted", false},           {"isolated", run.isolated},
            {"profile", run.profile},     {"status", to_text(run.status)},
            {"exit_code", run.exit_code}, {"signal", run.signal == 0 ? Json() : Json(run.signal)},
            {"kernels", Json::array()}};
  for (const auto* kernel : shown_kernels(run)) json["kernels"].push_back(kernel_json(*kernel, run));
  if (run.explained) json["advice"] = advice_json(run);
  if (run.trace) {
    json["launches"] = Json::array();
    for (const auto& one : record.activities) json["launches"].push_back(activity_json(one));
    json["launches_cut"] = record.activities_cut;
  }
  json["copies"] = Json::array();
  for (const auto& [name, copies] : record.copies)
    json["copies"].push_back(
        {{"name", name}, {"calls", copies.calls}, {"bytes", copies.bytes}, {"total_ms", json_real(copies.ms)}});
  json["libraries"] = Json::array();
  for (const auto& one : record.libraries)
    json["libraries"].push_back({{"name", one.name},
                                 {"shape", one.shape},
                                 {"calls", one.calls},
                                 {"operations", json_real(one.operations)},
                                 {"bytes", one.bytes},
                                 {"time_ms", json_real(one.ms)},
                                 {"time", "estimated"},
                                 {"caller", or_null(one.caller)}});
  json["api"] = Json::array();
  for (const auto& [name, calls] : record.calls)
    json["api"].push_back({{"name", name}, {"calls", calls.calls}, {"bytes", calls.bytes}});
  json["faults"] = Json::array();
  for (const auto& fault : record.faults) json["faults"].push_back(fault_json(fault));
  json["findings"] = Json::array();
  for (const auto& finding : record.findings) json["findings"].push_back(finding_json(finding));
  json["allocations"] = Json::array();
  for (const auto& [name, caller] : record.allocations)
    json["allocations"].push_back({{"allocation", name}, {"caller", caller}});
  json["leaks"] = leaks_json(record);
  json["unsupported"] = record.unsupported ? Json{{"what", record.unsupported->what},
                                                  {"caller", record.unsupported->caller},
                                                  {"hint", or_null(record.unsupported->hint)}}
                                           : Json();
  json["crash"] = or_null(record.crash);
  json["notes"] = record.notes;
  return json_text(json);
}

}  // namespace gpulab
