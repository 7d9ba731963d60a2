#pragma once
// Work that threads take by number from a counter until it says that all is gone. The simulator runs blocks in turns,
// so that the first ones have taken all of it before the others start; on a GPU all that run at once have their share.

#include <cstdint>
#include <optional>

#include "common/simt/timing/trace/trace.h"

namespace gpulab::simt {

/// Whether a kernel goes round a loop in which an atomic of global memory counts, and leaves the loop by what that
/// returned. What a counter says once, outside a loop or for an address, is no such thing.
[[nodiscard]] bool takes_numbers(const Program& program);

/// How many blocks there are to share it.
struct Sharers {
  std::uint64_t blocks = 1;    ///< of the grid
  std::uint64_t sms = 1;       ///< that these run on
  std::uint64_t resident = 1;  ///< of one SM at once
  std::uint64_t warps = 1;     ///< of a block
};
/// The blocks of one SM if its warps had equal parts of what the longest traced block did. Nothing: no numbers are
/// taken, they are shared well enough as they are, or the traced blocks came too late to get any.
[[nodiscard]] std::optional<GridTrace> shared_out(const GridTrace& trace, const Sharers& among, const Program& program);

}  // namespace gpulab::simt
