// How fast the simulator runs: warp instructions per second of one core, counters on and off, with modelled time, one
// thread and two, and what all sanitizer tools cost; then what a launch of a small kernel takes.
//   simulator_bench [part of a kernel's name]       default: all of `workloads`, and small launches
//   simulator_bench PART N [nothing|model]          N launches on one thread, counters on, and nothing else; or without
//                                                   counters, or with modelled time
// tools_off.py runs it in turns with the same of a simulator that was built without the tools: what they cost when
// nobody asks for them. Rates are per second of one core's CPU time; the gain from two threads is of wall time, so it
// needs two idle cores.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/embedded.h"
#include "common/gpu_profile.h"
#include "common/simt/isa/instruction_set.h"
#include "labs/lab.h"
#include "tests/all_tools.h"

namespace {

using namespace gpulab;

/// A kernel over arrays of n 4-byte elements: `arrays` pointers, the last one written, then the int `last`.
struct Workload {
  const char* kernel;
  bool floats;
  int n;
  int arrays;
  int last;
  LaunchConfig config;
};

LaunchConfig blocks_of_256(int n) { return {{static_cast<std::uint32_t>(n / 256), 1, 1}, {256, 1, 1}, 1024, false}; }
Workload vector_kernel(const char* kernel, int n, bool floats = false) {
  return {kernel, floats, n, 2, n, blocks_of_256(n)};
}
Workload square_kernel(const char* kernel, std::uint32_t n, std::uint32_t tile) {
  return {kernel,
          true,
          static_cast<int>(n * n),
          3,
          static_cast<int>(n),
          {{n / tile, n / tile, 1}, {tile, tile, 1}, 0, false}};
}

const Workload workloads[] = {
    vector_kernel("reduce_shared_sequential<int, Sum>", 1 << 24),
    vector_kernel("reduce_neighbored<int, Sum>", 1 << 22),
    vector_kernel("reduce_warp<int, Sum>", 1 << 24),
    square_kernel("matmul_tiled_16", 512, 16),
    square_kernel("matmul_tiled_32", 512, 32),
    vector_kernel("collatz", 1 << 17),
    vector_kernel("collatz_select", 1 << 17),
    vector_kernel("polynomial", 1 << 20, true),
    vector_kernel("copy", 1 << 24),
    {"merge_sort_shared", false, 1 << 17, 2, 1 << 17, {{256, 1, 1}, {256, 1, 1}, 0, false}},
    {"insertion_sort_local", false, 1 << 18, 2, 1 << 18, {{64, 1, 1}, {128, 1, 1}, 0, false}},
    vector_kernel("subsequence_local", 1 << 14),
    vector_kernel("histogram_scattered", 1 << 16),
    vector_kernel("polynomial_half", 1 << 16),
    vector_kernel("bodies", 1 << 12, true),
    vector_kernel("stencil_of_nine", 1 << 20, true),
    vector_kernel("solve_double", 1 << 14, true),
};

struct Speed {
  double seconds = 0;      ///< wall
  double cpu_seconds = 0;  ///< of all threads
  std::uint64_t warp_instructions = 0;
};

std::string file_text(const char* path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void load_kernels(Device& device) {
  static const std::string bench_ptx = file_text(GPULAB_BENCH_PTX);
  device.load({"tests/bench/kernels.cu", bench_ptx, {}});
  for (const auto& kernels : embedded_kernels())
    if (kernels.lab == "reduce" && kernels.file == "kernels.cu") device.load({"reduce/kernels.cu", kernels.ptx, {}});
}

enum class With { nothing, counters, model, tools };

Speed run(const Workload& work, int threads, With with, int launches = 5) {
  SimulatorOptions options;
  options.threads = threads;
  options.counters = with != With::nothing;
  options.model = with == With::model;
  if (with == With::tools) options.sanitize = tests::all_tools();
  const auto device = make_simulator(gpu_profile("h200"), options);
  load_kernels(*device);
  const Kernel kernel = device->kernel(work.kernel);
  const auto count = static_cast<std::size_t>(work.n);
  const auto input = random_values(work.floats ? Scalar::f32 : Scalar::i32, count, 42, -1000, 1000);
  std::vector<KernelArgument> arguments;
  DevicePointer output = 0;
  for (int i = 0; i < work.arrays; ++i) {
    const auto array = device->allocate("array", count * 4);
    device->write(array, input);
    arguments.push_back(KernelArgument::of(array));
    output = array;
  }
  arguments.push_back(KernelArgument::of(work.last));
  Speed best{1e9, 1e9, 0};
  for (int launch = 0; launch < launches; ++launch) {
    // Outputs are poisoned, as a lab's are: the tools treat a store of the value already there as another case.
    device->fill(output, std::byte{0xA5}, count * 4);
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    device->launch(kernel, work.config, arguments);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best.cpu_seconds = std::min(best.cpu_seconds, static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
    best.seconds = std::min(best.seconds, taken.count());
    if (const auto counted = device->take_counters()) best.warp_instructions = (*counted)["warp_instructions"];
  }
  return best;
}

void report(const Workload& work) {
  const Speed one = run(work, 1, With::counters);
  const auto rate = [&](const Speed& speed) {
    return static_cast<double>(one.warp_instructions) / speed.cpu_seconds / 1e6;
  };
  fmt::print(
      "{:36} n {:>9}  M warp instructions/s and core: {:6.1f}, without counters {:6.1f}, with modelled time {:6.1f}",
      work.kernel, work.n, rate(one), rate(run(work, 1, With::nothing)), rate(run(work, 1, With::model)));
  fmt::print("  2 threads {:.2f} x", one.seconds / run(work, 2, With::counters).seconds);
#ifdef GPULAB_WITHOUT_TOOLS
  fmt::print("  without tools\n");
#else
  fmt::print("  tools {:.1f} x\n", run(work, 1, With::tools).cpu_seconds / one.cpu_seconds);
#endif
  std::fflush(stdout);
}

/// What a launch costs whose kernel does next to nothing.
void report_small_launches() {
  for (const With with : {With::counters, With::nothing}) {
    const Speed speed = run(vector_kernel("copy", 1 << 12), 1, with, 1000);
    fmt::print("a launch of 4096 threads that copy, {}: {:.1f} us\n",
               with == With::counters ? "counted" : "not counted", 1e6 * speed.seconds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("CPU level {}\n", simt::cpu_level());
  const With with = argc < 4 ? With::counters : std::string_view(argv[3]) == "model" ? With::model : With::nothing;
  for (const Workload& work : workloads) {
    if (argc > 1 && std::string_view(work.kernel).find(argv[1]) == std::string_view::npos) continue;
    if (argc > 2)
      fmt::print("{} {:.3f} ms\n", work.kernel, 1e3 * run(work, 1, with, std::stoi(argv[2])).cpu_seconds);
    else
      report(work);
  }
  if (argc < 2) report_small_launches();
}
