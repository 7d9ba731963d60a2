// check_kernel: a student's kernel against a lab's contract, as `gpulab check`.

#include "labs/registry.h"
#include "runner/mcp/tool.h"

namespace gpulab::mcp::tool {
namespace {

Invocation invocation(const Json& arguments, const Surroundings& surroundings) {
  Invocation call{.words = {"check"}, .source = surroundings.workplace.source_of(arguments, {".cu"})};
  auto& words = call.words;
  for (const char* name : {"contract", "kernel", "profile"}) add_option(words, name, arguments, name);
  add_option(words, "require", arguments, "require");
  const auto& lab = find_lab(*surroundings.labs, arguments.at("lab").get<std::string>());
  words.insert(words.end(), {"--format=json", lab.name, call.source.file});
  return call;
}

}  // namespace

extern const Tool check_kernel{
    .name = "check_kernel",
    .title = "Judge a CUDA kernel against a lab's contract",
    .description =
        "Compiles the kernel and runs it on the simulator on every class of inputs that the contract names, under all "
        "sanitizer tools. 'items' say what is right, 'shapes' the first wrong elements, 'findings' file and line of "
        "each "
        "fault, 'results' counters and modelled time beside the lab's own kernels. list_labs names labs and contracts.",
    .input = R"({"type": "object", "additionalProperties": false, "required": ["lab"], "properties": {
      "lab": {"type": "string", "maxLength": 100, "description": "of list_labs: reduce, transpose …"},
      "contract": {"type": "string", "maxLength": 100, "description": "of the lab; may be left out where it has one"},
      "source": {"type": "string", "maxLength": 1048576, "description": "the kernel's CUDA C++ text"},
      "path": {"type": "string", "maxLength": 4096, "description": "or a .cu file below the server's folder"},
      "kernel": {"type": "string", "maxLength": 500, "description": "which kernel of the source"},
      "require": {"type": "array", "maxItems": 20, "items": {"type": "string", "maxLength": 200},
        "description": "what counters must be: shared_load_bank_conflicts==0, model.time_ms<=1.2*tiled_padded"},
      "profile": {"type": "string", "maxLength": 100, "description": "the GPU that is modelled [h200]"}}})",
    .documents = "check",
    .invocation = invocation,
};

}  // namespace gpulab::mcp::tool
