// libFuzzer: any bytes are either a module that keeps the parser's promises or an Error; never a crash, a hang or
// memory out of proportion. Build with the preset `fuzz` (clang), then:
//   fuzz_ptx_parser_fuzz -dict=tests/fuzz/ptx.dict -max_len=20000 -timeout=5 CORPUS tests/fuzz/ptx_parser_seeds

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "common/error.h"
#include "common/ptx/flow/cfg.h"
#include "common/ptx/parser.h"
#include "tests/ptx/module_invariants.h"

namespace {

using namespace gpulab::ptx;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

/// Every label operand as a conditional branch: any text gives some graph.
void build_graph(const Function& function) {
  std::unordered_map<std::string_view, std::uint32_t> labels;
  for (const Label& label : function.labels) labels.emplace(label.name, label.instruction);
  std::vector<std::uint32_t> targets(function.instructions.size());
  std::vector<Flow> flows(function.instructions.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    flows[i].leaves = instruction.opcode == "ret";
    flows[i].falls_through = !flows[i].leaves || !instruction.guard.empty();
    if (instruction.operands.empty() || instruction.operands[0].kind != Operand::Kind::label) continue;
    targets[i] = labels.at(instruction.operands[0].name);
    flows[i].targets = {&targets[i], 1};
    flows[i].falls_through = !instruction.guard.empty();
  }
  const ControlFlowGraph graph = control_flow_graph(flows);
  for (const Block& block : graph.blocks) {
    require(block.post_dominator == ControlFlowGraph::exit || block.post_dominator < graph.blocks.size(),
            "a block without a post-dominator");
  }
}

bool parses(std::string_view text) {
  try {
    const Module module = parse(text, "fuzz.ptx");
    if (const std::string broken = broken_invariant(module); !broken.empty()) require(false, broken.c_str());
    for (const Function& function : module.functions) build_graph(function);
    return true;
  } catch (const gpulab::Error& error) {
    require(error.where.starts_with("fuzz.ptx"), "an error without a place");
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool whole = parses(text);
  try {
    const Module skipped = parse(text, "fuzz.ptx", [](std::string_view) { return false; });
    for (const Function& function : skipped.functions) require(function.instructions.empty(), "a body not skipped");
  } catch (const gpulab::Error&) {
    require(!whole, "a module that parses only as a whole");
  }
  try {
    (void)entry_names(text);
  } catch (const gpulab::Error&) {
    require(!whole, "a module that parses, but whose entries cannot be listed");
  }
  return 0;
}
