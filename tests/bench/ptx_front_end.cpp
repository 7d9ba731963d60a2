// How quick the PTX front end is: lexing, parsing all of a module, parsing one entry of it, listing entries, and
// control flow with register allocation per function.
// usage: bench_ptx_front_end [FILE.ptx]     default: 320 kernels of about 250 instructions each, made here

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <unordered_map>

#include "common/error.h"
#include "common/ptx/flow/allocation.h"
#include "common/ptx/parse/lexer.h"
#include "common/ptx/parser.h"

namespace {

using namespace gpulab::ptx;

/// Best of several runs, in milliseconds.
template <typename Work>
double best_ms(const Work& work) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int i = 0; i < 9; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return best;
}

std::string made_module() {
  std::string text = ".version 8.3\n.target sm_90\n.address_size 64\n";
  for (int k = 0; k < 320; ++k) {
    text += fmt::format(".visible .entry kernel_{}(\n\t.param .u64 kernel_{}_param_0\n)\n{{\n", k, k);
    text += "\t.reg .pred \t%p<50>;\n\t.reg .b32 \t%r<300>;\n\t.reg .b64 \t%rd<60>;\n";
    text += fmt::format("\tld.param.u64 \t%rd1, [kernel_{}_param_0];\n\tmov.u32 \t%r1, %tid.x;\n", k);
    for (int i = 1; i < 49; ++i) {
      text += fmt::format("\t.loc\t1 {} 3\n\tadd.s32 \t%r{}, %r{}, 7;\n", i, 4 * i + 1, 4 * i - 3);
      text += fmt::format("\tmul.wide.s32 \t%rd{}, %r{}, 4;\n\tadd.s64 \t%rd{}, %rd1, %rd{};\n", i + 2, 4 * i + 1,
                          i + 2, i + 2);
      text += fmt::format("\tld.global.u32 \t%r{}, [%rd{}+128];\n", 4 * i + 2, i + 2);
      text += fmt::format("\tsetp.lt.s32 \t%p{}, %r{}, 42;\n\t@%p{} bra \t$L__BB{}_{};\n\n", i, 4 * i + 2, i, k, i);
      text += fmt::format("\tst.global.u32 \t[%rd{}], %r{};\n\n$L__BB{}_{}:\n", i + 2, 4 * i + 2, k, i);
    }
    text += "\tret;\n}\n";
  }
  return text;
}

/// Enough of each instruction for its graph and its registers: the first operand of all but stores and branches is
/// written.
struct Analysed {
  explicit Analysed(const Function& function) : count(function.instructions.size()) {
    std::unordered_map<std::string_view, std::uint32_t> labels;
    for (const Label& label : function.labels) labels.emplace(label.name, label.instruction);
    targets.resize(count);
    reads.resize(count);
    writes.resize(count);
    flows.resize(count);
    accesses.resize(count);
    for (const Register& reg : function.registers) {
      registers.push_back({static_cast<std::uint8_t>(reg.type.size == 8 ? 1 : reg.type.size == 0 ? 2 : 0), false});
    }
    for (std::size_t i = 0; i < count; ++i) analyse(function.instructions[i], i, labels);
  }

  template <typename Labels>
  void analyse(const Instruction& instruction, std::size_t i, const Labels& labels) {
    const bool guarded = !instruction.guard.empty();
    if (guarded) reads[i].push_back(static_cast<std::uint32_t>(instruction.guard_reg));
    const bool stores = instruction.opcode.starts_with("st.") || instruction.opcode.starts_with("bra");
    for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
      const Operand& operand = instruction.operands[k];
      if (operand.kind == Operand::Kind::label) targets[i].push_back(labels.at(operand.name));
      add(operand, k == 0 && !stores ? writes[i] : reads[i], reads[i]);
    }
    flows[i] = {true, instruction.opcode == "ret", targets[i]};
    flows[i].falls_through = guarded || (targets[i].empty() && !flows[i].leaves);
    accesses[i] = {reads[i], writes[i], guarded, false};
  }

  static void add(const Operand& operand, std::vector<std::uint32_t>& list, std::vector<std::uint32_t>& bases) {
    auto& to = operand.kind == Operand::Kind::address ? bases : list;
    if (operand.reg >= 0) to.push_back(static_cast<std::uint32_t>(operand.reg));
    if (operand.second_reg >= 0) to.push_back(static_cast<std::uint32_t>(operand.second_reg));
    for (const Operand& element : operand.elements) add(element, list, bases);
  }

  std::size_t count;
  std::vector<std::vector<std::uint32_t>> targets, reads, writes;
  std::vector<Flow> flows;
  std::vector<RegisterAccess> accesses;
  std::vector<VirtualRegister> registers;
};

void report_allocation(const Module& module) {
  const auto largest = std::max_element(
      module.functions.begin(), module.functions.end(),
      [](const Function& a, const Function& b) { return a.instructions.size() < b.instructions.size(); });
  if (largest == module.functions.end() || largest->instructions.empty()) return;
  const Analysed input(*largest);
  Allocation slots;
  std::size_t blocks = 0;
  const double ms = best_ms([&] {
    const ControlFlowGraph graph = control_flow_graph(input.flows);
    blocks = graph.blocks.size();
    slots = allocate_registers(input.registers, graph, input.accesses);
  });
  const auto slot_count = std::accumulate(slots.slot_count.begin(), slots.slot_count.end(), std::uint32_t{0});
  fmt::print("largest function     {:8.3f} ms  {} instructions, {} blocks, {} registers in {} slots\n", ms, input.count,
             blocks, input.registers.size(), slot_count);
}

int run(const std::string& text) {
  const double megabytes = static_cast<double>(text.size()) / 1e6;
  const auto report = [&](const char* what, double ms) {
    fmt::print("{:20} {:8.3f} ms  {:7.0f} MB/s\n", what, ms, megabytes / ms * 1e3);
  };
  report("lexing", best_ms([&] {
           Lexer lexer(text);
           while (lexer.next().kind != TokenKind::end) {
           }
         }));
  const auto entries = entry_names(text);
  report("listing entries", best_ms([&] { (void)entry_names(text); }));
  const std::string_view middle = entries.empty() ? std::string_view() : entries[entries.size() / 2];
  report("parsing one entry",
         best_ms([&] { (void)parse(text, "bench.ptx", [&](std::string_view name) { return name == middle; }); }));
  report("parsing all", best_ms([&] { (void)parse(text, "bench.ptx"); }));
  const Module module = parse(text, "bench.ptx");
  std::size_t instructions = 0;
  for (const Function& function : module.functions) instructions += function.instructions.size();
  fmt::print("{:.1f} MB, {} entries, {} instructions\n", megabytes, entries.size(), instructions);
  report_allocation(module);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) return run(made_module());
    std::ifstream file(argv[1], std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return run(text.str());
  } catch (const gpulab::Error& error) {
    fmt::print(stderr, "error: {}: {}\n", error.where, error.what());
    return 2;
  }
}
