// From what workers counted to the counters (common/counters.h).

#include "common/simt/counting/statistics.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "common/counters.h"
#include "common/simt/decode/program.h"
#include "common/simt/isa/kind.h"
#include "common/simt/machine/warp.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

void SiteStatistics::add(const SiteStatistics& o) {
  using Counts = std::array<std::uint64_t, sizeof(SiteStatistics) / sizeof(std::uint64_t)>;
  static_assert(sizeof(SiteStatistics) == sizeof(Counts), "a field is no 64-bit count");
  const std::uint64_t most[2] = {std::max(max_same_address[0], o.max_same_address[0]),
                                 std::max(max_same_address[1], o.max_same_address[1])};
  auto sums = std::bit_cast<Counts>(*this);
  const auto others = std::bit_cast<Counts>(o);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += others[i];
  *this = std::bit_cast<SiteStatistics>(sums);
  std::copy_n(most, 2, max_same_address);
}

ZeroPages::ZeroPages(std::size_t bytes) : bytes_((std::max<std::size_t>(bytes, 1) + 63) & ~std::size_t{63}) {
  if (bytes_ <= kMostOfHeap) {
    data_ = static_cast<std::byte*>(std::aligned_alloc(64, bytes_));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_, 0, bytes_);
    return;
  }
  void* pages = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(pages);
}
ZeroPages::~ZeroPages() {
  if (bytes_ <= kMostOfHeap)
    std::free(data_);
  else
    munmap(data_, bytes_);
}

Pattern* PatternTable::take(std::uint32_t count) {
  constexpr std::uint32_t of_a_block = 64;
  if (left_ < count) {
    blocks_.push_back(std::make_unique<Pattern[]>(of_a_block));
    left_ = of_a_block;
  }
  Pattern* const taken = blocks_.back().get() + (of_a_block - left_);
  left_ -= count;
  return taken;
}

void PatternTable::forget_allocations() {
  for (PatternCache& cache : std::span(data(), sites_)) cache.allocation = nullptr;
}

void PatternTable::grow(PatternCache& cache) {
  constexpr std::uint64_t most_beyond = (std::uint64_t{64} << 20) / sizeof(Pattern);
  if (cache.capacity == kPatternWays || (cache.capacity != 0 && beyond_ >= most_beyond)) return;
  const std::uint32_t more = cache.capacity == 0 ? 1 : cache.capacity == 1 ? 4 : kPatternWays;
  if (cache.capacity != 0) beyond_ += more;
  Pattern* const ways = take(more);
  std::copy_n(cache.ways, cache.capacity, ways);
  cache.ways = ways;
  cache.oldest = cache.capacity;
  cache.capacity = more;
}

std::uint32_t next_way(Warp& w, PatternCache& cache) {
  if (cache.oldest == cache.capacity) {
    w.worker->patterns.grow(cache);
    cache.oldest %= cache.capacity;
  }
  return cache.oldest++;
}

PhaseCounts::PhaseCounts(const Program& program) : block_counts(program.blocks.size()), sites(program.sites.size()) {}

Worker::Worker(const Program& program, const GlobalMemory& memory, std::uint32_t phase_count)
    : phases(phase_count, PhaseCounts(program)), patterns(program.sites.size()) {
  footprint.prepare(memory);
}

std::uint32_t bytes_per_lane(const Meaning& meaning) {
  if (meaning.width) return meaning.width;
  for (const auto& operand : meaning.operands) {
    if (operand.role != Role::out && operand.role != Role::in) continue;
    return bytes_of(operand.kind) * operand.vector;
  }
  return 0;
}

namespace {

/// Of a wide load that a compiler has widened further, ptxas loads the words that are used.
std::uint64_t used_local_sectors(const Site& site, std::uint32_t width, std::uint64_t sectors) {
  const std::uint32_t words = width / 4, mask = site.instruction->used_bytes;
  std::uint32_t used = 0;
  for (std::uint32_t k = 0; k < words; ++k) used += (mask >> 4 * k & 0xf) != 0;
  return used < words ? sectors / words * used : sectors;
}

void count_memory(Counters& c, const Site& site, const SiteStatistics& s) {
  const Row& row = *site.row;
  const std::uint32_t width = bytes_per_lane(row.meaning);
  const std::uint16_t traits = row.meaning.traits;
  if (traits & kAtomic) {
    c["global_atomic_requests"] += s.requests[0];
    c["shared_atomic_requests"] += s.requests[1];
    c["global_atomic_max_lanes"] = std::max(c["global_atomic_max_lanes"], s.max_same_address[0]);
    c["shared_atomic_max_lanes"] = std::max(c["shared_atomic_max_lanes"], s.max_same_address[1]);
    return;
  }
  // An instruction that loads and stores copies from global to shared memory (cp.async).
  if (traits & kLoad) {
    c["global_load_requests"] += s.requests[0];
    // What other threads' stores may change under way.
    if (site.facts & (kVolatile | kStrong)) c["global_ordered_load_requests"] += s.requests[0];
    c["global_load_sectors"] += s.sectors;
    c["global_bytes_loaded"] += s.lanes[0] * width;
    c["global_distinct_bytes_loaded"] += s.distinct_bytes;
    c["local_load_sectors"] += used_local_sectors(site, width, s.local_sectors);
  } else if (traits & kStore) {
    c["global_store_requests"] += s.requests[0];
    c["global_store_sectors"] += s.sectors;
    c["global_bytes_stored"] += s.lanes[0] * width;
    c["global_distinct_bytes_stored"] += s.distinct_bytes;
    c["local_store_sectors"] += s.local_sectors;
  }
  if (traits & kStore) {
    c["shared_store_requests"] += s.requests[1];
    c["shared_store_wavefronts"] += s.wavefronts;
    c["shared_store_bank_conflicts"] += s.wavefronts - s.ideal_wavefronts;
  } else if (traits & kLoad) {
    c["shared_load_requests"] += s.requests[1];
    c["shared_load_wavefronts"] += s.wavefronts;
    c["shared_load_bank_conflicts"] += s.wavefronts - s.ideal_wavefronts;
  }
}

}  // namespace

Tally tally_of(const Program& program, const Workers& workers, std::size_t i, std::uint32_t phase) {
  const Site& site = program.sites[i];
  Tally tally;
  for (const auto& worker : workers) {
    const PhaseCounts& counts = worker->phases[phase];
    tally.executed.warps += counts.block_counts[site.block].warps;
    tally.executed.lanes += counts.block_counts[site.block].lanes;
    tally.own.add(counts.sites[site.leader == kNoSite ? i : site.leader]);
  }
  return tally;
}

void add_site(Counters& c, const Site& site, const Tally& tally) {
  const Row& row = *site.row;
  const std::uint64_t warps = tally.executed.warps - tally.own.guard_skipped;
  c["warp_instructions"] += warps;
  c["thread_instructions"] += tally.executed.lanes - tally.own.guard_lanes_off;
  const bool conditional = (row.meaning.traits & kConditional) && !site.instruction->guard.empty();
  if (conditional || (site.facts & kTableBranch)) {
    c["branches"] += warps;
    c["divergent_branches"] += tally.own.divergent;
  }
  if (row.meaning.traits & kBarrier) c["barriers"] += warps;
  if (row.unit != Unit::constant && row.unit != Unit::param) count_memory(c, site, tally.own);
}

Counters count(const Program& program, const Workers& workers) {
  Counters c;
  for (std::size_t i = 0; i < program.sites.size(); ++i) {
    if (program.sites[i].block == kNoBlock) continue;
    for (std::uint32_t phase = 0; phase < workers[0]->phases.size(); ++phase)
      add_site(c, program.sites[i], tally_of(program, workers, i, phase));
  }
  for (std::size_t i = 1; i < workers.size(); ++i) workers[0]->footprint.merge(workers[i]->footprint);
  c["global_read_footprint_bytes"] = workers[0]->footprint.bytes(false);
  c["global_write_footprint_bytes"] = workers[0]->footprint.bytes(true);
  return c;
}

}  // namespace gpulab::simt
