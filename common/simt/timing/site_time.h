#pragma once
// What the warps of one SM spend their time on, by instruction: to issue it, or to wait for what it brings.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/trace/step_trace.h"

namespace gpulab::simt {

/// Cycles, summed over warps. A wait is the instruction's whose result is waited for, not its user's.
struct SiteTime {
  double issue = 0;    ///< it issues, or waits for a pipe or a slot that is taken
  double memory = 0;   ///< its value comes from global or local memory
  double shared = 0;   ///< from shared memory
  double barrier = 0;  ///< it is a barrier, and others have not come
  double result = 0;   ///< it computes, or orders
  [[nodiscard]] double total() const { return issue + memory + shared + barrier + result; }
  void add(const SiteTime& other, double scale) {
    issue += other.issue * scale;
    memory += other.memory * scale;
    shared += other.shared * scale;
    barrier += other.barrier * scale;
    result += other.result * scale;
  }
};

/// One instruction of one warp as the model issues it.
struct IssuedInstruction {
  std::uint64_t block = 0;
  std::uint32_t warp = 0, site = 0;
  double at = 0;              ///< cycle of the SM
  float waited = 0;           ///< cycles since the warp's last one
  Stall stall = Stall::none;  ///< what most of them went into
};

/// Told of each instruction of a warp as it issues. A warp's time from its start to its end is accounted for once.
class SiteAccount {
 public:
  explicit SiteAccount(std::size_t sites) : sites_(sites), space_(sites, Space::none) {}
  enum class Space : std::uint8_t { none, memory, shared };

  [[nodiscard]] bool is_on() const { return !sites_.empty(); }
  /// An access of the site went there.
  void went_to(std::uint32_t site, bool shared) { space_[site] = shared ? Space::shared : Space::memory; }
  /// A warp that could go on at `since` issues an instruction of `site` at `at`; the last of its operands was there at
  /// `ready` and is of `producer`.
  void issued(std::uint32_t site, double since, double at, double next, std::uint32_t producer, double ready) {
    const double waited = ready > since ? (ready < at ? ready : at) - since : 0;
    if (producer < sites_.size()) wait(producer) += waited;
    sites_[site].issue += next - since - (producer < sites_.size() ? waited : 0);
  }
  /// What a warp waits for that waits for what the site brings.
  [[nodiscard]] Stall stall_of(std::uint32_t site) const {
    return site >= space_.size()           ? Stall::result
           : space_[site] == Space::memory ? Stall::memory
           : space_[site] == Space::shared ? Stall::shared
                                           : Stall::result;
  }
  void waited_at_barrier(std::uint32_t site, double cycles) { sites_[site].barrier += cycles; }
  /// A fence, a branch, an instruction that is waited for at once.
  void waited_for(std::uint32_t site, double cycles) { wait(site) += cycles; }
  /// An access that has issued had to wait for room in front of memory: no wait for a slot.
  void kept_waiting(std::uint32_t site, double cycles) {
    sites_[site].issue -= cycles;
    wait(site) += cycles;
  }
  [[nodiscard]] std::vector<SiteTime> take() { return std::move(sites_); }

 private:
  double& wait(std::uint32_t site) {
    SiteTime& s = sites_[site];
    return space_[site] == Space::memory ? s.memory : space_[site] == Space::shared ? s.shared : s.result;
  }
  std::vector<SiteTime> sites_;
  std::vector<Space> space_;
};

}  // namespace gpulab::simt
