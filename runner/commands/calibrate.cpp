// `gpulab calibrate`: what this machine's GPU does, as a profile.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common/child/interrupt.h"
#include "common/device/clocked.h"
#include "common/device/device_kind.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/calibrate/profile_document.h"
#include "runner/command.h"
#include "runner/execution/progress.h"
#include "runner/options/machine_options.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

OptionList own_options() {
  return {
      {"output", "FILE.json", "the profile, for --profile FILE.json [standard output]", heading::report},
      {"only", "WORD", "the probes with this in their name; other numbers are carried over", "Measuring"},
      {"device", "gpu[:INDEX]", "which GPU, where there are several", "Measuring"},
      {"estimate", "NAME", "no measuring: this GPU of 'gpulab devices' by its data sheet", "Without a GPU"},
      {"from", "h100|h200", "whose measured numbers are carried over to it [h100]", "Without a GPU"},
  };
}

Usage usage_of_calibrate(const Lab*) {
  return {own_options(),
          "Measures this machine's GPU by some fifty small kernels, in a minute or two:\n"
          "latencies, bandwidths, atomics, launches. What it writes is a profile that\n"
          "--profile takes at once, whatever GPU it is:\n"
          "  gpulab calibrate --output mine.json\n"
          "  gpulab reduce --variant all --profile mine.json\n"
          "Of each number it says where it is from: measured, the driver, a data sheet, or\n"
          "the family: an H100's, carried over. Let nothing else run on the GPU meanwhile.\n"
          "If your GPU is not in 'gpulab devices', send the file in.\n"};
}

/// The GPU to measure. Throws Error (missing) where there is none.
std::pair<const DeviceKind*, DeviceRequest> gpu_of(const Given& given) {
  const auto machine = parse_machine_options(given);
  const DeviceKind* kind = machine.device;
  if (kind == nullptr)
    for (const auto* one : device_kinds())
      if (one->capabilities.measures_time) kind = one;
  if (kind == nullptr || !kind->capabilities.measures_time)
    throw usage_error("calibrate: it measures a GPU",
                      "leave --device out, or name gpu:INDEX; --estimate NAME needs none");
  if (const auto problem = kind->problem(); !problem.empty())
    throw Error(ExitCode::missing, fmt::format("calibrate: {}", problem), {},
                "run it where the GPU is; 'gpulab calibrate --estimate NAME' makes a profile of data sheets; 'gpulab "
                "doctor' says what is missing");
  DeviceRequest request;
  request.index = machine.device_index.value_or(0);
  return {kind, request};
}

/// Before a GPU is looked for: names are the same of all.
void check_word(const Given& given) {
  const auto* word = single_value(given, "only");
  if (word == nullptr) return;
  const auto probes = calibrate::probes_for({});
  if (std::ranges::none_of(probes, [&](const auto& p) { return p.id.find(*word) != std::string::npos; }))
    throw usage_error(fmt::format("--only: no probe has '{}' in its name", visible(*word)),
                      "for instance: chase, gather, launches");
}

calibrate::Profile measure(const Given& given) {
  check_word(given);
  const auto [kind, request] = gpu_of(given);
  const DeviceInfo info = kind->describe(request);
  const auto device = kind->open(request);
  const auto limits = limits_of(*device);
  const auto limit = [&](std::string_view field, double otherwise) {
    const auto found = std::ranges::find(limits, field, &DeviceLimit::field);
    return found == limits.end() || found->value <= 0 ? otherwise : found->value;
  };
  const auto room = memory_room(*device);
  calibrate::Place place;
  place.sm_count = static_cast<std::uint32_t>(info.sm_count);
  place.l2_bytes = limit("l2", 4 << 20);
  place.memory_bytes = room ? static_cast<double>(room->free) : 4e9;
  place.large_blocks_per_sm = std::max(1U, static_cast<std::uint32_t>(limit("max_threads_per_sm", 1024)) / 1024);
  auto probes = calibrate::probes_for(place);
  if (const auto* word = single_value(given, "only")) {
    std::erase_if(probes, [&](const auto& p) {
      return p.id.find(*word) == std::string::npos && p.id != "empty" && p.id != "chain_reds_f32_same";
    });
  }
  Progress progress;
  auto measurements = calibrate::measure(*device, probes, [&](std::size_t i, const calibrate::Probe& probe) {
    progress.show(i, probes.size(), probe.id);
  });
  progress.end();
  if (!measurements.readings.contains("empty") || !measurements.readings.contains("chain_reds_f32_same"))
    throw Error(ExitCode::launch_failed,
                fmt::format("calibrate: {}", measurements.problems.empty() ? "nothing could be measured"
                                                                           : measurements.problems.front()),
                {}, "'gpulab doctor' says what is wrong with the driver; let nothing else run on the GPU");
  return calibrate::measured_profile(info, limits, room ? static_cast<double>(room->total) : 0, place, probes,
                                     std::move(measurements));
}

ExitCode run_calibrate(const CommandLine& line) {
  const auto& given = line.given;
  const auto* output = single_value(given, "output");
  const auto* name = single_value(given, "estimate");
  if (output != nullptr && output->empty()) throw usage_error("--output: the file name is empty");
  if (name == nullptr && single_value(given, "from") != nullptr)
    throw usage_error("--from: it says what --estimate starts from", "add --estimate NAME, or leave it out");
  if (name != nullptr)
    for (const char* other : {"only", "device"})
      if (single_value(given, other) != nullptr)
        throw usage_error(fmt::format("--{}: --estimate measures nothing", other), "leave one of them out");
  watch_for_interrupts();
  ReportTarget target(output == nullptr ? "" : *output);
  const auto* from = single_value(given, "from");
  const auto profile = name == nullptr
                           ? measure(given)
                           : calibrate::estimated_profile(gpu_profile(*name), from == nullptr ? "h100" : *from);
  target.write(profile_json(profile));
  if (output != nullptr) print_report(profile_text(profile, report_width(ReportTarget({}))));
  return profile.measurements.problems.empty() ? ExitCode::ok : ExitCode::launch_failed;
}

}  // namespace

extern const Command calibrate{
    .name = "calibrate",
    .help = "what this machine's GPU does, as a profile that --profile takes",
    .usage = usage_of_calibrate,
    .run = run_calibrate,
    .example = "gpulab calibrate --output mine.json",
};

}  // namespace gpulab::command
