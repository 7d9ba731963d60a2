// run_kernel: one kernel of any source, launched once, as `gpulab run`.

#include "runner/mcp/tool.h"
#include "runner/mcp/tools/launch_words.h"

namespace gpulab::mcp::tool {
namespace {

Invocation invocation(const Json& arguments, const Surroundings& surroundings) {
  Invocation call{.words = {"run"}, .source = surroundings.workplace.source_of(arguments, {".cu", ".ptx"})};
  auto& words = call.words;
  add_launch(words, arguments, surroundings.workplace);
  add_option(words, "profile", arguments, "profile");
  if (const auto expected = arguments.find("expect"); expected != arguments.end())
    for (const auto& one : *expected)
      words.push_back("--expect=" + surroundings.workplace.argument(one.get<std::string>()));
  if (arguments.contains("sanitize"))
    add_list(words, "sanitize", arguments, "sanitize");
  else
    words.emplace_back("--sanitize=all");
  words.insert(words.end(), {"--device=sim", "--print-limit=64Ki", "--format=json", call.source.file});
  return call;
}

}  // namespace

extern const Tool run_kernel{
    .name = "run_kernel",
    .title = "Run a CUDA kernel on the simulator",
    .description =
        "Launches one kernel of a CUDA or PTX source and tells status, findings of the sanitizer tools with file and "
        "line, "
        "counters, modelled time and what bounds it, the first values of each buffer. Arguments bind in order: "
        "'x:f32[1024]=iota' (u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64; zeros ones iota random none VALUE "
        "{1,2,3}), "
        "'n:i32=1024'; those that are left out are made up.",
    .input = R"({"type": "object", "additionalProperties": false, "properties": {
      "source": {"type": "string", "maxLength": 1048576, "description": "CUDA C++, or PTX that begins with .version"},
      "path": {"type": "string", "maxLength": 4096, "description": "or a .cu or .ptx file below the server's folder"},
      "kernel": {"type": "string", "maxLength": 500, "description": "which kernel: scale, scale<float>"},
      "grid": {"type": ["string", "integer"], "maxLength": 50, "description": "blocks: 4, 8x8, auto [auto]"},
      "block": {"type": ["string", "integer"], "maxLength": 50, "description": "threads of a block: 256, 32x8 [256]"},
      "shared": {"type": ["string", "integer"], "maxLength": 50, "description": "bytes of dynamic shared memory"},
      "arguments": {"type": "array", "maxItems": 100, "items": {"type": "string", "maxLength": 65536}},
      "expect": {"type": "array", "maxItems": 100, "items": {"type": "string", "maxLength": 65536},
        "description": "what buffers must hold afterwards: y=iota, sum={4950}"},
      "sanitize": {"type": "array", "maxItems": 5, "description": "tools [all]",
        "items": {"enum": ["all", "none", "memcheck", "racecheck", "initcheck", "synccheck"]}},
      "profile": {"type": "string", "maxLength": 100, "description": "the GPU that is modelled [h200]"}}})",
    .documents = "run",
    .invocation = invocation,
};

}  // namespace gpulab::mcp::tool
