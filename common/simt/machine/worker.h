#pragma once
// What one CPU thread of a launch owns: counts, patterns, and what must be applied in block order.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/counters.h"
#include "common/simt/counting/statistics.h"
#include "common/simt/decode/program.h"
#include "common/simt/machine/memory.h"

namespace gpulab::simt {

/// A floating-point atomic whose result nobody reads, waiting for its block's turn.
struct DeferredAtomic {
  std::byte* host;
  std::uint64_t value;
  void (*apply)(std::byte* host, std::uint64_t value);
};

/// What a run of blocks leaves to be committed in block order.
struct BlockLog {
  std::vector<DeferredAtomic> atomics;
  std::string output;  ///< of printf
};

/// One PatternCache per site, from zeroed pages: those that no memory instruction touches cost nothing.
class PatternTable {
 public:
  explicit PatternTable(std::size_t sites);
  ~PatternTable();
  PatternTable(const PatternTable&) = delete;
  PatternTable& operator=(const PatternTable&) = delete;
  [[nodiscard]] PatternCache* data() const { return caches_; }

 private:
  PatternCache* caches_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Counts of blocks between two of their barriers.
struct PhaseCounts {
  explicit PhaseCounts(const Program& program);
  std::vector<BlockCount> block_counts;
  std::vector<SiteStatistics> sites;
};

struct Worker {
  Worker(const Program& program, const GlobalMemory& memory, std::uint32_t phase_count);
  std::vector<PhaseCounts> phases;  ///< one, where nobody asks for more (LaunchState::phases)
  PatternTable patterns;
  FootprintMap footprint;
  BlockLog log;
};
using Workers = std::vector<std::unique_ptr<Worker>>;

/// What all workers counted of one PTX instruction in one phase.
struct Tally {
  BlockCount executed;  ///< of its basic block
  SiteStatistics own;
};
[[nodiscard]] Tally tally_of(const Program& program, const Workers& workers, std::size_t site, std::uint32_t phase);
/// Adds one instruction's part to the counters.
void add_site(Counters& counters, const Site& site, const Tally& tally);
/// The counters of a launch, but for the number of its warps. Merges the workers' footprints.
[[nodiscard]] Counters count(const Program& program, const Workers& workers);

}  // namespace gpulab::simt
