#include "common/simt/timing/sm_memory.h"

#include <algorithm>

namespace gpulab::simt {

namespace {

constexpr std::uint32_t kWays = 8;

/// L2 has two halves, and a line lies in the nearer or in the farther one: 1 or -1. Which one is the hardware's secret;
/// a hash of the address spreads lines as evenly.
double far_side(std::uint64_t sector) { return (((sector >> 2) * 0x9e3779b97f4a7c15u) >> 63) != 0 ? 1.0 : -1.0; }

}  // namespace

SmMemory::SmMemory(const GpuTiming& gpu, const MemoryShare& share, SmResult& result)
    : gpu_(gpu),
      share_(share),
      result_(result),
      lines_(std::max<std::uint32_t>(share.l1_bytes / 128 / kWays, 1) * kWays) {}

/// The memory pipe takes a request for so many cycles.
double SmMemory::pass(double now, double cycles) {
  const double start = std::max(now, pipe_free_);
  pipe_free_ = start + cycles;
  result_.l1 += cycles;
  return start;
}

SmMemory::Line& SmMemory::line_of(std::uint64_t tag) {
  const std::size_t sets = lines_.size() / kWays;
  Line* set = lines_.data() + (tag ^ tag >> 9) % sets * kWays;
  Line* oldest = set;
  for (std::uint32_t way = 0; way < kWays; ++way) {
    if (set[way].tag == tag) {
      set[way].used = ++clock_;
      return set[way];
    }
    if (set[way].used < oldest->used) oldest = set + way;
  }
  *oldest = Line{tag, ++clock_, {}};
  return *oldest;
}

/// A sector from L2, or from DRAM where L2 does not hold it: DRAM brings two neighbours at once.
double SmMemory::fetch(double now, std::uint64_t sector, bool in_l2) {
  ++result_.missed;
  const double start = std::max(now, l2_free_), cycles = 32 / share_.l2_bytes_per_cycle;
  l2_free_ = start + cycles;
  result_.l2 += cycles;
  const double side = far_side(sector);
  const double from_l2 = start + gpu_.l2_latency + side * gpu_.l2_spread;
  if (in_l2) return from_l2;
  miss_debt_ += in_l2_.insert(sector >> 1).second ? share_.misses : share_.again;
  if (miss_debt_ < 1) return from_l2;
  miss_debt_ -= 1;
  const double bytes = 64 * share_.read_cost;
  const double begin = std::max(start, dram_free_), busy = bytes / share_.dram_bytes_per_cycle;
  dram_free_ = begin + busy;
  result_.dram += busy;
  return begin + gpu_.dram_latency + side * gpu_.dram_spread;
}

double SmMemory::load(double now, std::span<const std::uint64_t> sectors, std::uint32_t lines, bool cached,
                      bool in_l2) {
  const double wide = static_cast<double>(sectors.size()) * 32 / gpu_.l1_bytes_per_cycle;
  const double start = pass(now, std::max({1.0, static_cast<double>(lines), wide}));
  double last = start + gpu_.l1_latency;
  result_.sectors += sectors.size();
  for (const std::uint64_t sector : sectors) {
    double& there = line_of(sector >> 2).there[sector & 3];
    if (!cached || there == 0) there = fetch(start, sector, in_l2);
    last = std::max(last, there);
  }
  return last;
}

void SmMemory::store(double now, std::span<const std::uint64_t> sectors, std::uint32_t lines) {
  const double start = pass(now, std::max<double>(1.0, lines));
  for (const std::uint64_t sector : sectors) {
    const double cycles = 32 / std::min(share_.l2_bytes_per_cycle, gpu_.store_bytes_per_cycle);
    store_free_ = std::max(start, store_free_) + cycles;
    result_.l2 += 32 / share_.l2_bytes_per_cycle;
    if (!written_.insert(sector).second) continue;
    in_l2_.insert(sector >> 1);
    const double busy = 32 / share_.dram_bytes_per_cycle;
    dram_free_ = std::max(start, dram_free_) + busy;
    result_.dram += busy;
  }
  // Stores wait in no register, but the way to L2 is only so long.
  constexpr double queue = 2000;
  pipe_free_ = std::max({pipe_free_, store_free_ - queue, dram_free_ - queue});
}

double SmMemory::atomic(double now, std::span<const std::uint64_t> sectors, std::uint32_t lines) {
  const double start = pass(now, std::max<double>(1.0, lines));
  for (std::size_t i = 0; i < sectors.size(); ++i) {
    const double cycles = 32 / share_.l2_bytes_per_cycle;
    l2_free_ = std::max(start, l2_free_) + cycles;
    result_.l2 += cycles;
  }
  return std::max(start, l2_free_) + gpu_.atomic_latency;
}

double SmMemory::shared(double now, double wavefronts) {
  const double start = pass(now, wavefronts);
  result_.l1 -= wavefronts;  // of the same pipe, but told apart
  result_.shared += wavefronts;
  return start + gpu_.shared_latency + wavefronts - 1;
}

}  // namespace gpulab::simt
