#pragma once
// What a tool's call is answered with: a document and what stands beside it, cut to what its reader can take, or an
// error in words. All that kernels print and files are called is data: characters that a terminal or a reader would
// obey are shown by their numbers.

#include <string>

#include "common/error.h"
#include "runner/mcp/call_process.h"
#include "runner/mcp/tool.h"

namespace gpulab::mcp {

/// The result of tools/call of an answer that a tool gave at once.
[[nodiscard]] Json answer_of(const Json& document, const Surroundings& surroundings);
/// … of the process of a call. `folder`: where it ran, of which nothing is said where it was a private one.
[[nodiscard]] Json answer_of(const Tool& tool, const Json& arguments, const CallProcess::Outcome& outcome,
                             const Source& source, const Surroundings& surroundings);
/// … of what went wrong: isError, and nothing structured.
[[nodiscard]] Json error_answer(const std::string& text);
[[nodiscard]] Json error_answer(const Error& error);

}  // namespace gpulab::mcp
