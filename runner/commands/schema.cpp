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

constexpr std::string_view folder = "schema/", ending = ".json";

/// "run" of a configuration's path "schema/run.json"; empty: it is no schema.
std::string_view schema_name(std::string_view path) {
  if (!path.starts_with(folder) || !path.ends_with(ending)) return {};
  return path.substr(folder.size(), path.size() - folder.size() - ending.size());
}

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const auto& file : embedded_configs())
    if (!schema_name(file.path).empty()) names.emplace_back(schema_name(file.path));
  return names;
}

Usage usage_of_schema(const Lab*) { return {.words = schema_names()}; }

std::string_view schema_text(std::string_view name) {
  for (const auto& file : embedded_configs())
    if (schema_name(file.path) == name) return file.text;
  const auto names = schema_names();
  throw usage_error(fmt::format("unknown schema '{}'", name), did_you_mean(name, names, "schemas: " + join(names)));
}

ExitCode run_schema(const CommandLine& line) {
  print_report(std::string(schema_text(line.arguments.empty() ? "run" : line.arguments.front())));
  return ExitCode::ok;
}

}  // namespace

extern const Command schema{
    .name = "schema",
    .positionals = {{"NAME", ""}},
    .help = "a JSON Schema (2020-12): run, explain, check, compare, assignment, grade, key, exec, list, error …",
    .usage = usage_of_schema,
    .run = run_schema,
};

}  // namespace gpulab::command
