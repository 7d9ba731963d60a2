#include "runner/options/report_options.h"

#include <fmt/format.h>

#include "common/error.h"

namespace gpulab {
namespace {

/// "table, csv, json or markdown".
std::string listed(const Formats& formats) {
  std::string text;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (i > 0) text += i + 1 == formats.size() ? " or " : ", ";
    text += formats[i]->name;
  }
  return text;
}

std::vector<std::string> format_words(const Formats& formats) {
  std::vector<std::string> words;
  for (const auto* format : formats) words.emplace_back(format->name);
  return words;
}

}  // namespace

OptionList report_options(const Formats& able) {
  return {
      {"format", "FORMAT", fmt::format("{} [{}]", listed(able), able.front()->name), heading::report, false,
       format_words(able)},
      {"output", "FILE", "instead of standard output", heading::report},
  };
}

ReportOptions parse_report_options(std::string_view command, const Given& given, const Formats& able) {
  ReportOptions options;
  const auto* format = single_value(given, "format");
  options.format = format != nullptr ? &find_format(*format, able, command) : able.front();
  if (const auto* output = single_value(given, "output")) {
    options.output = *output;
    if (output->empty()) throw usage_error("--output: the file name is empty");
  }
  return options;
}

const Format* format_asked_for(const std::vector<std::string>& arguments) {
  constexpr std::string_view option = "--format", with_value = "--format=";
  std::string_view asked;
  for (std::size_t i = 0; i < arguments.size() && asked.empty(); ++i) {
    if (arguments[i].starts_with(with_value)) asked = std::string_view(arguments[i]).substr(with_value.size());
    if (arguments[i] == option && i + 1 < arguments.size()) asked = arguments[i + 1];
  }
  for (const auto* format : formats())
    if (format->name == asked) return format;
  return nullptr;
}

}  // namespace gpulab
