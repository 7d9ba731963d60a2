#pragma once
// JSON Schemas for tools: those of our documents with every reference put in its place, for clients that follow none.

#include <string>
#include <string_view>

#include "runner/mcp/json_line.h"

namespace gpulab::mcp {

/// `gpulab schema NAME` without references; what lies deeper than an agent reads is left open. A document that was cut
/// is valid by it, too.
[[nodiscard]] Json inlined_schema(std::string_view name);

/// Throws usage_error, which names the member, where `value` is not as `schema` says: types, required and unknown
/// members, words, lengths.
void check_value(const Json& schema, const Json& value, const std::string& called);

}  // namespace gpulab::mcp
