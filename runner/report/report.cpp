#include "runner/report/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"

namespace gpulab {

const Format& find_format(std::string_view name, const Formats& able, std::string_view command) {
  const auto named = [&](const Format* format) { return format->name == name; };
  if (const auto it = std::find_if(able.begin(), able.end(), named); it != able.end()) return **it;
  std::vector<std::string> names;
  for (const auto* format : able) names.emplace_back(format->name);
  const auto hint = "formats: " + join(names);
  const auto all = formats();
  if (std::find_if(all.begin(), all.end(), named) != all.end())
    throw usage_error(fmt::format("--format: {} has no {}", command, name), hint);
  throw usage_error(fmt::format("--format: unknown format '{}'", name), did_you_mean(name, names, hint));
}

}  // namespace gpulab
