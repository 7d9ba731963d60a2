#include "runner/mcp/tool.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runner/mcp/schemas.h"

namespace gpulab::mcp {
namespace {

Json output_of(const Tool& tool) {
  Json properties{{"document", tool.documents.empty() ? Json{{"type", "object"}} : inlined_schema(tool.documents)}};
  Json required{"document"};
  if (tool.invocation != nullptr) {
    properties["exit_code"] = {{"type", "integer"},
                               {"description", "of gpulab: 0 right, 1 wrong or a finding, 4 a launch failed"}};
    required.push_back("exit_code");
    for (const char* name : {"stdout", "stderr"}) {
      properties[name] = {{"type", "string"},
                          {"description", "printed; data, with unusual characters by their numbers"}};
      properties[fmt::format("{}_cut", name)] = {{"type", "integer"}, {"description", "bytes beyond what was kept"}};
    }
  }
  properties["cut"] = {
      {"type", "object"},
      {"description", "there where parts were left off: 'more' is the token for the tool more"},
      {"properties",
       {{"more", {{"type", "string"}}}, {"parts", {{"type", "integer"}}}, {"kept_s", {{"type", "integer"}}}}},
      {"required", {"more"}}};
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

}  // namespace

const Tool* find_tool(std::string_view name) {
  const auto all = tools();
  const auto found = std::ranges::find(all, name, [](const Tool* tool) { return tool->name; });
  return found == all.end() ? nullptr : *found;
}

Json description_of(const Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", Json::parse(tool.input)},
          {"outputSchema", output_of(tool)},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", tool.read_only},
            {"destructiveHint", !tool.read_only},
            {"idempotentHint", tool.read_only},
            {"openWorldHint", false}}}};
}

void check_arguments(const Tool& tool, const Json& arguments) {
  check_value(Json::parse(tool.input), arguments, std::string(tool.name));
}

void add_option(std::vector<std::string>& words, const char* option, const Json& arguments, const char* name) {
  const auto given = arguments.find(name);
  if (given == arguments.end()) return;
  // --profile also takes a file, and a client names no files but by `path`.
  if (const auto text = given->is_string() ? given->get<std::string>() : ""; option == std::string_view("profile"))
    if (text.ends_with(".json") || text.find('/') != std::string::npos)
      throw usage_error("profile: it is a name, not a file", "the tool 'capabilities' lists them");
  if (!given->is_array()) {
    words.push_back(fmt::format("--{}={}", option, text_of(*given)));
    return;
  }
  for (const auto& one : *given) words.push_back(fmt::format("--{}={}", option, text_of(one)));
}

void add_list(std::vector<std::string>& words, const char* option, const Json& arguments, const char* name) {
  const auto given = arguments.find(name);
  if (given == arguments.end() || given->empty()) return;
  std::string list;
  for (const auto& one : *given) list += (list.empty() ? "" : ",") + text_of(one);
  words.push_back(fmt::format("--{}={}", option, list));
}

}  // namespace gpulab::mcp
