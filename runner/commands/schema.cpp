// `gpulab schema NAME`: the JSON Schema (configs/schema/NAME.json) of a document that gpulab writes.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "common/embedded.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/command.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

std::string_view schema_text(std::string_view name) {
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

ExitCode run(const CommandLine& line) {
  print_report(std::string(schema_text(line.arguments.empty() ? "run" : line.arguments.front())));
  return ExitCode::ok;
}

}  // namespace

extern const Command schema{
    .name = "schema",
    .positionals = {{"NAME", ""}},
    .help = "a JSON Schema (2020-12): run, explain, check, assignment, grade, key, exec, list, error",
    .run = run,
};

}  // namespace gpulab::command
