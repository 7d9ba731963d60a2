#include "runner/options/machine_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/simt/observers/tool.h"
#include "common/text.h"
#include "runner/options/sizes.h"

namespace gpulab {
namespace {

void parse_device(const Given& given, MachineOptions& options) {
  const auto* text = single_value(given, "device");
  if (text == nullptr || *text == "auto") return;
  // "gpu" or "gpu:INDEX"
  const bool indexed = text->starts_with("gpu:");
  const std::int64_t index = indexed ? parse_integer(text->substr(4)).value_or(-1) : 0;
  if (*text == "sim") {
    options.device = DeviceKind::simulator;
  } else if (*text == "gpu" || (indexed && index >= 0 && index < 1024)) {
    options.device = DeviceKind::gpu;
    if (indexed) options.gpu_index = static_cast<int>(index);
  } else {
    throw usage_error(fmt::format("--device: unknown device '{}'", *text),
                      did_you_mean(*text, {"auto", "gpu", "sim"}, "devices: auto, gpu, gpu:INDEX, sim"));
  }
}

std::vector<std::string> tool_names() {
  std::vector<std::string> names;
  for (const simt::ToolKind* kind : simt::tool_kinds()) names.emplace_back(kind->name);
  return names;
}

/// "racecheck,memcheck", "all", "none".
std::vector<std::string> parse_tools(const std::string& text) {
  const auto all = tool_names();
  if (text == "none") return {};
  if (text == "all") return all;
  std::vector<std::string> tools;
  for (const auto& name : split(text, ',')) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      auto words = all;
      words.insert(words.end(), {"all", "none"});
      throw usage_error(fmt::format("--sanitize: unknown tool '{}'", name),
                        did_you_mean(name, words, fmt::format("tools: {}", fmt::join(words, ", "))));
    }
    tools.emplace_back(name);
  }
  return tools;
}

}  // namespace

OptionList machine_options() {
  using heading::simulator, heading::where;
  return {
      {"device", "auto|gpu[:I]|sim", "auto: a GPU where there is one, else the simulator", where},
      {"profile", "NAME", "the GPU that the simulator models ('gpulab devices')", where},
      {"threads", "N", "CPU threads of the simulator [all]", where},
      {"counters", "", "simulator counters, beside a GPU too", simulator},
      {"no-counters", "", "no simulator counters", simulator},
      {"sanitize", "LIST", fmt::format("{}, all or none", fmt::join(tool_names(), ",")), simulator},
      {"schedule", "SEED", "another order of blocks, warps and splits, replayable", simulator},
      {"budget", "N", "warp instructions before a launch counts as hung", simulator},
  };
}

MachineOptions parse_machine_options(const Given& given) {
  MachineOptions options;
  parse_device(given, options);
  if (const auto* text = single_value(given, "schedule")) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    options.schedule = static_cast<std::uint64_t>(whole_number("schedule", *text, 0, most));
  }
  if (const auto* text = single_value(given, "budget")) {
    options.budget = static_cast<std::uint64_t>(parse_size(*text, "--budget"));
    if (options.budget == 0) throw usage_error("--budget: a budget of 0 warp instructions runs nothing");
  }
  if (const auto* text = single_value(given, "threads")) {
    options.threads = static_cast<int>(whole_number("threads", *text, 1, 4096));
  }
  if (const auto* text = single_value(given, "profile")) options.profile = gpu_profile(*text).id;
  if (const auto* text = single_value(given, "sanitize")) options.sanitize = parse_tools(*text);
  if (!options.sanitize.empty() && options.device == DeviceKind::gpu)
    throw usage_error("--sanitize: the tools watch the simulator, not a GPU",
                      "use '--device sim', or leave --device out");
  const bool on = single_value(given, "counters") != nullptr, off = single_value(given, "no-counters") != nullptr;
  if (on && off) throw usage_error("--counters and --no-counters contradict each other");
  if (on || off) options.counters = on;
  return options;
}

}  // namespace gpulab
