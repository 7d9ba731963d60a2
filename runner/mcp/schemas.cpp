#include "runner/mcp/schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/embedded.h"
#include "common/error.h"
#include "common/text.h"

namespace gpulab::mcp {
namespace {

/// Objects within objects that are described; those below are any objects.
constexpr int most_levels = 5;

Json in_place(const Json& schema, const Json& definitions, int level) {
  if (!schema.is_object()) return schema;
  if (const auto reference = schema.find("$ref"); reference != schema.end()) {
    constexpr std::string_view local = "#/$defs/";
    const auto name = reference->get<std::string>();
    auto merged = schema;
    merged.erase("$ref");
    if (name.starts_with(local))
      for (const auto& [key, value] : definitions.at(name.substr(local.size())).items())
        if (!merged.contains(key)) merged[key] = value;
    return in_place(merged, definitions, level);
  }
  Json open = Json::object();
  for (const auto& [key, value] : schema.items()) {
    // A list may have been cut; descriptions far down are for people, who have `gpulab schema`.
    if (key == "minItems" || key == "$schema" || key == "$id" || key == "$defs") continue;
    if (key == "description" && level > 2) continue;
    if (key == "properties" || key == "patternProperties") {
      if (level >= most_levels) continue;
      for (const auto& [name, one] : value.items()) open[key][name] = in_place(one, definitions, level + 1);
    } else if (key == "items" || key == "additionalProperties" || key == "propertyNames" || key == "contains") {
      open[key] = in_place(value, definitions, level);
    } else if (key == "anyOf" || key == "oneOf" || key == "allOf") {
      open[key] = Json::array();
      for (const auto& one : value) open[key].push_back(in_place(one, definitions, level));
    } else if (key == "required" && level >= most_levels) {
      continue;
    } else {
      open[key] = value;
    }
  }
  return open;
}

bool has_type(const Json& value, const std::string& type) {
  return (type == "string" && value.is_string()) || (type == "object" && value.is_object()) ||
         (type == "array" && value.is_array()) || (type == "boolean" && value.is_boolean()) ||
         (type == "integer" && value.is_number_integer());
}

void check_type(const Json& schema, const Json& value, const std::string& called) {
  const auto type = schema.find("type");
  if (type == schema.end()) return;
  const auto types = type->is_array() ? type->get<std::vector<std::string>>() : std::vector{type->get<std::string>()};
  if (std::ranges::none_of(types, [&](const auto& one) { return has_type(value, one); }))
    throw usage_error(fmt::format("{}: it has to be of the type {}", called, join(types, " or ")));
}

void check_members(const Json& schema, const Json& value, const std::string& called) {
  const auto& known = schema.at("properties");
  std::vector<std::string> names;
  for (const auto& [name, one] : known.items()) names.push_back(name);
  for (const auto& name : schema.value("required", std::vector<std::string>{}))
    if (!value.contains(name)) throw usage_error(fmt::format("{}: '{}' is missing", called, name));
  for (const auto& [name, one] : value.items()) {
    if (!known.contains(name))
      throw usage_error(fmt::format("{}: it has no argument '{}'", called, visible(name.substr(0, 80))),
                        did_you_mean(name.substr(0, 80), names, "arguments: " + join(names)));
    check_value(known.at(name), one, name);
  }
}

}  // namespace

Json inlined_schema(std::string_view name) {
  const auto path = fmt::format("schema/{}.json", name);
  for (const auto& file : embedded_configs()) {
    if (file.path != path) continue;
    const auto schema = Json::parse(file.text);
    return in_place(schema, schema.value("$defs", Json::object()), 0);
  }
  return {{"type", "object"}};
}

void check_value(const Json& schema, const Json& value, const std::string& called) {
  check_type(schema, value, called);
  if (const auto words = schema.find("enum");
      words != schema.end() && std::ranges::find(*words, value) == words->end()) {
    const auto known = words->get<std::vector<std::string>>();
    const auto given = value.is_string() ? value.get<std::string>().substr(0, 80) : std::string();
    throw usage_error(fmt::format("{}: '{}' is none of: {}", called, visible(given), join(known)));
  }
  if (value.is_string() && value.get_ref<const std::string&>().size() > schema.value("maxLength", most_line_bytes))
    throw usage_error(
        fmt::format("{}: it has more than {} characters", called, schema.at("maxLength").get<std::size_t>()));
  if (value.is_array()) {
    if (value.size() > schema.value("maxItems", most_line_bytes))
      throw usage_error(
          fmt::format("{}: it has more than {} elements", called, schema.at("maxItems").get<std::size_t>()));
    if (value.size() < schema.value("minItems", std::size_t{0}))
      throw usage_error(
          fmt::format("{}: it has less than {} elements", called, schema.at("minItems").get<std::size_t>()));
    for (std::size_t i = 0; i < value.size(); ++i)
      check_value(schema.at("items"), value[i], fmt::format("{}[{}]", called, i));
  }
  if (value.is_object() && schema.contains("properties")) check_members(schema, value, called);
}

}  // namespace gpulab::mcp
