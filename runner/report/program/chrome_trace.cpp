// Chrome's Trace Event Format (a JSON object of "complete" events), which browsers and Perfetto draw.

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "common/text.h"
#include "runner/report/json_text.h"
#include "runner/report/program/program_report.h"

namespace gpulab {

std::string chrome_trace(const ProgramRun& run) {
  using Json = nlohmann::ordered_json;
  Json events = Json::array();
  const auto name_row = [&](const char* what, int gpu, std::uint32_t row, const std::string& name) {
    events.push_back({{"name", what}, {"ph", "M"}, {"pid", gpu}, {"tid", row}, {"args", {{"name", name}}}});
  };
  // A GPU is a process there: rows of its streams stand together.
  std::set<int> gpus;
  std::set<std::pair<int, std::uint32_t>> streams;
  const auto name_gpu = [&](int gpu) {
    if (!gpus.insert(gpu).second) return;
    const std::string which = gpu == 0 ? "" : ", GPU " + std::to_string(gpu);
    name_row("process_name", gpu, 0, run.program + " on a simulated " + run.profile + which + " (modelled time)");
  };
  name_gpu(0);
  for (const auto& one : run.record.activities) {
    name_gpu(one.gpu);
    if (streams.insert({one.gpu, one.stream}).second)
      name_row("thread_name", one.gpu, one.stream,
               one.stream == 0 ? "default stream" : "stream " + std::to_string(one.stream));
  }
  constexpr double us_per_ms = 1e3;
  for (const auto& one : run.record.activities) {
    Json facts = Json::object();
    if (one.number != 0) {
      facts["launch"] = one.number;
      facts["grid"] = dim_text(one.grid);
      facts["block"] = dim_text(one.block);
      facts["shared_bytes"] = one.shared_bytes;
      facts["called_by"] = one.caller;
    } else {
      facts["bytes"] = one.bytes;
    }
    events.push_back({{"name", one.what},
                      {"cat", one.number != 0 ? "kernel" : "copy"},
                      {"ph", "X"},
                      {"ts", json_real(one.start_ms * us_per_ms)},
                      {"dur", json_real(one.ms * us_per_ms)},
                      {"pid", one.gpu},
                      {"tid", one.stream},
                      {"args", std::move(facts)}});
  }
  return json_text(Json{{"traceEvents", std::move(events)},
                        {"displayTimeUnit", "ns"},
                        {"otherData", {{"cut", run.record.activities_cut}}}});
}

}  // namespace gpulab
