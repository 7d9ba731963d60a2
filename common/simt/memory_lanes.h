#pragma once
// Loads, stores and atomics of a warp: resolve the addresses of all lanes at once, check them, count them, move.
// Only for isa/*.cpp (see lanes.h): everything here has internal linkage.

#include "common/simt/access.h"
#include "common/simt/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

enum class Access { load, store, atomic };

inline const char* name_of(Access access) {
  return access == Access::load ? "load" : access == Access::store ? "store" : "atomic";
}

/// 32 addresses of a space: base of the first active lane and the pattern of the rest.
struct Resolved {
  const Pattern* pattern = nullptr;  ///< nullptr: lanes too far apart, use `addresses`
  std::uint64_t base = 0;
  std::byte* host = nullptr;  ///< of base (with a pattern)
};

/// Addresses of an instruction's [a+imm], as 64-bit values. Inactive lanes hold garbage.
struct Addresses {
  alignas(64) std::uint64_t at[kLanes];
  Addresses() = default;
  [[gnu::always_inline]] Addresses(Warp& w, const MicroOp* op, int operand) {
    const std::int64_t offset = op->imm;
    if (op->mods & kAddress32) {
      const auto* a = values<std::uint32_t>(w, op, operand);
      for (int i = 0; i < kLanes; ++i) at[i] = static_cast<std::uint32_t>(a[i] + static_cast<std::uint32_t>(offset));
    } else {
      const auto* a = values<std::uint64_t>(w, op, operand);
      for (int i = 0; i < kLanes; ++i) at[i] = a[i] + static_cast<std::uint64_t>(offset);
    }
  }
};

inline int first_lane(std::uint32_t mask) { return __builtin_ctz(mask); }

/// Bit i: words[i] == value, for 16 words.
inline std::uint32_t equal_words(const std::uint32_t* words, std::uint32_t value) {
#if defined(__AVX512F__)
  return _mm512_cmpeq_epi32_mask(_mm512_load_si512(words), _mm512_set1_epi32(static_cast<int>(value)));
#else
  std::uint32_t hits = 0;
  for (int i = 0; i < kPatternWays; ++i) hits |= static_cast<std::uint32_t>(words[i] == value) << i;
  return hits;
#endif
}

/// The access's pattern, or nullptr if its lanes are more than 2 GiB apart.
[[gnu::always_inline]] inline const Pattern* recognise(Warp& w, const MicroOp* op, const Addresses& addresses,
                                                       std::uint32_t width, bool shared, bool store) {
  const std::uint64_t base = addresses.at[first_lane(w.mask)];
  alignas(64) std::int32_t relative[kLanes];
  std::uint64_t far = 0;
#pragma GCC ivdep
  for (int i = 0; i < kLanes; ++i) {
    const std::uint64_t distance = (addresses.at[i] - base) & static_cast<std::uint64_t>(std::int64_t{w.lanes[i]});
    relative[i] = static_cast<std::int32_t>(distance);
    far |= (distance + 0x80000000u) >> 32;
  }
  if (far) [[unlikely]]
    return nullptr;
  const std::uint32_t phase = static_cast<std::uint32_t>(base) & (shared ? 15 : 127);
  PatternCache& cache = w.patterns[op->site];
  const std::uint32_t signature = (w.mask * 0x9e3779b1u) ^ (static_cast<std::uint32_t>(relative[1]) * 0x85ebca6bu) ^
                                  (static_cast<std::uint32_t>(relative[17]) * 0xc2b2ae35u) ^ (phase << 20);
  const std::uint32_t hits = equal_words(cache.signatures, signature);
  const std::uint32_t way = hits ? static_cast<std::uint32_t>(__builtin_ctz(hits)) : cache.oldest;
  Pattern& pattern = cache.ways[way];
  std::int32_t difference = 0;
  for (int i = 0; i < kLanes; ++i) difference |= relative[i] ^ pattern.relative[i];
  if (difference || pattern.mask != w.mask || pattern.phase != phase) [[unlikely]] {
    analyse(pattern, relative, w.mask, phase, width, shared, store);
    cache.signatures[way] = signature;
    cache.oldest = (way + 1) % kPatternWays;
  }
  return &pattern;
}

inline void check_alignment(Warp& w, const MicroOp* op, const Addresses& addresses, std::uint32_t width,
                            Access access) {
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    if (addresses.at[i] & (width - 1)) fault_access(w, op, addresses.at[i], i, width, name_of(access));
  }
}

/// Host memory of lane i's bytes in global memory; faults where there is none.
inline std::byte* global_host(Warp& w, const MicroOp* op, const Addresses& addresses, int i, std::uint32_t width,
                              Access access) {
  std::byte* host = w.global->host(addresses.at[i], width);
  if (!host || (addresses.at[i] & (width - 1))) fault_access(w, op, addresses.at[i], i, width, name_of(access));
  return host;
}

[[gnu::always_inline]] inline Resolved resolve_global(Warp& w, const MicroOp* op, const Addresses& addresses,
                                                      std::uint32_t width, Access access) {
  Resolved r;
  r.base = addresses.at[first_lane(w.mask)];
  const Pattern* pattern = recognise(w, op, addresses, width, false, access == Access::store);
  if (!pattern) return r;
  if (!pattern->aligned) check_alignment(w, op, addresses, width, access);
  const Allocation*& cached = w.patterns[op->site].allocation;
  const std::uint64_t low = r.base + static_cast<std::uint64_t>(std::int64_t{pattern->lowest});
  const std::uint64_t span = static_cast<std::uint64_t>(std::int64_t{pattern->highest} - pattern->lowest) + width;
  if (!cached || low - cached->address > cached->bytes || span > cached->bytes - (low - cached->address)) {
    const Allocation* found = w.global->find(low);
    if (!found || !found->host || span > found->bytes - (low - found->address)) {
      r.pattern = nullptr;  // lanes in several allocations, or outside: lane by lane
      return r;
    }
    cached = found;
  }
  r.pattern = pattern;
  r.host = cached->host + (r.base - cached->address);
  return r;
}

template <bool counted>
[[gnu::always_inline]] inline void count_global(Warp& w, const MicroOp* op, const Resolved& r,
                                                const Addresses& addresses, std::uint32_t width, Access access) {
  if constexpr (counted) {
    SiteStatistics& site = w.sites[op->site];
    ++site.requests[0];
    site.lanes[0] += active_count(w.mask);
    if (!r.pattern) {
      const FarCounts counts = analyse_far(addresses.at, w.mask, width);
      site.sectors += counts.sectors;
      site.distinct_bytes += counts.distinct_bytes;
      if (counts.max_same_address > site.max_same_address[0]) site.max_same_address[0] = counts.max_same_address;
      mark_far(w, addresses.at, access != Access::load);
      return;
    }
    const Pattern& p = *r.pattern;
    site.sectors += p.sectors;
    site.distinct_bytes += p.distinct_bytes;
    if (p.max_same_address > site.max_same_address[0]) site.max_same_address[0] = p.max_same_address;
    const Allocation* a = w.patterns[op->site].allocation;
    std::uint64_t* bits = access == Access::load ? w.footprint->loaded(a->index) : w.footprint->stored(a->index);
    const std::uint64_t line = ((r.base & ~std::uint64_t{127}) - a->address) >> 5;
    for (int i = 0; i < p.sectors; ++i) {
      const std::uint64_t sector = line + static_cast<std::uint64_t>(std::int64_t{p.sector_list[i]});
      bits[sector >> 6] |= std::uint64_t{1} << (sector & 63);
    }
  }
}

[[gnu::always_inline]] inline Resolved resolve_shared(Warp& w, const MicroOp* op, const Addresses& addresses,
                                                      std::uint32_t width, Access access) {
  Resolved r;
  r.base = addresses.at[first_lane(w.mask)];
  r.pattern = recognise(w, op, addresses, width, true, access == Access::store);
  const std::int64_t low = static_cast<std::int64_t>(r.base) + (r.pattern ? r.pattern->lowest : 0);
  const std::int64_t high = static_cast<std::int64_t>(r.base) + (r.pattern ? r.pattern->highest : 0);
  if (!r.pattern || low < 0 || high + width > w.shared_bytes) [[unlikely]] {
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      if (addresses.at[i] + width > w.shared_bytes || addresses.at[i] > w.shared_bytes)
        fault_access(w, op, addresses.at[i] + kSharedWindow, i, width, name_of(access));
    }
  }
  if (!r.pattern->aligned) [[unlikely]]
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      if (addresses.at[i] & (width - 1))
        fault_access(w, op, addresses.at[i] + kSharedWindow, i, width, name_of(access));
    }
  r.host = w.shared + r.base;
  return r;
}

template <bool counted>
[[gnu::always_inline]] inline void count_shared(Warp& w, const MicroOp* op, const Pattern& p) {
  if constexpr (counted) {
    SiteStatistics& site = w.sites[op->site];
    ++site.requests[1];
    site.lanes[1] += active_count(w.mask);
    site.wavefronts += p.wavefronts;
    site.ideal_wavefronts += p.ideal_wavefronts;
    if (p.max_same_address > site.max_same_address[1]) site.max_same_address[1] = p.max_same_address;
  }
}

/// Host memory of lane i's bytes in local memory; faults outside the thread's stack.
inline std::byte* local_host(Warp& w, const MicroOp* op, const Addresses& addresses, int i, std::uint32_t width,
                             Access access) {
  const std::uint64_t at = addresses.at[i];
  if (at > w.local_stride || at + width > w.local_stride || (at & (width - 1)))
    fault_access(w, op, at + kLocalWindow, i, width, name_of(access));
  return w.local + static_cast<std::size_t>(i) * w.local_stride + at;
}

template <bool counted>
inline void count_local(Warp& w, const MicroOp* op, const Addresses& addresses, std::uint32_t width) {
  if constexpr (counted) w.sites[op->site].local_sectors += local_sectors(addresses.at, w.mask, width);
}

// ---- moving values between memory and registers ----

template <typename T>
inline T peek(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <typename T>
inline void poke(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <typename T, int n>
inline void load_lane(Raw<T>* const* d, int i, const std::byte* from) {
  for (int k = 0; k < n; ++k) d[k][i] = to_raw<T>(peek<T>(from + k * sizeof(T)));
}
template <typename T, int n>
inline void store_lane(Raw<T>* const* s, int i, std::byte* to) {
  for (int k = 0; k < n; ++k) poke<T>(to + k * sizeof(T), from_raw<T>(s[k][i]));
}

/// Loads through a pattern: whole vectors where lanes are contiguous, lane by lane elsewhere.
template <typename T, int n>
[[gnu::always_inline]] inline void load_pattern(Warp& w, Raw<T>* const* d, const Pattern& p, const std::byte* host) {
  if constexpr (n == 1 && sizeof(T) >= 4) {
    if (p.contiguous) {
      if (p.mask == kFullMask)
        std::memcpy(d[0], host, kLanes * sizeof(T));
      else
        std::memcpy(d[0], host, active_count(p.mask) * sizeof(T));
      return;
    }
  }
  if (p.mask == kFullMask) {
    for (int i = 0; i < kLanes; ++i) load_lane<T, n>(d, i, host + p.relative[i]);
  } else {
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      load_lane<T, n>(d, i, host + p.relative[i]);
    }
  }
}
template <typename T, int n>
[[gnu::always_inline]] inline void store_pattern(Warp& w, Raw<T>* const* s, const Pattern& p, std::byte* host) {
  if constexpr (n == 1 && sizeof(T) >= 4) {
    if (p.contiguous) {
      if (p.mask == kFullMask)
        std::memcpy(host, s[0], kLanes * sizeof(T));
      else
        std::memcpy(host, s[0], active_count(p.mask) * sizeof(T));
      return;
    }
  }
  // Lanes that meet on one address: the highest wins, always.
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    store_lane<T, n>(s, i, host + p.relative[i]);
  }
}

/// Runs `work` for the active lanes of each address window (generic addresses), with plain in-space addresses.
template <typename Global, typename Shared, typename Local>
inline void by_window(Warp& w, Addresses& addresses, Global global, Shared shared, Local local) {
  std::uint32_t in_shared = 0, in_local = 0;
  for (int i = 0; i < kLanes; ++i) {
    in_shared |= static_cast<std::uint32_t>(addresses.at[i] - kSharedWindow < kWindowBytes) << i;
    in_local |= static_cast<std::uint32_t>(addresses.at[i] - kLocalWindow < kWindowBytes) << i;
  }
  const std::uint32_t whole = w.mask;
  in_shared &= whole;
  in_local &= whole;
  if (!(in_shared | in_local)) return global();
  for (int i = 0; i < kLanes; ++i)
    if ((in_shared | in_local) >> i & 1) addresses.at[i] &= kWindowBytes - 1;
  const std::uint32_t in_global = whole & ~(in_shared | in_local);
  const auto part = [&](std::uint32_t mask, auto work) {
    if (!mask) return;
    set_mask(w, mask);
    work();
  };
  part(in_global, global);
  part(in_shared, shared);
  part(in_local, local);
  set_mask(w, whole);
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
