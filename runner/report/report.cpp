#include "runner/report/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto* format : formats()) names.emplace_back(format->name);
  return names;
}

const Format& find_format(std::string_view name) {
  const auto all = formats();
  const auto it = std::find_if(all.begin(), all.end(), [&](const Format* format) { return format->name == name; });
  if (it != all.end()) return **it;
  const auto names = format_names();
  throw usage_error(fmt::format("--format: unknown format '{}'", name),
                    did_you_mean(name, names, "formats: " + join(names)));
}

}  // namespace gpulab
