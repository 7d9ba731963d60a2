// How fast the simulator runs: warp instructions per second of one core, counters on and off, one thread and two.
//   simulator_bench [kernel [n]]       default: shared_sequential over 2^24 ints, and neighbored and collatz beside it
// Rates are per second of one core's CPU time; the gain from two threads is of wall time, so it needs two idle cores.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <vector>

#include "common/device/simulated.h"
#include "common/embedded.h"
#include "common/gpu_profile.h"
#include "common/simt/instruction_set.h"
#include "labs/lab.h"

namespace {

using namespace gpulab;

struct Speed {
  double seconds = 0;      ///< wall
  double cpu_seconds = 0;  ///< of all threads
  std::uint64_t warp_instructions = 0;
};

Speed run(std::string_view kernel_name, int n, int threads, bool counters) {
  SimulatorOptions options;
  options.threads = threads;
  options.counters = counters;
  const auto device = make_simulator(gpu_profile("h200"), options);
  for (const auto& kernels : embedded_kernels())
    if (kernels.lab == "reduce" && kernels.file == "kernels.cu") device->load({"reduce/kernels.cu", kernels.ptx, {}});
  const Kernel kernel = device->kernel(kernel_name);
  const std::size_t bytes = static_cast<std::size_t>(n) * 4;
  const auto input = random_values(Scalar::i32, static_cast<std::size_t>(n), 42, -1000, 1000);
  const auto in = device->allocate("in", bytes), out = device->allocate("out", bytes);
  device->write(in, input);
  const std::vector<KernelArgument> arguments{KernelArgument::of(in), KernelArgument::of(out), KernelArgument::of(n)};
  const LaunchConfig config{{static_cast<std::uint32_t>((n + 255) / 256), 1, 1}, {256, 1, 1}, 1024, false};
  Speed best{1e9, 1e9, 0};
  for (int repetition = 0; repetition < 3; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    device->launch(kernel, config, arguments);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best.cpu_seconds = std::min(best.cpu_seconds, static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
    best.seconds = std::min(best.seconds, taken.count());
    if (const auto counted = device->take_counters()) best.warp_instructions = counted->warp_instructions;
  }
  return best;
}

void report(std::string_view kernel, int n) {
  const Speed one = run(kernel, n, 1, true);
  const Speed two = run(kernel, n, 2, true);
  const Speed plain = run(kernel, n, 1, false);
  fmt::print("{:40} n {:>9}  {:7.1f} M warp instructions/s and core  2 threads {:.2f} x  counters cost {:.2f} x\n",
             kernel, n, static_cast<double>(one.warp_instructions) / one.cpu_seconds / 1e6, one.seconds / two.seconds,
             one.cpu_seconds / plain.cpu_seconds);
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("CPU level {}\n", simt::cpu_level());
  if (argc > 1) {
    report(argv[1], argc > 2 ? std::stoi(argv[2]) : 1 << 24);
    return 0;
  }
  report("reduce_shared_sequential<int, Sum>", 1 << 24);
  report("reduce_neighbored<int, Sum>", 1 << 22);
  report("reduce_warp<int, Sum>", 1 << 24);
}
