#pragma once
// A tool of `gpulab mcp` is one file, runner/mcp/tools/NAME.cpp, which defines `extern const Tool NAME` in the
// namespace `gpulab::mcp::tool`: the build finds it there (scripts/cmake/mcp_tools.cmake). What it does is most often a
// command of ours, in a process of its own: its words, and the document that it writes.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/command.h"
#include "runner/mcp/json_line.h"
#include "runner/mcp/kept_rests.h"
#include "runner/mcp/workplace.h"

namespace gpulab::mcp {

/// What a call may use.
struct Surroundings {
  const Workplace& workplace;
  KeptRests& rests;
  Labs labs;
  std::size_t answer_bytes;
};

/// A command of ours as a call's process.
struct Invocation {
  std::vector<std::string> words;  ///< behind "gpulab"
  Source source{};                 ///< where it starts, and what is gone with the call
  /// The command's streams are a program's: its document goes to a file of its own, what it prints into the answer.
  bool runs_program = false;
};

struct Tool {
  std::string_view name, title, description;
  std::string_view input;  ///< a JSON Schema of the arguments: an object without further members
  std::string_view
      documents;  ///< the schema (`gpulab schema NAME`) of what the answer's "document" is; empty: any object
  bool read_only = true;
  /// Another process's command …
  Invocation (*invocation)(const Json& arguments, const Surroundings& surroundings) = nullptr;
  /// … or the answer at once.
  Json (*answer)(const Json& arguments, const Surroundings& surroundings) = nullptr;
  /// What of a process's document an answer has; null: all.
  Json (*view)(Json document, const Json& arguments) = nullptr;
};

/// All of them, by name.
[[nodiscard]] std::span<const Tool* const> tools();
/// Throws usage_error; null where there is none.
[[nodiscard]] const Tool* find_tool(std::string_view name);

/// As `tools/list` has it.
[[nodiscard]] Json description_of(const Tool& tool);

/// Throws usage_error where the arguments are not as the tool's schema asks.
void check_arguments(const Tool& tool, const Json& arguments);

/// Words for an option: "--grid=4" of a number or a text, one for each of an array; none where it is not there.
void add_option(std::vector<std::string>& words, const char* option, const Json& arguments, const char* name);
/// A list as one word: "--sanitize=memcheck,racecheck".
void add_list(std::vector<std::string>& words, const char* option, const Json& arguments, const char* name);

}  // namespace gpulab::mcp
