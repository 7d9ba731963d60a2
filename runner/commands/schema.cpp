#include "runner/commands/schema.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "common/embedded.h"
#include "common/error.h"
#include "common/text.h"

namespace gpulab {

std::string_view schema(std::string_view name) {
  constexpr std::string_view folder = "schema/", ending = ".json";
  std::vector<std::string> names;
  for (const auto& file : embedded_configs()) {
    if (!file.path.starts_with(folder) || !file.path.ends_with(ending)) continue;
    const auto stem = file.path.substr(folder.size(), file.path.size() - folder.size() - ending.size());
    if (stem == name) return file.text;
    names.emplace_back(stem);
  }
  throw usage_error(fmt::format("unknown schema '{}'", name), did_you_mean(name, names, "schemas: " + join(names)));
}

}  // namespace gpulab
