#include "common/simt/timing/l2/popularity.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpulab::simt {

namespace {

/// Sectors by popularity, those of similar rank together.
class Ranks {
 public:
  Ranks(double sectors, double power) {
    double first = 1, sum = 0;
    for (std::size_t i = 0; i < kBins; ++i) {
      const double next = std::pow(sectors + 1, static_cast<double>(i + 1) / kBins);
      bins_[i] = {next - first, std::pow((first + next) / 2, -power)};
      sum += bins_[i].count * bins_[i].chance;
      first = next;
    }
    for (Bin& bin : bins_) bin.chance /= sum;
  }
  /// Different sectors among so many.
  [[nodiscard]] double distinct(double asked) const {
    double sum = 0;
    for (const Bin& bin : bins_) sum += bin.count * -std::expm1(-asked * bin.chance);
    return sum;
  }
  /// The part that goes to sectors which none of the last `asked` was for.
  [[nodiscard]] double missed(double asked) const {
    double sum = 0;
    for (const Bin& bin : bins_) sum += bin.count * bin.chance * std::exp(-asked * bin.chance);
    return sum;
  }

 private:
  static constexpr std::size_t kBins = 96;
  struct Bin {
    double count = 0, chance = 0;
  };
  std::array<Bin, kBins> bins_{};
};

/// Where an ascending or descending function of [low, high] comes to a value.
template <typename Function>
double solve(double low, double high, double value, bool ascends, Function&& function) {
  constexpr int halvings = 50;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    ((function(middle) < value) == ascends ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// What a cache of `room` sectors misses.
double missed(const Ranks& ranks, double room, double all) {
  constexpr double many = 1e4;  // times as many accesses as sectors
  return ranks.missed(solve(0, many * all, room, true, [&](double asked) { return ranks.distinct(asked); }));
}

}  // namespace

AskedSectors::AskedSectors(const GridTrace& trace) {
  SectorSet by_site;
  for (const BlockTrace& block : trace.blocks)
    for (const TracedAccess& a : block.accesses) {
      if (a.space != TracedAccess::Space::global) continue;
      asked += a.sectors;
      if (a.random) at_random += a.sectors;
      if (a.partial) partial_bytes += a.stored_bytes;
      for (std::uint32_t i = 0; i < a.sectors; ++i) {
        const std::uint64_t sector = block.sectors[a.first_sector + i];
        unique.insert(sector);
        pairs.insert(sector >> 1);
        if (a.random) random.insert(sector);
        if (!a.partial) continue;
        partial.insert(sector);
        if (by_site.insert(sector << 16 ^ a.site)) site_bytes += static_cast<double>(a.stored_bytes) / a.sectors;
      }
    }
}

double misses_beside_uniform(const Popularity& p) {
  if (p.room >= p.all || p.distinct >= p.asked || p.distinct >= p.all || p.asked <= 0) return 1;
  constexpr double steepest = 2;
  const double power =
      solve(0, steepest, p.distinct, false, [&](double s) { return Ranks(p.all, s).distinct(p.asked); });
  const double of_all = missed(Ranks(p.all, power), p.room, p.all);
  const double uniform = missed(Ranks(p.all, 0), p.room, p.all);
  return uniform > 0 ? std::min(1.0, of_all * p.asked / p.distinct / uniform) : 1;
}

}  // namespace gpulab::simt
