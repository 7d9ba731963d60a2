#pragma once
// Launches that would do again what an earlier one has done: programs that measure launch a kernel a hundred times over
// the same memory. Such a launch is not run. Its counters and its modelled time are the earlier one's, and memory holds
// already what it would store.
//
// A launch is one of these if an earlier one had the same kernel, shape and arguments, and if nothing that lies where
// it loaded or stored has changed since. Of an allocation in which it stored what it loaded the bytes are compared
// instead with those that an earlier launch found there; if they are the same, those that it left are put there: a sum
// that the host sets to zero before each launch, an array that it gives anew to be sorted. That takes a launch whose
// whole use of memory is counted (simt/counting/used_memory.h), of memory that the host changes by calls alone.

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

  RepeatedLaunches(simt::GlobalMemory& memory, MemoryVersions& versions) : memory_(memory), versions_(versions) {}

  /// The kernel, and all of its launch but the arguments.
  [[nodiscard]] static std::vector<std::uint64_t> shape_of(const Launch& launch);

  /// The outcome of an earlier launch that this one would repeat, until the next call, and memory as it leaves it.
  /// nullptr: it has to be run.
  [[nodiscard]] const Outcome* find(const Launch& launch);
  /// It has been run, and the versions of what it stored say so. The outcome may be filled in until the next call;
  /// nullptr: what it did, another would not do again.
  Outcome* ran(const Launch& launch, const simt::UsedMemory& used);

 private:
  /// A program that never launches the same twice keeps no more launches, nor more of memory.
  static constexpr std::size_t kMostLaunches = 1024, kMostBytes = std::size_t{256} << 20;
  /// Launches of a kind that found other bytes than the one before: then it is taken to go on like that.
  static constexpr int kMostMisses = 2;
  using Key = std::pair<std::vector<std::uint64_t>, std::vector<std::byte>>;  ///< kernel and shape, parameters
  /// What a launch found and left where it loads and stores.
  struct Contents {
    std::uint64_t address = 0;
    std::vector<std::byte> before, after;
  };
  struct Known {
    std::vector<simt::UsedAllocation> memory;
    std::uint64_t version = 0;  ///< of the memory, when the launch had ended
    std::vector<Contents> contents;
    bool has_contents = false;  ///< of a launch that has ended
    int misses = 0;
    Outcome outcome;
  };
  static Key key_of(const Launch& launch) { return {shape_of(launch), launch.parameters}; }
  /// Of what it has not compared by bytes.
  [[nodiscard]] bool is_as_it_was(const Known& known) const;
  /// The bytes that the launch is about to find, where an earlier one has said which these are.
  void keep_before(Known& known);
  void keep_after(Known& known);
  void drop_contents(Known& known);

  simt::GlobalMemory& memory_;
  MemoryVersions& versions_;
  std::map<Key, Known> known_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace gpulab
