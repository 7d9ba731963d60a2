#pragma once
// Launches that would do again what an earlier one has done: programs that measure launch a kernel a hundred times over
// the same memory. Such a launch is not run. Its counters and its modelled time are the earlier one's, and memory holds
// already what it would store.
//
// A launch is one of these if an earlier one had the same kernel, shape and arguments; if the sectors that it loaded
// are none that it stored; and if nothing that lies where it loaded or stored has changed since. That takes a launch
// whose whole use of memory is counted (simt/counting/used_memory.h), of memory that the host changes by calls alone.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/counters.h"
#include "common/device/device.h"
#include "common/device/simulator/memory_versions.h"
#include "common/simt/counting/used_memory.h"
#include "common/simt/timing/modelled_time.h"

namespace gpulab {

class RepeatedLaunches {
 public:
  /// What a launch left for the host to take.
  struct Outcome {
    std::optional<Counters> counters;
    std::optional<ModelledTime> time;
    std::string why_no_time;
  };
  struct Launch {
    std::uintptr_t kernel = 0;
    LaunchConfig config;
    std::vector<std::byte> parameters;
  };

  explicit RepeatedLaunches(const MemoryVersions& versions) : versions_(versions) {}

  /// The outcome of an earlier launch that this one would repeat, until the next call; nullptr: it has to be run.
  [[nodiscard]] const Outcome* find(const Launch& launch) const;
  /// It has been run, and the versions of what it stored say so. The outcome may be filled in until the next call;
  /// nullptr: what it did, another would not do again.
  Outcome* ran(const Launch& launch, const simt::UsedMemory& used);

 private:
  /// Bytes of parameters, and launches: a program that never launches the same twice keeps no more.
  static constexpr std::size_t kMostLaunches = 1024;
  using Key = std::pair<std::vector<std::uint64_t>, std::vector<std::byte>>;  ///< kernel and shape, parameters
  struct Known {
    std::vector<simt::UsedAllocation> memory;
    std::uint64_t version = 0;  ///< of the memory, when the launch had ended
    Outcome outcome;
  };
  static Key key_of(const Launch& launch);

  const MemoryVersions& versions_;
  std::map<Key, Known> known_;
};

}  // namespace gpulab
