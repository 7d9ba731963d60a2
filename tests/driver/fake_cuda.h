#pragma once
// A stand-in for libcuda.so.1, so that the GPU device is tested where there is no GPU: it keeps memory, modules,
// contexts and events in books that must balance, runs a few of tests/device/kernels.cu on the host, and fails as the
// real driver does where it is told to. What the hardware does is for scripts/gpu_test.sh.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpulab::tests {

struct FakeCuda {
  int contexts = 0, modules = 0, linkers = 0, allocations = 0, events = 0;  ///< alive
  int streams = 0, graphs = 0, executables = 0, locked = 0;                 ///< alive; locked: blocks of host memory
  std::vector<std::string> compiled;  ///< PTX texts handed over, the timer's excepted
  std::vector<std::string> launched;  ///< entries, in order
  int cooperative_launches = 0;
  std::vector<std::string> queued;  ///< "launch 1", "to device 2": what on which stream, by the order of their making
  int replays = 0;                  ///< graphs launched
  std::vector<std::string> linked;  ///< "name: first bytes" of what was linked
  int opted_in_shared_bytes = 0;
  std::uint64_t sm_mhz = 1755;  ///< what the timer's kernel sees
};

}  // namespace gpulab::tests

/// The books of the loaded driver; exported for the tests.
extern "C" gpulab::tests::FakeCuda* fake_cuda();
