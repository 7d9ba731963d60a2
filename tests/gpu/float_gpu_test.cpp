// Floating point on a GPU against the simulator, bit by bit. Run by scripts/gpu_test.sh, which says with
//     GPULAB_FLOAT_TRIES      how many random operands each instruction gets (65536 where it says nothing)
//     GPULAB_FLOAT_VECTORS    where to write what tests/data/float_vectors.tsv keeps for machines without a GPU
#include <fmt/format.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <string>
#include <vector>

#include "common/device/gpu.h"
#include "tests/gpu/gpu_fixture.h"
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

std::size_t random_tries() {
  const char* tries = std::getenv("GPULAB_FLOAT_TRIES");
  return tries == nullptr ? 65536 : std::strtoull(tries, nullptr, 0);
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
    const auto kept = vector_operands(opcode), random = random_operands(opcode, random_tries(), 3);
    const auto results = run_on(*device, opcode, number, kept);
    vectors.checksums[opcode.name] = checksums(opcode, results);
    found.compare(opcode, kept, results, simulate(opcode, kept));
    found.compare(opcode, random, run_on(*device, opcode, number, random), simulate(opcode, random));
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

}  // namespace
}  // namespace gpulab::tests
