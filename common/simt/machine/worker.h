#pragma once
// What one CPU thread of a launch owns: counts, patterns, and what must be applied in block order.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/counters.h"
#include "common/simt/counting/statistics.h"
#include "common/simt/decode/program.h"
#include "common/simt/machine/memory/memory.h"

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
  std::string output;     ///< of printf
  std::uint64_t cut = 0;  ///< bytes of printf that are more than the launch may print
  [[nodiscard]] std::uint64_t bytes() const { return atomics.size() * sizeof(DeferredAtomic) + output.size(); }
};

/// Zeroed memory, aligned to 64 bytes. Much of it has pages of its own: what nobody touches costs nothing. A little
/// comes from the heap, for a mapping takes longer than to clear that, and kernels that launch kernels make two for
/// each.
class ZeroPages {
 public:
  explicit ZeroPages(std::size_t bytes);
  ~ZeroPages();
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  static constexpr std::size_t kMostOfHeap = 16 << 10;
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

/// One PatternCache per site, from zeroed pages: those that no memory instruction touches cost nothing. Their ways come
/// out of blocks, and stay there until the table ends.
class PatternTable {
 public:
  explicit PatternTable(std::size_t sites) : sites_(sites), pages_(sites * sizeof(PatternCache)) {}
  [[nodiscard]] PatternCache* data() const { return reinterpret_cast<PatternCache*>(pages_.data()); }
  /// No cache knows any more which allocation its last access lay in.
  void forget_allocations();
  /// Gives a cache room for more patterns, while the table has any to give beyond a first for each.
  void grow(PatternCache& cache);

 private:
  [[nodiscard]] Pattern* take(std::uint32_t count);
  std::size_t sites_;
  ZeroPages pages_;  ///< zero bytes are empty caches
  std::vector<std::unique_ptr<Pattern[]>> blocks_;
  std::uint32_t left_ = 0;    ///< of the last block
  std::uint64_t beyond_ = 0;  ///< patterns given beyond a first for each
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
  /// Commits what is in the log, when all blocks before have: called where it has grown large. Empty: nobody does.
  std::function<void()> commit_so_far;
  std::uint64_t saved_register_bytes = 0;  ///< by calls that have not returned (calls.cpp)
  std::uint64_t queued_bytes = 0;          ///< by copies that have not finished (async.cpp)
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
