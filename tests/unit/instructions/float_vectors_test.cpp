// Results of a GPU, kept in tests/data/float_vectors.tsv, against the simulator; and that a difference would be found.

#include "tests/instructions/float_vectors.h"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "tests/catch.h"
#include "tests/folder.h"
#include "tests/instructions/kernel_case.h"

using namespace gpulab;
using namespace gpulab::simt;

namespace {

const std::string kFile = tests::tests_folder().string() + "/data/float_vectors.tsv";

FloatVectors vectors_of(const std::vector<FloatOpcode>& opcodes) {
  FloatVectors vectors{"# simulator\n", {}};
  for (const auto& opcode : opcodes)
    vectors.checksums[opcode.name] = checksums(opcode, simulate(opcode, vector_operands(opcode)));
  return vectors;
}

std::vector<FloatOpcode> some_opcodes(std::size_t stride) {
  const auto all = ieee_opcodes(instruction_set());
  std::vector<FloatOpcode> some;
  for (std::size_t i = 0; i < all.size(); i += stride) some.push_back(all[i]);
  return some;
}

GpuProfile small_gpu() {
  GpuProfile gpu;
  gpu.id = gpu.name = "test";
  gpu.compute_major = 9;
  gpu.sm_count = 4;
  gpu.max_threads_per_sm = 2048;
  gpu.max_blocks_per_sm = 32;
  gpu.registers_per_sm = gpu.registers_per_block = 65536;
  gpu.memory_bytes = std::size_t{1} << 30;
  return gpu;
}

}  // namespace

TEST_CASE("IEEE instructions give what a GPU gave") {
  if (!std::filesystem::exists(kFile)) {
    WARN("tests/data/float_vectors.tsv is not there yet: scripts/gpu_test.sh makes it on a GPU");
    return;
  }
  const auto vectors = parse_float_vectors(file_text(kFile));
  CHECK(vectors.origin.find("simulator") == std::string::npos);
  for (const auto& opcode : ieee_opcodes(instruction_set()))
    CHECK(vector_difference(vectors, opcode, simulate(opcode, vector_operands(opcode))) == "");
}

TEST_CASE("float vectors survive their file, and one wrong bit is found") {
  const auto opcodes = some_opcodes(40);
  const auto vectors = parse_float_vectors(float_vectors_text(vectors_of(opcodes)));
  CHECK(vectors.origin == "# simulator\n");
  for (const auto& opcode : opcodes) {
    auto results = simulate(opcode, vector_operands(opcode));
    CHECK(vector_difference(vectors, opcode, results) == "");
    results[300 * opcode.shape.outputs.size()] ^= 1;
    CHECK(vector_difference(vectors, opcode, results) ==
          opcode.name + ": among tries 256 to 511 a result differs from the GPU's");
    results.resize(256);
    CHECK(vector_difference(vectors, opcode, results) ==
          opcode.name + ": other operands than the file's: make it anew");
    CHECK(vector_difference({}, opcode, results) == opcode.name + ": not in the file: make it anew on a GPU");
  }
  CHECK_THROWS_WITH(parse_float_vectors("add.f32 12 \n"), "malformed checksum 12 of add.f32");
  CHECK_THROWS_WITH(parse_float_vectors("add.f32\n"), "no checksums: 'add.f32'");
}

TEST_CASE("the kernels that compare IEEE instructions on a GPU give on the simulator what their rows give") {
  const auto opcodes = some_opcodes(11);
  const auto gpu = small_gpu();
  const auto device = make_simulator(gpu);
  const auto text = float_module(opcodes, 5);
  device->load({"float", text, ""});
  for (std::size_t i = 0; i < opcodes.size(); ++i) {
    const auto columns = random_operands(opcodes[i], 300, 4);
    INFO(opcodes[i].name);
    CHECK(run_on(*device, opcodes[i], 5 + i, columns) == simulate(opcodes[i], columns));
  }
}
