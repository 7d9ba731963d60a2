#pragma once
// What copies that reduce do to each element where they arrive (PTX ISA: cp.reduce.async.bulk, its tensor form, and
// red.async). Only for isa/memory/*.cpp.

#include "common/simt/isa/memory/read_modify_write.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

struct Reduction {
  void (*apply)(std::byte* host, u64 value, bool parallel) = nullptr;  ///< null: there is none of that type
  void (*apply_later)(std::byte* host, u64 value) = nullptr;           ///< of those that round, whose order shows
  u32 width = 0;
};

template <auto F, typename T>
void reduce_element(std::byte* host, u64 value, bool parallel) {
  read_modify_write<T>(host, parallel, [&](T old) { return F(old, bits_as<T>(static_cast<Bits<T>>(value))); });
}
/// `ordered`: a sum that rounds.
template <auto F, typename T, bool ordered = false>
constexpr Reduction reduction() {
  Reduction made{.apply = reduce_element<F, T>, .width = sizeof(T)};
  if constexpr (ordered) made.apply_later = apply_later<F, T>;
  return made;
}

/// `bytes` bytes of values, each with its element at `host`. Global memory, which blocks on several CPU threads may
/// reach, is reduced in an order of its own where that shows.
inline void reduce_all(Warp& w, const Reduction& with, std::byte* host, const std::byte* values, u32 bytes,
                       bool of_global) {
  for (u32 at = 0; at < bytes; at += with.width) {
    u64 value = 0;
    std::memcpy(&value, values + at, with.width);
    if (of_global && w.parallel && with.apply_later)
      defer_atomic(w, host + at, value, with.apply_later);
    else
      with.apply(host + at, value, of_global && w.parallel);
  }
}

template <typename T>
constexpr auto short_least = [](T old, T b) { return computed<by_double::min>(0, old, b); };
template <typename T>
constexpr auto short_most = [](T old, T b) { return computed<by_double::max>(0, old, b); };

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
