#pragma once
// What a scan has to say beyond counters: how many operations it executes, and which banks its trees meet.

#include <functional>

#include "labs/lab.h"

namespace gpulab::labs::scan {

/// Operations that the blocks of a variant execute, those on padding included.
using Operations = std::function<double(const Case&)>;

/// Of the rungs that scan each tile by itself and then add offsets: `of_tile` operations per block, and where
/// `own_is_extra` one more per element of an inclusive scan.
[[nodiscard]] Operations scan_then_add_operations(std::uint32_t per_thread, double (*of_tile)(std::uint32_t threads),
                                                  bool own_is_extra);
[[nodiscard]] Operations three_phase_operations(std::uint32_t per_thread);

[[nodiscard]] double doubling_operations(std::uint32_t threads);  ///< of rungs 1 and 2, per tile
[[nodiscard]] double tree_operations(std::uint32_t threads);      ///< of Blelloch's trees
[[nodiscard]] double warps_operations(std::uint32_t threads);     ///< of scan_block

/// Where an element of a tile lies in shared memory.
using WordOf = std::uint32_t (*)(std::uint32_t element);
[[nodiscard]] std::uint32_t unpadded(std::uint32_t element);
[[nodiscard]] std::uint32_t padded(std::uint32_t element);

/// The most lanes of one warp that meet in one bank, in the tree's step of this stride.
[[nodiscard]] std::uint32_t lanes_per_bank(std::uint32_t threads, std::uint32_t stride, WordOf word_of);

/// The variant with its commentary: the metrics "operations" and "operations_per_element", and of a tree the bank map.
[[nodiscard]] Variant explained(Variant variant, Operations operations, WordOf word_of = nullptr);

}  // namespace gpulab::labs::scan
