#pragma once
// What one CPU thread of a launch owns: counts, patterns, and what must be applied in block order.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/simt/memory.h"
#include "common/simt/program.h"
#include "common/simt/statistics.h"

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

struct Worker {
  explicit Worker(const Program& program, const GlobalMemory& memory);
  std::vector<BlockCount> block_counts;
  std::vector<SiteStatistics> sites;
  PatternTable patterns;
  FootprintMap footprint;
  BlockLog log;
};

}  // namespace gpulab::simt
