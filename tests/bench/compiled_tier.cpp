// What the compiled tier gains (common/simt/compiled): the ten kernels of ten_kernels.py, interpreted and compiled in
// turns in one process, on one thread, counters and model on; and that both leave the same.
//   compiled_tier [part of a name ...] [--rounds N]       default: all, 5 rounds
//   compiled_tier NAME --only compiled|interpreted        one of both, for a profiler
// Told is CPU time of launches, the quickest of all rounds, when the code is there: GPULAB_COMPILED=auto, after as many
// launches as it asks for, each of which waits for LLVM; how long these ran is told apart.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/embedded.h"
#include "common/gpu_profile.h"
#include "common/simt/compiled/compiled_program.h"
#include "common/simt/compiled/hot_programs.h"
#include "common/simt/isa/instruction_set.h"
#include "labs/lab.h"

namespace {

using namespace gpulab;

/// A kernel over arrays of 4 n bytes: `arrays` pointers, the last one written, then ints.
struct Measured {
  const char* name;
  const char* kernel;
  Scalar type;
  int n, arrays;
  std::vector<int> last;
  LaunchConfig config;
};

LaunchConfig blocks(int count, std::uint32_t shared = 0) {
  return {{static_cast<std::uint32_t>(count), 1, 1}, {256, 1, 1}, shared, false};
}

const Measured works[] = {
    {"shared_sequential",
     "reduce_shared_sequential<int, Sum>",
     Scalar::i32,
     1 << 22,
     2,
     {1 << 22},
     blocks(1 << 14, 1024)},
    {"neighbored", "reduce_neighbored<int, Sum>", Scalar::i32, 1 << 21, 2, {1 << 21}, blocks(1 << 13)},
    {"matmul_16", "matmul_tiled_16", Scalar::f32, 512 * 512, 3, {512}, {{32, 32, 1}, {16, 16, 1}, 0, false}},
    {"warp", "reduce_warp<int, Sum>", Scalar::i32, 1 << 22, 2, {1 << 22}, blocks(1 << 14, 1024)},
    {"look_back",
     "scan_look_back<int, Sum, Inclusive>",
     Scalar::i32,
     1 << 21,
     2,
     {-1, 1 << 21},
     blocks((1 << 21) / 4096)},
    {"collatz", "collatz", Scalar::i32, 1 << 17, 2, {1 << 17}, blocks(512)},
    {"merge_sort", "merge_sort_shared", Scalar::i32, 1 << 17, 2, {1 << 17}, blocks(256)},
    {"stencil", "stencil_of_nine", Scalar::f32, 1 << 20, 2, {1 << 20}, blocks(4096)},
    {"mma_bf16", "matmul_tensor<__nv_bfloat16>", Scalar::bf16, 256 * 256, 3, {256, 256, 256}, blocks(4)},
    {"double_local", "solve_double", Scalar::f32, 1 << 14, 2, {1 << 14}, blocks(64)},
};

std::string file_text(const char* path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Left {
  std::vector<std::byte> output;
  Counters counters;
  double modelled = 0;
  bool operator==(const Left&) const = default;
};

class Side {
 public:
  Side(const Measured& work, bool compiled) : work_(work) {
    SimulatorOptions options;
    options.threads = 1;
    options.model = true;
    options.compiled = compiled ? simt::compiled::When::automatic : simt::compiled::When::never;
    device_ = make_simulator(gpu_profile("h200"), options);
    static const std::string bench_ptx = file_text(GPULAB_BENCH_PTX);
    device_->load({"tests/bench/kernels.cu", bench_ptx, {}});
    for (const auto& k : embedded_kernels())
      if ((k.lab == "reduce" && k.file == "kernels.cu") || (k.lab == "scan" && k.file == "kernels.cu") ||
          (k.lab == "matmul" && (k.file == "kernels.cu" || k.file == "kernels_sm80.cu")))
        device_->load({std::string(k.lab) + "/" + std::string(k.file), k.ptx, {}});
    kernel_ = device_->kernel(work.kernel);
    const auto count = static_cast<std::size_t>(work.n);
    input_ = random_values(work.type, 4 * count / size_of(work.type), 42, -1000, 1000);
    for (int i = 0; i < work.arrays; ++i) arrays_.push_back(device_->allocate("array", count * 4));
    for (const auto array : arrays_) arguments_.push_back(KernelArgument::of(array));
    for (const int x : work.last) {
      if (x < 0) {  // look_back: its tiles' states, and a counter
        tiles_ = device_->allocate("tiles", kTiles);
        arguments_.push_back(KernelArgument::of(tiles_));
        arguments_.push_back(KernelArgument::of(DevicePointer(tiles_ + kTiles / 2)));
      } else {
        arguments_.push_back(KernelArgument::of(x));
      }
    }
  }
  double launch(Left& left) {
    const std::size_t bytes = std::size_t{4} * static_cast<std::size_t>(work_.n);
    for (const auto array : arrays_) device_->write(array, input_);
    device_->fill(arrays_.back(), std::byte{0xA5}, bytes);
    if (tiles_) device_->fill(tiles_, std::byte{0}, kTiles);
    const std::clock_t start = std::clock();
    device_->launch(kernel_, work_.config, arguments_);
    const double taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    left.output.resize(bytes * arrays_.size());
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      device_->read(std::span(left.output).subspan(i * bytes, bytes), arrays_[i]);
    left.counters = device_->take_counters().value_or(Counters{});
    std::string why;
    const auto model = device_->take_model(why);
    left.modelled = model ? model->ms : 0;
    return taken;
  }

 private:
  static constexpr std::size_t kTiles = 1 << 20;
  const Measured& work_;
  std::unique_ptr<Device> device_;
  Kernel kernel_;
  std::vector<std::byte> input_;
  std::vector<DevicePointer> arrays_;
  std::vector<KernelArgument> arguments_;
  DevicePointer tiles_ = 0;
};

/// Launches until the code that pays is made, or for kWarm seconds. What that took. `other`: does the same, for a
/// launch's modelled time depends on those before.
double warm(Side& tier, Side* other) {
  constexpr double kWarm = 5;
  const std::uint64_t before = simt::compiled::CompiledProgram::made();
  double taken = 0, made_at = 0;
  Left left;
  while (taken < kWarm && (made_at == 0 || taken < 2 * made_at)) {  // as long again: parts of warps come later
    taken += tier.launch(left);
    if (other) other->launch(left);
    simt::compiled::wait_for_code();
    if (made_at == 0 && simt::compiled::CompiledProgram::made() != before) made_at = taken;
  }
  return made_at;
}

double report(const Measured& work, int rounds) {
  Side interpreter(work, false), tier(work, true);
  const double first = warm(tier, &interpreter);
  double interpreted = 1e9, compiled = 1e9;
  bool same = true;
  Left a, b;
  for (int i = 0; i < rounds; ++i) {
    interpreted = std::min(interpreted, interpreter.launch(a));
    compiled = std::min(compiled, tier.launch(b));
    same = same && a == b;
  }
  const auto count = static_cast<double>(a.counters["warp_instructions"]);
  fmt::print("{:18} {:9.0f} warp instructions, interpreted {:6.2f} ns, compiled {:6.2f} ns each: {:5.2f} x; {}, {}\n",
             work.name, count, interpreted / count * 1e9, compiled / count * 1e9, interpreted / compiled,
             first > 0 ? fmt::format("code after {:.2f} s", first) : "no code", same ? "equal" : "DIFFERENT");
  std::fflush(stdout);
  return interpreted / compiled;
}

}  // namespace

int main(int argc, char** argv) {
  unsetenv("GPULAB_COMPILED");
  int rounds = 5;
  std::string only;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--rounds")
      rounds = std::stoi(argv[++i]);
    else if (word == "--only")
      only = argv[++i];
    else
      names.push_back(word);
  }
  double product = 1;
  int count = 0;
  for (const Measured& work : works) {
    const auto named = [&](const std::string& name) {
      return std::string_view(work.name).find(name) != std::string_view::npos;
    };
    if (!names.empty() && std::ranges::none_of(names, named)) continue;
    if (!only.empty()) {
      Side side(work, only == "compiled");
      Left left;
      if (only == "compiled") warm(side, nullptr);
      for (int i = 0; i < rounds; ++i) side.launch(left);
      continue;
    }
    product *= report(work, rounds);
    ++count;
  }
  if (count > 1) fmt::print("geometric mean {:.2f} x\n", std::pow(product, 1.0 / count));
}
