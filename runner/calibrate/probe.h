#pragma once
// A microbenchmark: a kernel made for nothing but to show one number of a GPU, and how it is launched.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab::calibrate {

/// What the probes have to know of the GPU.
struct Place {
  std::uint32_t sm_count = 1;
  double l2_bytes = 0, memory_bytes = 0;
  std::uint32_t large_blocks_per_sm = 1;  ///< of 1024 threads, at a time
};

/// Kernels take out, data, n, stride: `out` gets the cycles that the first block's loop of n turns took.
struct Probe {
  std::string id;    ///< "gather_4.l2"
  std::string name;  ///< of the kernel, as scripts/calibrate.py and tests/data/timing_probes_*.csv have it: "gather_4"
  std::uint32_t grid = 1, block = 32, n = 1, stride = 0;
  std::uint64_t elements = 1024;  ///< of `data`, 32 bits each
  bool warm = false;              ///< else L2 is overwritten before
  std::uint32_t launches = 1;
  bool graph = false;  ///< these launches as one graph
  bool host = false;   ///< what the host takes to queue them
};

/// What one took: cycles of its last launch, milliseconds between two events (the median).
struct Reading {
  double cycles = 0, ms = 0;
};
using Readings = std::map<std::string, Reading, std::less<>>;

[[nodiscard]] std::vector<Probe> probes_for(const Place& place);
/// A module with the kernel of that name.
[[nodiscard]] std::string probe_ptx(std::string_view name);

}  // namespace gpulab::calibrate
