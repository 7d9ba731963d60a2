#pragma once
// A plan's transform of what lies in memory.

#include "common/cuda_api/libraries/cufft/plan.h"

namespace gpulab::cufft {

/// A side as it is when it runs: lines of the last dimension, `line` elements each.
struct Placed {
  std::uint64_t address;
  Type type;
  std::vector<i64> n;  ///< elements of each dimension, of the last one `line`
  std::vector<i64> pitch;
  i64 line, stride, distance, batch;

  [[nodiscard]] i64 lines() const {
    i64 all = 1;
    for (std::size_t d = 0; d + 1 < n.size(); ++d) all *= n[d];
    return all;
  }
  /// First element of a line.
  [[nodiscard]] i64 start(i64 item, i64 index) const {
    i64 at = 0;
    std::vector<i64> place(n.size(), 0);
    for (std::size_t d = n.size() - 1; d-- > 0;) {
      place[d] = index % n[d];
      index /= n[d];
    }
    for (std::size_t d = 0; d < n.size(); ++d) at = at * (d == 0 ? 1 : pitch[d]) + place[d];
    return item * distance + at * stride;
  }
  [[nodiscard]] LibraryBuffer buffer(const char* name, bool writes) const {
    const i64 size = bytes_of(type);
    LibraryBuffer made;
    made.name = name;
    const __int128 last = static_cast<__int128>(batch - 1) * distance + start(0, lines() - 1) + (line - 1) * stride + 1;
    const __int128 end = __int128{address} + last * size;
    made.first = address;
    made.end = end > __int128{UINT64_MAX} ? UINT64_MAX : static_cast<std::uint64_t>(end);
    const i64 each = stride == 1 ? 1 : line, all = lines();
    made.rows = static_cast<std::uint64_t>(batch * all * each);
    made.row = [p = *this, each, all, size](std::uint64_t i) {
      const i64 index = static_cast<i64>(i) / each, element = static_cast<i64>(i) % each;
      const i64 at = p.start(index / all, index % all) + element * p.stride;
      return std::pair(p.address + static_cast<std::uint64_t>(at * size),
                       static_cast<std::uint64_t>((each == 1 ? p.line : 1) * size));
    };
    made.reads = !writes;
    made.writes = writes;
    return made;
  }
};

/// `in_place`: a side of real numbers without layout of its own has room for the complex ones then.
[[nodiscard]] Placed placed(const Plan& plan, const Side& side, bool real, bool half, bool in_place,
                            const void* pointer);
void run(LibraryAccess& memory, const Plan& plan, const Placed& in, const Placed& out, int sign);
[[nodiscard]] LibraryOperation operation_of(const char* function, const Plan& plan, cudaStream_t stream, void* caller);

}  // namespace gpulab::cufft
