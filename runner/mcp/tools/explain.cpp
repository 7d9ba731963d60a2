// explain: a kernel's source, each line with its counters, as `gpulab explain`.

#include "common/error.h"
#include "labs/registry.h"
#include "runner/mcp/tool.h"
#include "runner/mcp/tools/launch_words.h"

namespace gpulab::mcp::tool {
namespace {

Invocation of_lab(const Json& arguments, const std::vector<Lab>& labs) {
  for (const char* name : {"source", "path", "contract", "kernel", "shared", "arguments"})
    if (arguments.contains(name))
      throw usage_error(std::string("explain: 'lab' shows a kernel of the lab, and '") + name + "' is of a source",
                        "leave one of them out");
  Invocation call{.words = {"explain"}};
  for (const char* name : {"variant", "grid", "block"}) add_option(call.words, name, arguments, name);
  const auto& lab = find_lab(labs, arguments.at("lab").get<std::string>());
  call.words.insert(call.words.end(), {"--format=json", lab.name});
  return call;
}

Invocation invocation(const Json& arguments, const Surroundings& surroundings) {
  if (arguments.contains("lab")) return of_lab(arguments, *surroundings.labs);
  if (arguments.contains("variant")) throw usage_error("explain: 'variant' is of a lab", "add 'lab'");
  Invocation call{.words = {"explain"}, .source = surroundings.workplace.source_of(arguments, {".cu", ".ptx"})};
  add_launch(call.words, arguments, surroundings.workplace);
  add_option(call.words, "contract", arguments, "contract");
  call.words.insert(call.words.end(), {"--format=json", call.source.file});
  return call;
}

}  // namespace

extern const Tool explain{
    .name = "explain",
    .title = "Why a kernel is slow, line by line",
    .description =
        "Counts a kernel by source line. 'marks' name the dearest lines with the reason and what to try; 'lines' have "
        "each line's counters. Either 'lab' (and 'variant'), or a source launched as by run_kernel, or as a 'contract' "
        "does (then without grid, block and arguments).",
    .input = R"({"type": "object", "additionalProperties": false, "properties": {
      "lab": {"type": "string", "maxLength": 100, "description": "a lab of list_labs, in place of a source"},
      "variant": {"type": "string", "maxLength": 100, "description": "of the lab"},
      "source": {"type": "string", "maxLength": 1048576, "description": "CUDA C++, or PTX that begins with .version"},
      "path": {"type": "string", "maxLength": 4096, "description": "or a .cu or .ptx file below the server's folder"},
      "contract": {"type": "string", "maxLength": 200, "description": "launch it as this contract does: transpose, reduce/total"},
      "kernel": {"type": "string", "maxLength": 500},
      "grid": {"type": ["string", "integer"], "maxLength": 50},
      "block": {"type": ["string", "integer"], "maxLength": 50},
      "shared": {"type": ["string", "integer"], "maxLength": 50},
      "arguments": {"type": "array", "maxItems": 100, "items": {"type": "string", "maxLength": 65536}}}})",
    .documents = "explain",
    .invocation = invocation,
};

}  // namespace gpulab::mcp::tool
