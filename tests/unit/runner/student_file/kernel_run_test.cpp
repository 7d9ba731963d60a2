// Whole kernels on the simulator (tests/ptx/*.ptx), on every x86-64 level of this CPU and with one thread and two. Rows
// that no instruction case can run (memory, control, barriers, collectives) must occur in one of them.

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/launch_error.h"
#include "common/ptx/parser.h"
#include "common/simt/isa/instruction_set.h"
#include "tests/catch.h"
#include "tests/instructions/instruction_case.h"
#include "tests/instructions/instruction_kernel.h"
#include "tests/instructions/kernel_case.h"
#include "tests/instructions/matrix_kernel.h"

using namespace gpulab;
using namespace gpulab::simt;

namespace {

GpuProfile small_gpu() {
  GpuProfile gpu;
  gpu.id = gpu.name = "test";
  gpu.compute_major = 9;
  gpu.sm_count = 4;
  gpu.max_threads_per_sm = 2048;
  gpu.max_blocks_per_sm = 32;
  gpu.registers_per_sm = gpu.registers_per_block = 65536;
  gpu.shared_bytes_per_sm = 233472;
  gpu.shared_bytes_per_block = 49152;
  gpu.shared_bytes_per_block_optin = 232448;
  gpu.memory_bytes = std::size_t{1} << 30;
  return gpu;
}

void run_case_on(const GpuProfile& gpu, const KernelCase& one, const std::string& text, int threads) {
  SimulatorOptions options;
  options.threads = threads;
  options.budget = 10'000'000;
  const auto device = make_simulator(gpu, options);
  INFO(one.where << ": " << one.kernel << " at level " << cpu_level() << ", threads: " << threads);
  std::string wrong, message;
  try {
    device->load({one.where, text, ""});
    wrong = run_kernel(*device, one, AtomicOrder::by_lane);
  } catch (const Error& error) {
    message = fmt::format("{} {} {}", error.what(), error.where, error.hint);
  }
  CHECK(wrong == "");
  if (one.fault.empty())
    CHECK(message == "");
  else
    CHECK_THAT(message, ContainsSubstring(one.fault));
}

struct LevelGuard {
  std::string_view level = cpu_level();
  ~LevelGuard() { use_cpu_level(level); }
};

/// Whether a PTX instruction's operands have the row's shape.
bool has_shape(const Row& row, const ptx::Instruction& instruction) {
  std::size_t next = 0;
  for (const auto& operand : row.meaning.operands) {
    if (operand.role == Role::none) break;
    if (operand.role == Role::optional_out && next > 0) continue;
    if (next == instruction.operands.size()) {
      if (operand.role != Role::optional_in) return false;
      continue;
    }
    const auto& given = instruction.operands[next++];
    const std::size_t width = given.kind == ptx::Operand::Kind::vector ? given.elements.size() : 1;
    if (width != operand.vector) return false;
    if ((operand.role == Role::address) != (given.kind == ptx::Operand::Kind::address)) return false;
  }
  return next == instruction.operands.size();
}

void add_rows(const std::string& text, std::set<const Row*>& rows) {
  const auto module = ptx::parse(text, "kernels");
  for (const auto& function : module.functions)
    for (const auto& instruction : function.instructions)
      for (const auto& entry : instruction_set().find(instruction.opcode))
        if (instruction.call >= 0 || has_shape(*entry.row, instruction)) rows.insert(entry.row);
}
std::set<const Row*> rows_in_kernels() {
  std::set<const Row*> rows;
  for (const auto& path : kernel_files()) add_rows(file_text(path), rows);
  for (const auto& text : tests::matrix_kernels().modules) add_rows(text, rows);
  return rows;
}

}  // namespace

TEST_CASE("every kernel of tests/ptx does what its comments say, at every CPU level, with one thread and two") {
  const LevelGuard guard;
  const GpuProfile gpu = small_gpu();
  for (const auto level : cpu_levels()) {
    use_cpu_level(level);
    for (const auto& path : kernel_files()) {
      const std::string text = file_text(path);
      for (const auto& one : kernel_cases(path))
        for (const int threads : {1, 2}) run_case_on(gpu, one, text, threads);
    }
  }
}

/// Batches of at most a warp's lanes.
std::vector<Batch> warps_of_cases() {
  std::vector<Batch> all;
  for (const auto& batch : batches(instruction_set())) {
    if (reads_carry(batch.front().opcode)) continue;  // which is undefined where a kernel begins
    for (std::size_t at = 0; at < batch.size(); at += kLanes)
      all.emplace_back(batch.begin() + static_cast<std::ptrdiff_t>(at),
                       batch.begin() + static_cast<std::ptrdiff_t>(std::min(batch.size(), at + kLanes)));
  }
  return all;
}

TEST_CASE("instruction cases hold in kernels too, guarded, with registers and with immediates") {
  const GpuProfile gpu = small_gpu();
  const auto all = warps_of_cases();
  for (const auto operands : {Operands::registers, Operands::immediates}) {
    const auto modules = instruction_modules(all, operands);
    const auto device = make_simulator(gpu);
    for (const auto& text : modules) device->load({"cases", text, ""});
    for (const auto& wrong : wrong_cases(*device, all, operands, CompiledBy::simulator)) FAIL_CHECK(wrong);
  }
}

TEST_CASE("an instruction row that neither a case nor a kernel runs fails the tests") {
  auto covered = rows_in_kernels();
  for (const auto& one : all_cases(instruction_set())) covered.insert(one.row);
  std::string missing;
  for (const auto& table : instruction_set().tables())
    for (const Row& row : table)
      if (row.form[0] != '%' && covered.count(&row) == 0) missing += fmt::format("{}\n", row.form);  // %: decode's own
  CHECK(missing == "");
}
