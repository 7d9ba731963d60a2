#pragma once
// Which branch keeps lanes away from a basic block.

#include <cstdint>
#include <span>
#include <vector>

#include "common/simt/decode/program.h"

namespace gpulab::simt {

/// Of each basic block the site of the nearest branch that decides whether a lane comes by, and whose lanes disagreed;
/// of a called function's, that of its call. kNoSite: there is none. `divergent`: how often lanes disagreed, by site.
[[nodiscard]] std::vector<std::uint32_t> branches_that_divide(const Program& program,
                                                              std::span<const std::uint64_t> divergent);

}  // namespace gpulab::simt
