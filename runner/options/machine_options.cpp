#include "runner/options/machine_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/simt/observers/tool.h"
#include "common/simt/timing/gpu_timing.h"
#include "common/text.h"
#include "runner/options/sizes.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

/// "auto, gpu, gpu:INDEX, sim", and what --help calls them: "auto|gpu[:I]|sim".
struct DeviceForms {
  std::vector<std::string> names{"auto"}, forms{"auto"}, short_forms{"auto"};
};
DeviceForms device_forms() {
  DeviceForms all;
  for (const auto* kind : device_kinds()) {
    const std::string name(kind->name);
    all.names.push_back(name);
    all.forms.push_back(name);
    if (kind->numbered) all.forms.push_back(name + ":INDEX");
    all.short_forms.push_back(kind->numbered ? name + "[:I]" : name);
  }
  return all;
}

/// "auto: a GPU where there is one, else the simulator".
std::string automatic_choice() {
  std::string text = "auto:";
  const auto kinds = device_kinds();
  for (const auto* kind : kinds.first(kinds.size() - 1))
    text += fmt::format(" {} where there is one, else", kind->noun);
  return fmt::format("{} {}", text, kinds.back()->noun);
}

void parse_device(const Given& given, MachineOptions& options) {
  const auto* text = single_value(given, "device");
  if (text == nullptr || *text == "auto") return;
  const auto named = parse_device_name(*text);
  if (!named) {
    const auto known = device_forms();
    throw usage_error(fmt::format("--device: unknown device '{}'", *text),
                      did_you_mean(*text, known.names, "devices: " + join(known.forms)));
  }
  options.device = named->kind;
  options.device_index = named->index;
}

constexpr std::int64_t most_steps = 1'000'000;

template <typename Number>
std::vector<Number> numbers_of(const Given& given, std::string_view name, std::int64_t most) {
  std::vector<Number> numbers;
  if (const auto* text = single_value(given, name))
    for (const auto& one : split(*text, ',')) numbers.push_back(static_cast<Number>(whole_number(name, one, 0, most)));
  return numbers;
}

std::vector<std::string> tool_names() {
  std::vector<std::string> names;
  for (const simt::ToolKind* kind : simt::tool_kinds()) names.emplace_back(kind->name);
  return names;
}

std::vector<std::string> tool_words() {
  auto words = tool_names();
  words.insert(words.end(), {"all", "none"});
  return words;
}

/// "racecheck,memcheck", "all", "none".
std::vector<std::string> parse_tools(const std::string& text) {
  const auto all = tool_names();
  if (text == "none") return {};
  if (text == "all") return all;
  std::vector<std::string> tools;
  for (const auto& name : split(text, ',')) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      const auto words = tool_words();
      throw usage_error(fmt::format("--sanitize: unknown tool '{}'", name),
                        did_you_mean(name, words, fmt::format("tools: {}", fmt::join(words, ", "))));
    }
    tools.emplace_back(name);
  }
  return tools;
}

/// What the model is to know instead: of another measurement, or numbers that are wrong on purpose
/// (scripts/validate_model.sh). It is read here, so that a worker that may read nothing gets it as text, and an error
/// comes before the first launch.
std::string timing_text(const Given& given, const MachineOptions& options) {
  const auto* file = single_value(given, "timing");
  if (file == nullptr) return {};
  if (!options.model) throw usage_error("--timing: it says what --model is to know", "add --model");
  std::string text = read_source(*file, "--timing");
  (void)simt::timing_of(options.profile.value_or("h200"), text, *file);
  return text;
}

}  // namespace

const GpuProfile& chosen_profile(const std::string& text) {
  const bool is_file = text.ends_with(".json") || text.find('/') != std::string::npos;
  if (!is_file) return gpu_profile(text);
  const auto id = text.substr(text.rfind('/') + 1);
  if (!text_of_added(id).empty()) return gpu_profile(id);
  const auto& gpu = add_gpu_profile(text, read_source(text, "--profile"));
  (void)simt::gpu_timing(gpu.id);  // an error in it comes before the first launch
  return gpu;
}

void check_profile_for_points(const std::string& id) {
  if (!text_of_added(id).empty())
    throw usage_error(fmt::format("--profile: '{}' is a file, and points are to be the same everywhere", id),
                      "name one of 'gpulab devices'");
}

OptionList machine_options() {
  using heading::simulator, heading::where;
  return {
      {"device", join(device_forms().short_forms, "|"), automatic_choice(), where},
      {"profile", "NAME|FILE", "the GPU that the simulator models ('gpulab devices', 'gpulab calibrate')", where, false,
       gpu_profile_ids()},
      {"threads", "N", "CPU threads of the simulator [all]", where},
      {"counters", "", "simulator counters, beside a GPU too", simulator},
      {"no-counters", "", "no simulator counters", simulator},
      {"model", "", "insists on modelled times: says why one is missing", simulator},
      {"timing", "FILE", "what --model is to know of that GPU, as in configs/timing", simulator},
      {"sanitize", "LIST", fmt::format("{}, all or none", fmt::join(tool_names(), ", ")), simulator, false,
       tool_words()},
      {"schedule", "SEED", "another order of blocks, warps and splits, replayable", simulator},
      {"budget", "N", "warp instructions before a launch counts as hung", simulator},
      {"print-limit", "BYTES", "what is kept of what kernels print [1Mi]", simulator},
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
  if (const auto* text = single_value(given, "print-limit"))
    options.print_limit = static_cast<std::uint64_t>(parse_size(*text, "--print-limit"));
  if (const auto* text = single_value(given, "threads")) {
    options.threads = static_cast<int>(whole_number("threads", *text, 1, 4096));
  }
  if (const auto* text = single_value(given, "profile")) options.profile = chosen_profile(*text).id;
  if (const auto* text = single_value(given, "sanitize")) options.sanitize = parse_tools(*text);
  if (!options.sanitize.empty() && options.device != nullptr && !options.device->capabilities.sanitizes)
    throw usage_error(fmt::format("--sanitize: the tools watch the simulator, not {}", options.device->noun),
                      "use '--device sim', or leave --device out");
  options.model = single_value(given, "model") != nullptr;
  if (options.model && options.device != nullptr && !options.device->capabilities.models)
    throw usage_error(fmt::format("--model: it follows from a simulation, and {} measures", options.device->noun),
                      "use '--device sim', or leave --device out");
  options.timing = timing_text(given, options);
  const bool on = single_value(given, "counters") != nullptr, off = single_value(given, "no-counters") != nullptr;
  if (on && off) throw usage_error("--counters and --no-counters contradict each other");
  if (on || off) options.counters = on;
  return options;
}

OptionList trace_window_options() {
  using heading::trace;
  return {
      {"blocks", "B[,B...]", "blocks to follow, by number [the first, up to 32 warps]", trace},
      {"warps", "W[,W...]", "warps of each of them [all]", trace},
      {"from", "N", "steps to pass over [0]", trace},
      {"events", "N", "steps to keep, at most [100000]", trace},
      {"launch", "N", "of several launches [1]", trace},
  };
}

TraceWindow parse_trace_window(const Given& given) {
  TraceWindow window;
  window.blocks = numbers_of<std::uint64_t>(given, "blocks", std::int64_t{1} << 40);
  window.warps = numbers_of<std::uint32_t>(given, "warps", 31);
  if (const auto* text = single_value(given, "from"))
    window.from = static_cast<std::uint64_t>(whole_number("from", *text, 0, std::int64_t{1} << 40));
  if (const auto* text = single_value(given, "events"))
    window.events = static_cast<std::uint64_t>(whole_number("events", *text, 1, most_steps));
  if (const auto* text = single_value(given, "launch"))
    window.launch = static_cast<std::uint32_t>(whole_number("launch", *text, 1, 1'000'000) - 1);
  return window;
}

}  // namespace gpulab
