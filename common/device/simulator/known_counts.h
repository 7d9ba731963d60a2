#pragma once
// Launches that count what an earlier one has counted, over other data: a solver's steps, a network's layers. Such a
// launch is run, but nothing of it is counted, traced or modelled: its counters and its modelled time are the earlier
// one's.
//
// A launch is one of these if two earlier ones had the same kernel and shape, and the same arguments as far as these
// choose branches and addresses, and if nothing that memory holds chooses any (simt/counting/data_dependence.h). Then
// each warp executes the same instructions and accesses the same addresses.

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/device/simulator/kernel_library.h"
#include "common/device/simulator/repeated_launches.h"
#include "common/simt/counting/data_dependence.h"

namespace gpulab {

class KnownCounts {
 public:
  using Launch = RepeatedLaunches::Launch;
  struct Known {
    int counted = 0;  ///< launches
    simt::UsedMemory used;
    RepeatedLaunches::Outcome outcome;
  };
  /// What two earlier launches counted that this one would count, until the next call of ran(). nullptr: nobody knows.
  [[nodiscard]] const Known* find(const LoadedKernel& kernel, const Launch& launch);
  /// It has been run and counted, and used this memory. Where another may count the same, the outcome to fill in, which
  /// stays until the next call; nullptr otherwise.
  RepeatedLaunches::Outcome* ran(const LoadedKernel& kernel, const Launch& launch, simt::UsedMemory used);

 private:
  static constexpr std::size_t kMostLaunches = 1024;
  /// The first finds L2 as whatever came before has left it; from the second on its modelled time is the same.
  static constexpr int kCounted = 2;
  using Key = std::pair<std::vector<std::uint64_t>, std::vector<std::byte>>;  ///< kernel and shape, parameters
  [[nodiscard]] Key key_of(const LoadedKernel& kernel, const Launch& launch) const;

  std::map<std::uintptr_t, simt::CountsDependOn> depend_on_;  ///< by kernel, of those that have been launched
  std::map<Key, Known> known_;
};

}  // namespace gpulab
