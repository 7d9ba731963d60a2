#pragma once
// Accesses of a warp to its lanes' local memory, whose words lie side by side (machine/memory/local_memory.h): rows
// where all lanes are at one place, else lane by lane. Only for isa/*/*.cpp (see lanes.h).

#include "common/simt/isa/memory/memory_lanes.h"
#include "common/simt/machine/memory/local_memory.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// Some lane is outside of its thread's stack, or not aligned: the lowest is named.
[[noreturn, gnu::noinline]] inline void fault_local(Warp& w, const MicroOp* op, Addresses addresses,
                                                    std::uint32_t width, Access access) {
  std::uint32_t left = w.mask;
  const auto faults = [&](int i) {
    return !within(addresses[i], width, w.local_bytes) || (addresses[i] & (width - 1));
  };
  while ((left & (left - 1)) && !faults(first_lane(left))) left &= left - 1;
  const int i = first_lane(left);
  fault_access(w, op, addresses[i] + kLocalWindow, i, width, name_of(access));
}

/// Where each lane's bytes lie, from Warp::local (local_place).
struct LocalPlaces {
  alignas(64) std::uint32_t at[kLanes];  ///< garbage in inactive lanes
};

/// Makes offsets into each lane's local memory into places.
[[gnu::always_inline]] inline void to_places(LocalPlaces& places) {
  for (std::uint32_t i = 0; i < kLanes; ++i)
    places.at[i] = (places.at[i] & ~3u) * static_cast<std::uint32_t>(kLanes) + i * 4 + (places.at[i] & 3);
}

/// Lanes whose bytes are not aligned, or not in the first `bytes` bytes; inactive ones may be among them.
[[gnu::always_inline]] inline std::uint32_t outside_local(const Addresses& addresses, std::uint32_t width,
                                                          std::uint64_t bytes, LocalPlaces& places) {
  if (bytes < width) return kFullMask;
  const std::uint64_t last = bytes - width;
  std::uint32_t outside = 0;
#if defined(__AVX512F__)
  const std::uint64_t further = addresses.offset();
  if (addresses.is_narrow()) {
    const auto set = [](std::uint64_t value) { return _mm512_set1_epi32(static_cast<int>(value)); };
    for (int i = 0; i < kLanes; i += 16) {
      const __m512i at = _mm512_add_epi32(_mm512_loadu_si512(addresses.narrow() + i), set(further));
      const std::uint32_t wrong = _mm512_cmpgt_epu32_mask(at, set(last)) | _mm512_test_epi32_mask(at, set(width - 1));
      outside |= wrong << i;
      _mm512_store_si512(places.at + i, at);
    }
    to_places(places);
    return outside;
  }
  const auto set = [](std::uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); };
  for (int i = 0; i < kLanes; i += 8) {
    const __m512i at = _mm512_add_epi64(_mm512_loadu_si512(addresses.wide() + i), set(further));
    const std::uint32_t wrong = _mm512_cmpgt_epu64_mask(at, set(last)) | _mm512_test_epi64_mask(at, set(width - 1));
    outside |= wrong << i;
    _mm256_store_si256(reinterpret_cast<__m256i*>(places.at + i), _mm512_maskz_cvtepi64_epi32(0xff, at));
  }
#else
  addresses.for_each([&](int i, std::uint64_t address) {
    places.at[i] = static_cast<std::uint32_t>(address);
    outside |= std::uint32_t{address > last || (address & (width - 1)) != 0} << i;
  });
#endif
  to_places(places);
  return outside;
}

[[gnu::always_inline]] inline LocalPlaces resolve_local(Warp& w, const MicroOp* op, const Addresses& addresses,
                                                        std::uint32_t width, Access access) {
  LocalPlaces places;
  if (outside_local(addresses, width, w.local_bytes, places) & w.mask) [[unlikely]]
    fault_local(w, op, addresses, width, access);
  return places;
}

/// Words of a local access that lie in different sectors: eight lanes share one where they are at the same word.
inline std::uint32_t local_sectors(const LocalPlaces& places, std::uint32_t mask, std::uint32_t width) {
#if defined(__AVX512CD__)
  const auto shift = static_cast<unsigned>(width > 4 ? __builtin_ctz(width) : 2) + 5;  // of rows of 32 words
  std::uint32_t sectors = 0;
  for (int i = 0; i < kLanes; i += 16) {
    const auto on = static_cast<__mmask16>(mask >> i);
    // Different numbers for lanes that are not active, and for the two groups of eight.
    const __m512i none = _mm512_set_epi32(-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16);
    const __m512i place = _mm512_mask_srli_epi32(none, on, _mm512_load_si512(places.at + i), shift);
    const __m512i upper = _mm512_set1_epi32(1 << 30);
    const __m512i before = _mm512_maskz_conflict_epi32(
        0xffff, _mm512_mask_or_epi32(place, static_cast<__mmask16>(on & 0xff00), place, upper));
    sectors += active_count(static_cast<std::uint32_t>(_mm512_mask_testn_epi32_mask(on, before, before)));
  }
  return sectors * (width > 4 ? width / 4 : 1);
#else
  return count_local_sectors(places.at, mask, width);
#endif
}

template <bool counted>
inline void count_local(Warp& w, const MicroOp* op, const LocalPlaces& places, std::uint32_t width) {
  if constexpr (counted) w.sites[op->site].local_sectors += local_sectors(places, w.mask, width);
}
/// The same of lanes that are all at one place of their local memory: groups of eight with an active lane.
template <bool counted>
inline void count_local_row(Warp& w, const MicroOp* op, std::uint32_t width) {
  if constexpr (counted) {
    std::uint32_t any = w.mask | w.mask >> 4;
    any |= any >> 2;
    any |= any >> 1;
    w.sites[op->site].local_sectors += active_count(any & 0x01010101) * (width > 4 ? width / 4 : 1);
  }
}

// ---- moving values between local memory and registers ----

/// Element k of an aligned access to local memory, from its first one.
template <typename T>
constexpr std::size_t local_element(int k) {
  const std::size_t at = static_cast<std::size_t>(k) * sizeof(T);
  return at / 4 * kLocalRow + at % 4;
}
/// n values of one lane, whose first one lies at `from`: words of one lane are a row apart.
template <typename T, int n>
inline void load_local_lane(Raw<T>* const* d, int i, const std::byte* from) {
  for (int k = 0; k < n; ++k) {
    const std::byte* const at = from + local_element<T>(k);
    if constexpr (sizeof(T) == 8)
      d[k][i] = peek<u32>(at) | T{peek<u32>(at + kLocalRow)} << 32;
    else
      d[k][i] = to_raw<T>(peek<T>(at));
  }
}
template <typename T, int n>
inline void store_local_lane(Raw<T>* const* s, int i, std::byte* to) {
  for (int k = 0; k < n; ++k) {
    std::byte* const at = to + local_element<T>(k);
    if constexpr (sizeof(T) == 8) {
      poke<u32>(at, static_cast<u32>(s[k][i]));
      poke<u32>(at + kLocalRow, static_cast<u32>(s[k][i] >> 32));
    } else {
      poke<T>(at, from_raw<T>(s[k][i]));
    }
  }
}
/// n values of all active lanes, the first lane's first one at `from`: rows, of which the other lanes' words stay.
template <typename T, int n>
[[gnu::always_inline]] inline void load_local_rows(const Warp& w, Raw<T>* const* d, const std::byte* from) {
  for (int k = 0; k < n; ++k) {
    if constexpr (sizeof(T) == 8) {
      const auto* const low = reinterpret_cast<const InMemory<u32>*>(from + local_element<T>(k));
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) d[k][i] = w.lanes[i] ? low[i] | T{low[i + kLanes]} << 32 : d[k][i];
    } else {
      constexpr int apart = 4 / sizeof(T);
      const auto* const row = reinterpret_cast<const InMemory<T>*>(from + local_element<T>(k));
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) d[k][i] = w.lanes[i] ? to_raw<T>(row[i * apart]) : d[k][i];
    }
  }
}
template <typename T, int n>
[[gnu::always_inline]] inline void store_local_rows(const Warp& w, Raw<T>* const* s, std::byte* to) {
  for (int k = 0; k < n; ++k) {
    if constexpr (sizeof(T) == 8) {
      auto* const low = reinterpret_cast<InMemory<u32>*>(to + local_element<T>(k));
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) {
        low[i] = w.lanes[i] ? static_cast<u32>(s[k][i]) : low[i];
        low[i + kLanes] = w.lanes[i] ? static_cast<u32>(s[k][i] >> 32) : low[i + kLanes];
      }
    } else {
      constexpr int apart = 4 / sizeof(T);
      auto* const row = reinterpret_cast<InMemory<T>*>(to + local_element<T>(k));
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) row[i * apart] = w.lanes[i] ? from_raw<T>(s[k][i]) : row[i * apart];
    }
  }
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
