#include "common/simt/machine/memory/local_memory.h"

#include <algorithm>
#include <cstring>

namespace gpulab::simt {

namespace {

/// Calls move(place, done, bytes) for each piece of `bytes` bytes at `at` that lies in one word of the lane.
template <typename Move>
void for_each_word(int lane, std::uint64_t at, std::size_t bytes, Move move) {
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min<std::size_t>(bytes - done, 4 - (at + done) % 4);
    move(local_place(lane, at + done), done, piece);
    done += piece;
  }
}

}  // namespace

void read_local(const Warp& w, int lane, std::uint64_t at, void* to, std::size_t bytes) {
  for_each_word(lane, at, bytes, [&](std::size_t place, std::size_t done, std::size_t piece) {
    std::memcpy(static_cast<std::byte*>(to) + done, w.local + place, piece);
  });
}

void write_local(Warp& w, int lane, std::uint64_t at, const void* from, std::size_t bytes) {
  for_each_word(lane, at, bytes, [&](std::size_t place, std::size_t done, std::size_t piece) {
    std::memcpy(w.local + place, static_cast<const std::byte*>(from) + done, piece);
  });
}

void copy_local(Warp& w, std::uint32_t lanes, std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  if (bytes == 0) return;  // Warp::local may be null then
  if (lanes == kFullMask && (to | from | bytes) % 4 == 0) {
    std::memcpy(w.local + local_place(0, to), w.local + local_place(0, from), bytes * kLanes);
    return;
  }
  for (; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    for_each_word(lane, to, bytes, [&](std::size_t place, std::size_t done, std::size_t piece) {
      read_local(w, lane, from + done, w.local + place, piece);
    });
  }
}

}  // namespace gpulab::simt
