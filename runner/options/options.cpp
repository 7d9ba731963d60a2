#include "runner/options/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/error.h"
#include "common/text.h"
#include "runner/options/blocks.h"
#include "runner/options/registry.h"
#include "runner/options/sizes.h"
#include "runner/report/plots/image.h"

namespace gpulab {

const std::string* single_value(const Given& given, std::string_view name) {
  const auto it = given.find(name);
  if (it == given.end() || it->second.empty()) return nullptr;
  if (it->second.size() > 1) {
    throw usage_error(fmt::format("--{} is given {} times", name, it->second.size()),
                      "give it once; lists are separated by commas");
  }
  return &it->second.front();
}

namespace {

std::vector<ParamValue> param_values(const Lab& lab, const Param& param, const std::string& text) {
  const std::string option = "--" + param.name;
  std::vector<ParamValue> values;
  if (std::holds_alternative<std::int64_t>(param.fallback)) {
    // A knob is no size: what it may be says more than how sizes are written.
    if (!param.tested.empty() && text.starts_with('-'))
      throw usage_error(fmt::format("{}: {} is too small: {} to {}", option, text, param.min, param.max));
    for (const auto size : parse_sizes(text, option)) {
      if (size < param.min) throw usage_error(fmt::format("{}: {} is too small: at least {}", option, size, param.min));
      if (size > param.max) throw usage_error(fmt::format("{}: {} is too large: at most {}", option, size, param.max));
      values.emplace_back(size);
    }
    return values;
  }
  if (std::holds_alternative<double>(param.fallback)) {
    for (const auto& number : split(text, ',')) {
      const auto value = parse_real(number);
      if (!value || !std::isfinite(*value)) throw usage_error(fmt::format("{}: '{}' is not a number", option, number));
      values.emplace_back(*value);
    }
    return values;
  }
  for (const auto& word : split(text, ',')) {
    if (std::find(param.choices.begin(), param.choices.end(), word) == param.choices.end()) {
      throw usage_error(fmt::format("{}: {} has no {} '{}'", option, lab.name, param.name, word),
                        did_you_mean(word, param.choices, "choices: " + join(param.choices)));
    }
    if (std::find(values.begin(), values.end(), ParamValue(word)) != values.end()) {
      throw usage_error(fmt::format("{}: {} appears twice in '{}'", option, word, text));
    }
    values.emplace_back(word);
  }
  return values;
}

void parse_params(const Given& given, LabOptions& options) {
  for (const auto& param : options.lab->params) {
    const auto* text = single_value(given, param.name);
    options.params.emplace_back(param.name, text != nullptr ? param_values(*options.lab, param, *text)
                                                            : std::vector<ParamValue>{param.fallback});
  }
}

void parse_variants(const Given& given, LabOptions& options) {
  const auto* text = single_value(given, "variant");
  options.all_variants = text != nullptr && *text == "all";
  if (options.all_variants) {
    for (const auto& variant : options.lab->variants) options.variants.push_back(&variant);
    return;
  }
  for (const auto& name : split(text != nullptr ? *text : options.lab->headline, ',')) {
    const auto* variant = &find_variant(*options.lab, name);
    if (std::find(options.variants.begin(), options.variants.end(), variant) != options.variants.end()) {
      throw usage_error(fmt::format("--variant: {} appears twice in '{}'", name, *text));
    }
    options.variants.push_back(variant);
  }
}

std::int64_t whole_number(std::string_view option, const std::string& text, std::int64_t least, std::int64_t most) {
  const auto value = parse_integer(text);
  if (!value || *value < least || *value > most) {
    const std::string range = most == std::numeric_limits<std::int64_t>::max() ? fmt::format("{} or more", least)
                                                                               : fmt::format("{} to {}", least, most);
    throw usage_error(fmt::format("--{}: '{}' is not a whole number of {}", option, text, range));
  }
  return *value;
}

double positive_real(std::string_view option, const std::string& text) {
  const auto value = parse_real(text);
  if (!value || *value < 0) throw usage_error(fmt::format("--{}: '{}' is not a number of 0 or more", option, text));
  return *value;
}

void parse_device(const Given& given, LabOptions& options) {
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

/// "racecheck,memcheck", "all", "none".
std::vector<std::string> parse_tools(const std::string& text) {
  static const std::vector<std::string> all{"memcheck", "racecheck", "initcheck", "synccheck"};
  if (text == "none") return {};
  if (text == "all") return all;
  std::vector<std::string> tools;
  for (const auto& name : split(text, ',')) {
    if (std::find(all.begin(), all.end(), name) == all.end())
      throw usage_error(fmt::format("--sanitize: unknown tool '{}'", name),
                        did_you_mean(name, {"memcheck", "racecheck", "initcheck", "synccheck", "all", "none"},
                                     "tools: memcheck, racecheck, initcheck, synccheck, all, none"));
    tools.emplace_back(name);
  }
  return tools;
}

void parse_simulator(const Given& given, LabOptions& options) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const auto number = [&](std::string_view name, std::int64_t least, std::uint64_t& target) {
    if (const auto* text = single_value(given, name)) {
      target = static_cast<std::uint64_t>(whole_number(name, *text, least, most));
    }
  };
  number("seed", 0, options.seed);
  number("schedule", 0, options.schedule);
  if (const auto* text = single_value(given, "budget")) {
    options.budget = static_cast<std::uint64_t>(parse_size(*text, "--budget"));
    if (options.budget == 0) throw usage_error("--budget: a budget of 0 warp instructions runs nothing");
  }
  if (const auto* text = single_value(given, "threads")) {
    options.threads = static_cast<int>(whole_number("threads", *text, 1, 4096));
  }
  if (const auto* text = single_value(given, "profile")) options.profile = gpu_profile(*text).id;
  if (const auto* text = single_value(given, "sanitize")) options.sanitize = parse_tools(*text);
  options.allow_racy = single_value(given, "allow-racy") != nullptr;
  if (!options.sanitize.empty() && options.device == DeviceKind::gpu)
    throw usage_error("--sanitize: the tools watch the simulator, not a GPU",
                      "use '--device sim', or leave --device out");
  const bool on = single_value(given, "counters") != nullptr, off = single_value(given, "no-counters") != nullptr;
  if (on && off) throw usage_error("--counters and --no-counters contradict each other");
  if (on || off) options.counters = on;
}

void parse_measure(const Given& given, MeasureOptions& measure) {
  if (const auto* text = single_value(given, "reps"))
    measure.reps = static_cast<int>(whole_number("reps", *text, 1, 1'000'000));
  if (const auto* text = single_value(given, "warmup")) {
    measure.warmup = static_cast<int>(whole_number("warmup", *text, 0, 1'000'000));
  }
  if (const auto* text = single_value(given, "min-time")) measure.min_time_s = positive_real("min-time", *text);
  if (const auto* text = single_value(given, "max-noise")) measure.max_noise = positive_real("max-noise", *text) / 100;
  measure.warm = single_value(given, "warm") != nullptr;
}

}  // namespace

LabOptions parse_lab_options(const Lab& lab, const Given& given) {
  LabOptions options;
  options.lab = &lab;
  const auto* format = single_value(given, "format");
  options.format = &find_format(format != nullptr ? *format : "table");
  if (const auto* output = single_value(given, "output")) {
    options.output = *output;
    if (output->empty()) throw usage_error("--output: the file name is empty");
  }
  if (const auto* image = single_value(given, "image")) {
    check_image_name(*image);
    options.image = *image;
  }
  parse_variants(given, options);
  if (const auto* text = single_value(given, "block")) options.blocks = parse_blocks(*text);
  if (const auto* text = single_value(given, "grid")) options.grid = parse_grid(*text);
  if (const auto* text = single_value(given, "baseline")) options.baseline = &find_variant(lab, *text);
  parse_params(given, options);
  parse_device(given, options);
  parse_simulator(given, options);
  parse_measure(given, options.measure);
  return options;
}

}  // namespace gpulab
