#include "runner/options/sweep_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "common/error.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/options/sizes.h"

namespace gpulab {
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

void parse_params(const Given& given, SweepOptions& options) {
  for (const auto& param : options.lab->params) {
    const auto* text = single_value(given, param.name);
    options.params.emplace_back(param.name, text != nullptr ? param_values(*options.lab, param, *text)
                                                            : std::vector<ParamValue>{param.fallback});
  }
}

void parse_variants(const Given& given, SweepOptions& options) {
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

std::string param_help(const Param& param) {
  std::string help = param.help;
  if (!param.choices.empty()) help += ": " + join(param.choices);
  const auto fallback = std::visit([](const auto& value) { return fmt::format("{}", value); }, param.fallback);
  return fmt::format("{} [{}]", help, fallback);
}

OptionList param_options(const Lab& lab) {
  OptionList options;
  for (const auto& param : lab.params) {
    const char* value = !param.choices.empty()                           ? "WORD[,...]"
                        : std::holds_alternative<double>(param.fallback) ? "NUMBER[,...]"
                                                                         : "SIZE[,...]";
    const bool is_switch = param.choices == std::vector<std::string>{"false", "true"};
    options.push_back({param.name, value, param_help(param), heading::problem, is_switch, param.choices});
  }
  return options;
}

std::vector<std::string> variant_words(const Lab& lab) {
  std::vector<std::string> words{"all"};
  for (const auto& variant : lab.variants) words.push_back(variant.name);
  return words;
}

}  // namespace

OptionList sweep_options(const Lab& lab) {
  const Option variant{"variant", "V[,V...]|all", "rungs of the ladder", heading::what_runs, false, variant_words(lab)};
  return joined({param_options(lab), {variant}, launch_options()});
}

SweepOptions parse_sweep_options(std::shared_ptr<const Lab> lab, const Given& given) {
  SweepOptions options;
  options.lab = std::move(lab);
  parse_variants(given, options);
  options.launch = parse_launch_options(given);
  parse_params(given, options);
  return options;
}

SweepOptions sweep_of_file(Lab lab, LaunchOptions launch) {
  SweepOptions options;
  options.lab = std::make_shared<const Lab>(std::move(lab));
  options.variants = {&options.lab->variants.front()};
  options.launch = std::move(launch);
  return options;
}

Given with_small_sizes(const Lab& lab, Given given, std::int64_t length) {
  constexpr std::int64_t side = 64;
  std::vector<const Param*> sizes;
  for (const auto& param : lab.params)
    if (param.tested.empty() && param.choices.empty() && std::holds_alternative<std::int64_t>(param.fallback))
      sizes.push_back(&param);
  for (const auto* param : sizes) {
    const auto small = std::max(param->min, sizes.size() == 1 ? length : side);
    if (!given.contains(param->name) && std::get<std::int64_t>(param->fallback) > small)
      given[param->name] = {std::to_string(small)};
  }
  return given;
}

}  // namespace gpulab
