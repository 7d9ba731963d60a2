#pragma once
// Loads, stores and atomics of a warp: resolve the addresses of all lanes at once, check them, count them, move.
// Only for isa/*/*.cpp (see lanes.h): everything here has internal linkage.

#include "common/ptx/extent.h"
#include "common/simt/isa/memory/patterns.h"
#include "common/simt/machine/memory/memory.h"
#include "common/simt/machine/sync/cluster.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// A warp's access: the address of its first active lane and the pattern of the rest.
struct Resolved {
  const Pattern* pattern = nullptr;  ///< nullptr: lanes too far apart, go by `Addresses`
  std::uint64_t base = 0;
  std::byte* host = nullptr;  ///< of base (with a pattern)
};

template <std::uint64_t window = 0>
[[gnu::noinline]] void check_alignment(Warp& w, const MicroOp* op, Addresses addresses, std::uint32_t width,
                                       Access access) {
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    if (addresses[i] & (width - 1)) fault_access(w, op, addresses[i] + window, i, width, name_of(access));
  }
}

/// Host memory of lane i's bytes in global memory; faults where there is none.
inline std::byte* global_host(Warp& w, const MicroOp* op, const Addresses& addresses, int i, std::uint32_t width,
                              Access access) {
  std::byte* host = w.global->host(addresses[i], width);
  if (!host || (addresses[i] & (width - 1))) fault_access(w, op, addresses[i], i, width, name_of(access));
  return host;
}

/// The allocation of `bytes` bytes at `address`, remembered as the instruction's last; false: they are in several, or
/// outside.
[[gnu::noinline]] inline bool find_allocation(Warp& w, const MicroOp* op, std::uint64_t address, std::uint64_t bytes) {
  const Allocation* found = w.global->find(address);
  if (!found || !found->host || bytes > found->bytes - (address - found->address)) return false;
  w.patterns[op->site].allocation = found;
  return true;
}

/// Host memory of a pattern's base where all lanes' bytes lie in the allocation that the instruction met last; else
/// nullptr.
[[gnu::always_inline]] inline std::byte* host_in_last(const Warp& w, const MicroOp* op, const Pattern& pattern,
                                                      std::uint64_t base, std::uint32_t width) {
  const Allocation* last = w.patterns[op->site].allocation;
  const std::uint64_t low = base + static_cast<std::uint64_t>(std::int64_t{pattern.lowest});
  const std::uint64_t span = static_cast<std::uint64_t>(std::int64_t{pattern.highest} - pattern.lowest) + width;
  if (!last || low - last->address > last->bytes || span > last->bytes - (low - last->address)) return nullptr;
  return last->host + (base - last->address);
}

/// Host memory of `bytes` bytes at `low` where they lie in that allocation; else nullptr.
[[gnu::always_inline]] inline std::byte* stretch_in_last(const Warp& w, const MicroOp* op, std::uint64_t low,
                                                         std::uint64_t bytes) {
  const Allocation* last = w.patterns[op->site].allocation;
  if (!last || low - last->address > last->bytes || bytes > last->bytes - (low - last->address)) return nullptr;
  return last->host + (low - last->address);
}

[[gnu::always_inline]] inline Resolved resolve_global(Warp& w, const MicroOp* op, const Addresses& addresses,
                                                      std::uint32_t width, Access access, bool counted = true) {
  Resolved r;
  r.base = addresses[first_lane(w.mask)];
  const Pattern* pattern = recognise<false>(w, op, addresses, r.base, width, access, counted);
  if (!pattern) return r;
  if (!pattern->aligned) [[unlikely]]
    check_alignment(w, op, addresses, width, access);
  r.host = host_in_last(w, op, *pattern, r.base, width);
  if (!r.host) {
    const std::uint64_t low = r.base + static_cast<std::uint64_t>(std::int64_t{pattern->lowest});
    const std::uint64_t span = static_cast<std::uint64_t>(std::int64_t{pattern->highest} - pattern->lowest) + width;
    if (!find_allocation(w, op, low, span)) return r;  // lane by lane
    r.host = host_in_last(w, op, *pattern, r.base, width);
  }
  r.pattern = pattern;
  return r;
}

[[gnu::noinline]] inline void count_far(Warp& w, const MicroOp* op, Addresses addresses, std::uint32_t width,
                                        Access access) {
  SiteStatistics& site = w.sites[op->site];
  const auto all = addresses.list();
  const FarCounts counts = analyse_far(all.at, w.mask, width);
  site.sectors += counts.sectors;
  site.distinct_bytes += counts.distinct_bytes;
  if (counts.max_same_address > site.max_same_address[0]) site.max_same_address[0] = counts.max_same_address;
  mark_far(w, all.at, access != Access::load);
}

template <bool counted>
[[gnu::always_inline]] inline void count_global(Warp& w, const MicroOp* op, const Resolved& r,
                                                const Addresses& addresses, std::uint32_t width, Access access) {
  if constexpr (counted) {
    SiteStatistics& site = w.sites[op->site];
    ++site.requests[0];
    site.lanes[0] += active_count(w.mask);
    if (!r.pattern) {
      count_far(w, op, addresses, width, access);
      return;
    }
    const Pattern& p = *r.pattern;
    site.sectors += p.sectors;
    site.distinct_bytes += p.distinct_bytes;
    if (p.max_same_address > site.max_same_address[0]) site.max_same_address[0] = p.max_same_address;
    const Allocation* a = w.patterns[op->site].allocation;
    std::uint64_t* bits = access == Access::load ? w.footprint->loaded(a->index) : w.footprint->stored(a->index);
    const std::uint64_t line =
        (r.base >> 5) - (a->address >> 5);  // of those that a program registers, none need be aligned
    for (int i = 0; i < p.sectors; ++i) {
      const std::uint64_t sector = line + static_cast<std::uint64_t>(std::int64_t{p.sector_list[i]});
      bits[sector >> 6] |= std::uint64_t{1} << (sector & 63);
    }
  }
}

/// All lanes' bytes. In unsigned numbers: a base next to 2^63 or 2^64 is as far outside as any.
inline bool in_shared(const Warp& w, const Pattern& pattern, std::uint64_t base, std::uint32_t width) {
  const std::uint64_t low = base + static_cast<std::uint64_t>(std::int64_t{pattern.lowest});
  return within(low, static_cast<std::uint64_t>(std::int64_t{pattern.highest} - pattern.lowest) + width,
                w.shared_bytes);
}

/// Some lane is outside of the block's shared memory: the lowest is named.
[[noreturn, gnu::noinline]] inline void fault_shared(Warp& w, const MicroOp* op, Addresses addresses,
                                                     std::uint32_t width, Access access) {
  std::uint32_t left = w.mask;
  const auto outside = [&](int i) { return !within(addresses[i], width, w.shared_bytes); };
  while ((left & (left - 1)) && !outside(first_lane(left))) left &= left - 1;
  const int i = first_lane(left);
  fault_access(w, op, addresses[i] + kSharedWindow, i, width, name_of(access));
}

/// `pattern`: of the addresses; nullptr: they are too far apart for one.
[[gnu::always_inline]] inline Resolved resolve_shared(Warp& w, const MicroOp* op, const Addresses& addresses,
                                                      const Pattern* pattern, std::uint32_t width, Access access) {
  Resolved r;
  r.base = addresses[first_lane(w.mask)];
  r.pattern = pattern;
  if (!r.pattern || !in_shared(w, *r.pattern, r.base, width)) [[unlikely]]
    fault_shared(w, op, addresses, width, access);
  if (!r.pattern->aligned) [[unlikely]]
    check_alignment<kSharedWindow>(w, op, addresses, width, access);
  r.host = w.shared + r.base;
  return r;
}

[[gnu::always_inline]] inline Resolved resolve_shared(Warp& w, const MicroOp* op, const Addresses& addresses,
                                                      std::uint32_t width, Access access, bool counted = true) {
  const std::uint64_t base = addresses[first_lane(w.mask)];
  return resolve_shared(w, op, addresses, recognise<true>(w, op, addresses, base, width, access, counted), width,
                        access);
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

/// Whether all active lanes have the first one's address.
[[gnu::always_inline]] inline bool at_one_address(const Warp& w, const Addresses& addresses) {
  const int first = first_lane(w.mask);
#if defined(__AVX512F__)
  if (addresses.is_narrow()) {
    const std::uint32_t* a = addresses.narrow();
    const __m512i one = _mm512_set1_epi32(static_cast<int>(a[first]));
    const auto differ = [&](int i) {
      return _mm512_mask_cmpneq_epi32_mask(static_cast<__mmask16>(w.mask >> i), _mm512_loadu_si512(a + i), one);
    };
    return _kortestz_mask16_u8(differ(0), differ(16)) != 0;
  }
  const std::uint64_t* a = addresses.wide();
  const __m512i one = _mm512_set1_epi64(static_cast<long long>(a[first]));
  const auto differences = [&](int i) {
    return _mm512_maskz_xor_epi64(static_cast<__mmask8>(w.mask >> i), _mm512_loadu_si512(a + i), one);
  };
  const __m512i differ = _mm512_or_si512(_mm512_or_si512(differences(0), differences(8)),
                                         _mm512_or_si512(differences(16), differences(24)));
  return _mm512_test_epi64_mask(differ, differ) == 0;
#else
  const std::uint64_t one = addresses[first];
  std::uint64_t differ = 0;
  addresses.for_each(
      [&](int i, std::uint64_t at) { differ |= (at ^ one) & static_cast<std::uint64_t>(std::int64_t{w.lanes[i]}); });
  return differ == 0;
#endif
}

/// Whether all 32 lanes are active, each one's bytes right behind those of the lane before.
[[gnu::always_inline]] inline bool side_by_side(const Warp& w, const Addresses& addresses, std::uint32_t width) {
  if (w.mask != kFullMask || addresses[1] - addresses[0] != width) return false;
  const std::uint64_t base = addresses[0];
  std::uint64_t differ = 0;
  addresses.for_each([&](int i, std::uint64_t at) { differ |= at ^ (base + static_cast<std::uint32_t>(i) * width); });
  return differ == 0;
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

/// Elements as memory has them: unaligned for the compiler, and free to overlap anything.
template <typename T>
using InMemory [[gnu::aligned(1), gnu::may_alias]] = T;

#if defined(__AVX512F__)
/// 4-byte words from within 128 bytes, whichever lane wants which: two vector loads and a permutation.
inline void load_window(Warp& w, std::uint32_t* d, const Pattern& p, const std::byte* host) {
  const auto words = static_cast<std::uint32_t>(p.highest - p.lowest) / 4 + 1;
  const std::uint32_t have = kFullMask >> (32 - words);
  const std::byte* from = host + p.lowest;
  const __m512i low = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(have), from);
  const __m512i high = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(have >> 16), from + 64);
  const __m512i lowest = _mm512_set1_epi32(p.lowest);
  for (int i = 0; i < kLanes; i += 16) {
    const __m512i index =
        _mm512_maskz_srli_epi32(0xffff, _mm512_sub_epi32(_mm512_loadu_si512(p.relative + i), lowest), 2);
    _mm512_mask_storeu_epi32(d + i, static_cast<__mmask16>(w.mask >> i), _mm512_permutex2var_epi32(low, index, high));
  }
}
/// The same for either half warp: every second word, for one.
inline void load_windows(Warp& w, std::uint32_t* d, const Pattern& p, const std::byte* host) {
  for (int half = 0; half < 2; ++half) {
    const int first = half * kLanes / 2;
    const __m512i places = _mm512_loadu_si512(p.relative + first), lowest = _mm512_set1_epi32(p.lowest_of[half]);
    const __m512i index = _mm512_maskz_srli_epi32(0xffff, _mm512_sub_epi32(places, lowest), 2);
    const std::uint32_t have = kFullMask >> (31 - p.words_behind[half]);
    const std::byte* from = host + p.lowest_of[half];
    const __m512i low = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(have), from);
    const __m512i high = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(have >> 16), from + 64);
    _mm512_mask_storeu_epi32(d + first, static_cast<__mmask16>(w.mask >> first),
                             _mm512_permutex2var_epi32(low, index, high));
  }
}
/// A gather takes as long for few lanes as for many: fewer than these are loaded one by one.
constexpr std::uint32_t kLeastGathered = 10;
/// 4-byte words from anywhere within 2 GiB.
inline void load_gathered(Warp& w, std::uint32_t* d, const Pattern& p, const std::byte* host) {
  for (int i = 0; i < kLanes; i += 16) {
    const auto on = static_cast<__mmask16>(w.mask >> i);
    const __m512i index = _mm512_loadu_si512(p.relative + i);
    _mm512_mask_storeu_epi32(d + i, on, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), on, index, host, 1));
  }
}
#endif

/// Of all 32 lanes, one behind the other.
template <typename T, int n>
[[gnu::always_inline]] inline void load_side_by_side(Raw<T>* const* d, const std::byte* host) {
  const auto* from = reinterpret_cast<const InMemory<T>*>(host);
#pragma GCC ivdep
  for (int i = 0; i < kLanes; ++i)
    for (int k = 0; k < n; ++k) d[k][i] = to_raw<T>(from[i * n + k]);
}
/// The same values for all active lanes.
template <typename T, int n>
[[gnu::always_inline]] inline void load_for_all(Warp& w, Raw<T>* const* d, const std::byte* host) {
  for (int k = 0; k < n; ++k) {
    const Raw<T> value = to_raw<T>(peek<T>(host + static_cast<std::size_t>(k) * sizeof(T)));
    for (int i = 0; i < kLanes; ++i) d[k][i] = w.lanes[i] ? value : d[k][i];
  }
}

/// Loads through a pattern: whole vectors where lanes are contiguous, one value where they all want the same.
template <typename T, int n>
[[gnu::always_inline]] inline void load_pattern(Warp& w, Raw<T>* const* d, const Pattern& p, const std::byte* host) {
  if (p.contiguous) {
    if (p.mask == kFullMask) return load_side_by_side<T, n>(d, host);
    if constexpr (n == 1 && sizeof(T) >= 4) {
      std::memcpy(d[0], host, active_count(p.mask) * sizeof(T));
      return;
    }
  } else if (p.uniform) {
    return load_for_all<T, n>(w, d, host);
  }
#if defined(__AVX512F__)
  if constexpr (n == 1 && sizeof(T) == 4) {
    if (p.window) return load_window(w, reinterpret_cast<std::uint32_t*>(d[0]), p, host);
    if (p.windows) return load_windows(w, reinterpret_cast<std::uint32_t*>(d[0]), p, host);
    if (active_count(p.mask) >= kLeastGathered)
      return load_gathered(w, reinterpret_cast<std::uint32_t*>(d[0]), p, host);
  }
#endif
  if (p.mask == kFullMask) {
    for (int i = 0; i < kLanes; ++i) load_lane<T, n>(d, i, host + p.relative[i]);
    return;
  }
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    load_lane<T, n>(d, i, host + p.relative[i]);
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
  if (p.mask == kFullMask) {
    for (int i = 0; i < kLanes; ++i) store_lane<T, n>(s, i, host + p.relative[i]);
    return;
  }
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    store_lane<T, n>(s, i, host + p.relative[i]);
  }
}

/// Addresses in the shared window: `shared` for the active lanes that mean their own block's memory, `sibling` for
/// those that mean another's of the cluster, whose addresses name it (windows.h).
template <typename Shared, typename Sibling>
[[gnu::noinline]] void by_block(Warp& w, Addresses addresses, Shared shared, Sibling sibling) {
  auto all = addresses.list();
  const std::uint32_t whole = w.mask;
  std::uint32_t own = 0;
  for (std::uint32_t left = whole; left; left &= left - 1) {
    const int i = first_lane(left);
    all.at[i] = without_own(all.at[i], w.own_window);
    if (all.at[i] < kRankBytes) own |= 1u << i;
  }
  if (own) {
    set_mask(w, own);
    shared(Addresses(all));
  }
  if (whole & ~own) {
    set_mask(w, whole & ~own);
    sibling(all);
  }
  set_mask(w, whole);
}

/// Runs `work` for the active lanes of each address window (generic addresses), with addresses of that space.
template <typename Global, typename Shared, typename Local, typename Sibling>
inline void by_window(Warp& w, const Addresses& addresses, Global global, Shared shared, Local local, Sibling sibling) {
  alignas(64) std::int32_t shared_words[kLanes], local_words[kLanes];
  addresses.for_each([&](int i, std::uint64_t at) {
    shared_words[i] = at - kSharedWindow < kWindowBytes ? -1 : 0;
    local_words[i] = at - kLocalWindow < kWindowBytes ? -1 : 0;
  });
  std::uint32_t in_shared = lane_mask(shared_words), in_local = lane_mask(local_words);
  const std::uint32_t whole = w.mask;
  in_shared &= whole;
  in_local &= whole;
  if (!(in_shared | in_local)) return global(addresses);
  const auto part = [&](std::uint32_t mask, std::uint64_t origin, auto work) {
    if (!mask) return;
    set_mask(w, mask);
    work(addresses.within(origin));
  };
  part(whole & ~(in_shared | in_local), 0, global);
  if (w.own_window == 0) [[likely]]
    part(in_shared, kSharedWindow, shared);
  else
    part(in_shared, kSharedWindow, [&](const Addresses& at) { by_block(w, at, shared, sibling); });
  part(in_local, kLocalWindow, local);
  set_mask(w, whole);
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
