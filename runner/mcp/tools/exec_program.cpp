// exec_program: a whole CUDA program, as `gpulab exec`.

#include "runner/mcp/tool.h"

namespace gpulab::mcp::tool {
namespace {

Invocation invocation(const Json& arguments, const Surroundings& surroundings) {
  Invocation call{.words = {"exec"}, .source = surroundings.workplace.source_of(arguments, {}), .runs_program = true};
  auto& words = call.words;
  if (arguments.contains("sanitize"))
    add_list(words, "sanitize", arguments, "sanitize");
  else
    words.emplace_back("--sanitize=all");
  if (arguments.value("explain", false)) words.emplace_back("--explain");
  words.insert(words.end(), {"--format=json", call.source.file, "--"});
  if (const auto given = arguments.find("arguments"); given != arguments.end()) {
    for (const auto& one : *given) {
      words.push_back(one.get<std::string>());
      surroundings.workplace.check_word(words.back(), call.source.folder);
    }
  }
  return call;
}

}  // namespace

extern const Tool exec_program{
    .name = "exec_program",
    .title = "Run a whole CUDA program on the simulator",
    .description =
        "Compiles a CUDA program, main() and all, and runs it without a GPU, confined: no network, and it may write "
        "where "
        "it starts (of 'path' the file's own folder, of 'source' a private one). 'stdout' and 'stderr' are the "
        "program's; "
        "'document' has kernels with counters and modelled time, findings and faults with file and line, leaks.",
    .input = R"({"type": "object", "additionalProperties": false, "properties": {
      "source": {"type": "string", "maxLength": 1048576, "description": "the program's text, a .cu file"},
      "path": {"type": "string", "maxLength": 4096,
        "description": "or a file below the server's folder: .cu, a program of gpulab nvcc, .py"},
      "arguments": {"type": "array", "maxItems": 100, "items": {"type": "string", "maxLength": 65536},
        "description": "the program's own"},
      "explain": {"type": "boolean", "description": "also why it is slow: 'advice', and each kernel's dearest lines"},
      "sanitize": {"type": "array", "maxItems": 6, "description": "tools [all]",
        "items": {"enum": ["all", "none", "memcheck", "racecheck", "initcheck", "synccheck", "streamcheck"]}}}})",
    .documents = "exec",
    .read_only = false,
    .invocation = invocation,
};

}  // namespace gpulab::mcp::tool
