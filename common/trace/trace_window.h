#pragma once
// Which steps of a launch `gpulab trace` keeps.

#include <cstdint>
#include <vector>

namespace gpulab {

struct TraceWindow {
  std::vector<std::uint64_t> blocks{};  ///< by number; empty: the first ones, as many as a page shows well
  std::vector<std::uint32_t> warps{};   ///< of each of these blocks; empty: all
  std::uint64_t from = 0;               ///< steps of these warps that are passed over
  std::uint64_t events = 100'000;       ///< steps that are kept, at most
  std::uint32_t launch = 0;             ///< of several: its number
};

}  // namespace gpulab
