// The instruction cases and kernels that the simulator is tested with, on a GPU: the expectations are the hardware's.
#include <algorithm>
#include <string>
#include <vector>

#include "common/device/gpu/gpu.h"
#include "tests/cuda_headers_contract.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/instructions/instruction_kernel.h"
#include "tests/instructions/kernel_case.h"
#include "tests/instructions/matrix_kernel.h"

namespace gpulab::tests {
namespace {

using namespace gpulab::simt;

/// Cases whose result is the simulator's own: approximations (a GPU's are within the manual's error, not equal) and
/// the windows of generic addresses.
bool is_simulators_own(const std::string& opcode) {
  for (const char* part : {".approx", ".full", "cvta", "isspacep"})
    if (opcode.find(part) != std::string::npos) return true;
  return false;
}

std::vector<Batch> hardware_cases() {
  std::vector<Batch> all;
  for (const auto& batch : batches(instruction_set())) {
    if (is_simulators_own(batch.front().opcode) || reads_carry(batch.front().opcode)) continue;
    for (std::size_t at = 0; at < batch.size(); at += 32)
      all.emplace_back(batch.begin() + static_cast<std::ptrdiff_t>(at),
                       batch.begin() + static_cast<std::ptrdiff_t>(std::min(batch.size(), at + 32)));
  }
  return all;
}

bool knows_sm90() {
  const auto found = gpus();
  return !found.empty() && found[0].compute_major >= 9;
}

TEST_CASE("instruction cases are true of a GPU") {
  if (!gpu_present() || !knows_sm90()) return;
  const auto all = hardware_cases();
  for (const auto operands : {Operands::registers, Operands::immediates}) {
    const auto modules = instruction_modules(all, operands);
    const auto device = make_gpu(0);
    for (const auto& text : modules) device->load({"cases", text, ""});
    for (const auto& wrong : wrong_cases(*device, all, operands, CompiledBy::ptxas)) FAIL_CHECK(wrong);
  }
}

TEST_CASE("kernels of tests/ptx do on a GPU what their comments say") {
  if (!gpu_present() || !knows_sm90()) return;
  for (const auto& path : kernel_files()) {
    const std::string text = file_text(path);
    const auto device = make_gpu(0);
    device->load({path, text, ""});
    for (const auto& one : kernel_cases(path)) {
      // A fault ends the context; its message is the simulator's.
      if (!one.fault.empty() || !one.not_on_a_gpu.empty()) continue;
      INFO(one.where << ": " << one.kernel);
      CHECK(run_kernel(*device, one, AtomicOrder::any) == "");
    }
  }
}

TEST_CASE("the CUDA headers' groups, barriers, copies and fragments work on a GPU") {
  if (!gpu_present() || !knows_sm90()) return;
  for (const bool hopper : {false, true})
    for (const auto& clause : cuda_headers_contract(hopper)) {
      DYNAMIC_SECTION(clause.sentence << (hopper ? " (sm_90)" : " (sm_80)")) {
        const auto device = make_gpu(0);
        load_cuda_headers_kernels(*device, hopper);
        clause.check(*device);
      }
    }
}

TEST_CASE("every form of mma and wmma gives on a GPU what the CPU multiplies") {
  if (!gpu_present() || !knows_sm90()) return;
  const auto device = make_gpu(0);
  for (const auto& text : matrix_kernels().modules) device->load({"matrix.ptx", text, ""});
  for (const auto& kernel : matrix_kernels().kernels) CHECK(run_matrix_kernel(*device, kernel) == "");
}

}  // namespace
}  // namespace gpulab::tests
