#pragma once
// What a line of CUDA says by itself: idioms that counts alone cannot tell from mistakes.

#include <string>
#include <string_view>

namespace gpulab {

/// Does the line itself branch, rather than what it calls?
[[nodiscard]] bool branches_itself(std::string_view line);

/// Does it let one thread of a warp or block in: `if (threadIdx.x == 0)`, `lane == 0`, `tid % 32 == 0`, `!threadIdx.x`?
[[nodiscard]] bool lets_one_in(std::string_view line);
/// Is the branch a loop's, whose lanes may end apart?
[[nodiscard]] bool loops(std::string_view line);
/// Do lanes that take the branch leave the function for good?
[[nodiscard]] bool leaves(std::string_view line);

/// Does it wait for all blocks: `grid.sync()`?
[[nodiscard]] bool waits_for_grid(std::string_view line);

/// What it loads, changes and stores where that is one place for all threads: "*total" of `*total += r`, "count[0]" of
/// `count[0]++`. Empty: nothing.
[[nodiscard]] std::string one_place_changed(std::string_view line);

}  // namespace gpulab
