// compare: which of two kernels is faster, as `gpulab compare`.

#include "common/error.h"
#include "labs/registry.h"
#include "runner/mcp/tool.h"

namespace gpulab::mcp::tool {
namespace {

Invocation of_rungs(const Json& arguments, const std::string& lab) {
  for (const char* name : {"source", "path", "contract", "kernel", "variant"})
    if (arguments.contains(name))
      throw usage_error(
          std::string("compare: 'variants' are two kernels of the lab, and '") + name + "' is of a source",
          "leave one of them out");
  Invocation call{.words = {"compare", "--device=sim"}};
  const auto& both = arguments.at("variants");
  call.words.push_back("--variant=" + both.at(0).get<std::string>() + "," + both.at(1).get<std::string>());
  add_option(call.words, "n", arguments, "n");
  call.words.insert(call.words.end(), {"--format=json", lab});
  return call;
}

Invocation invocation(const Json& arguments, const Surroundings& surroundings) {
  const auto& lab = find_lab(*surroundings.labs, arguments.at("lab").get<std::string>()).name;
  if (arguments.contains("variants")) return of_rungs(arguments, lab);
  if (!arguments.contains("variant"))
    throw usage_error("compare: a source is compared with a kernel of the lab", "name it: 'variant'");
  Invocation call{.words = {"compare", "--device=sim"}, .source = surroundings.workplace.source_of(arguments, {".cu"})};
  for (const char* name : {"variant", "contract", "kernel", "n"}) add_option(call.words, name, arguments, name);
  call.words.insert(call.words.end(), {"--format=json", lab, call.source.file});
  return call;
}

}  // namespace

extern const Tool compare{
    .name = "compare",
    .title = "Which of two kernels is faster",
    .description =
        "Two variants of a lab ('variants'), or a source beside one ('variant'), on the same inputs at several sizes. "
        "A is the first or the lab's, B the second or the source. Right first; then faster, slower, same or undecided "
        "by modelled times, with how sure that is; counters that differ; lines that changed. Exit code 1: B is slower, "
        "or wrong.",
    .input = R"({"type": "object", "additionalProperties": false, "required": ["lab"], "properties": {
      "lab": {"type": "string", "maxLength": 100},
      "variants": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string", "maxLength": 100}},
      "variant": {"type": "string", "maxLength": 100, "description": "beside which the source is told"},
      "source": {"type": "string", "maxLength": 1048576, "description": "a kernel for the lab's contract"},
      "path": {"type": "string", "maxLength": 4096, "description": "or a .cu file below the server's folder"},
      "contract": {"type": "string", "maxLength": 100, "description": "of the lab; may be left out where it has one"},
      "kernel": {"type": "string", "maxLength": 500, "description": "which kernel of the source"},
      "n": {"type": "string", "maxLength": 200, "description": "sizes, as 2^16,2^20; of variants alone"}}})",
    .documents = "compare",
    .invocation = invocation,
};

}  // namespace gpulab::mcp::tool
