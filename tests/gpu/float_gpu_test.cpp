// Floating point on a GPU against the simulator, bit by bit. Run by scripts/gpu_test.sh, which says with
//     GPULAB_FLOAT_TRIES      how many random operands each instruction gets (4096 where it says nothing)
//     GPULAB_FLOAT_VECTORS    where to write what tests/data/float_vectors.tsv keeps for machines without a GPU
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "common/device/gpu/gpu.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/instructions/approximation.h"
#include "tests/instructions/float_vectors.h"

namespace gpulab::tests {
namespace {

using namespace gpulab::simt;

constexpr std::size_t kKernelsEach = 16;  // a device searches a module's whole text for a kernel

bool knows_sm90() {
  const auto found = gpus();
  return !found.empty() && found[0].compute_major >= 9;
}

std::deque<std::string> load_modules(Device& device, const std::vector<FloatOpcode>& opcodes) {
  std::deque<std::string> modules;
  for (std::size_t first = 0; first < opcodes.size(); first += kKernelsEach) {
    const auto count = std::min(kKernelsEach, opcodes.size() - first);
    modules.push_back(float_module(std::span(opcodes).subspan(first, count), first));
    device.load({"float", modules.back(), ""});
  }
  return modules;
}

/// Random operands and what the simulator makes of them: worked out by another thread.
struct Slice {
  Columns columns;
  Results simulator;
};
constexpr std::size_t kSliceTries = 65536;

std::vector<std::future<Slice>> slices_of(const FloatOpcode& opcode) {
  const char* wanted = std::getenv("GPULAB_FLOAT_TRIES");
  const std::size_t tries = wanted == nullptr ? 4096 : std::strtoull(wanted, nullptr, 0);
  std::vector<std::future<Slice>> slices;
  for (std::size_t at = 0; at < tries; at += kSliceTries)
    slices.push_back(std::async(std::launch::async, [&opcode, at, count = std::min(kSliceTries, tries - at)] {
      Slice slice{random_operands(opcode, count, 3 + at), {}};
      slice.simulator = simulate(opcode, slice.columns);
      return slice;
    }));
  return slices;
}

/// How often two devices disagree, and where first.
struct Disagreement {
  std::size_t results = 0, nans = 0;  ///< `nans`: of these, where both are some NaN
  std::string first, first_nan;

  void compare(const FloatOpcode& opcode, const Columns& columns, const Results& gpu, const Results& simulator) {
    const std::size_t outputs = opcode.shape.outputs.size();
    for (std::size_t i = 0; i < gpu.size(); ++i) {
      if (gpu[i] == simulator[i]) continue;
      const bool both_nan = is_nan_of(opcode, gpu[i]) && is_nan_of(opcode, simulator[i]);
      ++(both_nan ? nans : results);
      auto& text = both_nan ? first_nan : first;
      const Kind kind = opcode.shape.outputs[i % outputs].kind;
      if (text.empty())
        text = fmt::format("{}: GPU {}, simulator {}", shown_try(opcode, columns, i / outputs), shown(gpu[i], kind),
                           shown(simulator[i], kind));
    }
  }
};

void write_vectors(const FloatVectors& vectors) {
  if (const char* path = std::getenv("GPULAB_FLOAT_VECTORS")) {
    std::ofstream stream(path);
    stream << float_vectors_text(vectors);
    CHECK(stream.good());
  }
}

TEST_CASE("every IEEE instruction gives on a GPU, bit by bit, what it gives on the simulator") {
  if (!gpu_present() || !knows_sm90()) return;
  const auto opcodes = ieee_opcodes(instruction_set());
  const auto device = make_gpu(0);
  const auto modules = load_modules(*device, opcodes);
  const char* driver = std::getenv("GPULAB_DRIVER_VERSION");
  FloatVectors vectors;
  vectors.origin = fmt::format(
      "# {}, driver {} (CUDA {})\n# Checksums of results: tests/instructions/float_vectors.h\n", device->info().name,
      driver == nullptr ? "unknown" : driver, driver_cuda_version().value_or("unknown"));
  std::string payloads;
  for (std::size_t number = 0; number < opcodes.size(); ++number) {
    const auto& opcode = opcodes[number];
    Disagreement found;
    auto slices = slices_of(opcode);
    const auto kept = vector_operands(opcode);
    const auto results = run_on(*device, opcode, number, kept);
    vectors.checksums[opcode.name] = checksums(opcode, results);
    found.compare(opcode, kept, results, simulate(opcode, kept));
    for (auto& coming : slices) {
      const Slice slice = coming.get();
      found.compare(opcode, slice.columns, run_on(*device, opcode, number, slice.columns), slice.simulator);
    }
    if (found.results != 0) FAIL_CHECK(found.results << " results differ, the first: " << found.first);
    if (found.nans == 0) continue;
    const auto nans = fmt::format("{} NaNs differ, the first: {}", found.nans, found.first_nan);
    if (has_open_nan(opcode))
      payloads += nans + "\n";
    else
      FAIL_CHECK(nans);
  }
  if (!payloads.empty()) WARN("NaNs that the manual leaves open:\n" << payloads);
  write_vectors(vectors);
}

// An H100 and an H200 exceed three bounds by up to 5 %: cos.approx within ±2 pi, ex2.approx.f32, tanh.approx.bf16. Of
// the first two the simulator gives an H100's bits, and is as far off.
TEST_CASE("approximations are within the manual's bounds, and a GPU's are told beside them") {
  if (!gpu_present() || !knows_sm90()) return;
  std::vector<FloatOpcode> opcodes;
  for (const auto& one : approximations()) opcodes.push_back(opcode_of(one));
  const auto device = make_gpu(0);
  const auto modules = load_modules(*device, opcodes);
  std::string lines;
  for (std::size_t number = 0; number < opcodes.size(); ++number) {
    const auto& one = approximations()[number];
    const auto columns = range_operands(one, 1 << 20);
    const auto gpu = largest_error(one, columns, run_on(*device, opcodes[number], number, columns));
    const auto simulator = largest_error(one, columns, simulate(opcodes[number], columns));
    const bool above = one.documented != 0 && gpu.error > one.documented;
    lines += fmt::format("{:21} {:17} {:>9} {:>11} {:>11}{}\n", one.opcode, one.range, shown_error(one, one.documented),
                         shown_error(one, simulator.error), shown_error(one, gpu.error),
                         above ? "  above the manual's, at " + gpu.where : "");
    INFO(simulator.where << ", GPU: " << gpu.where);
    if (one.documented == 0) continue;
    CHECK(simulator.error <= std::max(one.documented, gpu.error));
    CHECK(gpu.error <= 1.1 * one.documented);  // wrong operands or a wrong reference would be far off
  }
  WARN("largest errors: instruction, range, the manual's bound, the simulator's, " << device->info().name << "'s\n"
                                                                                   << lines);
}

}  // namespace
}  // namespace gpulab::tests
