#pragma once
// The steps of a tree over the elements of a block, as the lecture puts them on the board: which threads work, in how
// many warps, and on which pairs.

#include <cstdint>
#include <string>
#include <vector>

#include "labs/lab.h"

namespace gpulab::labs::reduce {

/// Which threads take the pairs of a step whose elements are s apart.
enum class Numbering {
  multiples,      ///< thread t = 0, 2 s, 4 s … takes t and t + s: scattered over all warps
  first_threads,  ///< thread t takes 2 s t and 2 s t + s: the first threads work, their words are 2 s apart
  halves,         ///< thread t < s takes t and t + s; s starts at half of the elements: neighbours on neighbours
};

struct Tree {
  Numbering numbering{};
  std::uint32_t elements_per_thread = 1;  ///< that enter the tree
  bool in_shared = false;                 ///< memory, which has banks
  std::uint32_t extra_steps = 0;          ///< at its end, in which no thread works
};

struct TreeStep {
  std::uint32_t s = 0;        ///< the elements of a pair are s apart
  std::uint32_t threads = 0;  ///< that work
  std::uint32_t warps = 0;    ///< with a thread that works
  /// Words of the left elements that the threads of one warp have in one bank at once, at most: 1 is no conflict.
  std::uint32_t words_per_bank = 0;
};

/// Of a full block of `block` threads, elements of `bytes` bytes.
[[nodiscard]] std::vector<TreeStep> steps_of(const Tree& tree, std::uint32_t block, std::size_t bytes);

/// How many warps of a block work in all steps together; under --print each step with its threads and pairs.
[[nodiscard]] Variant with_steps(Variant variant, const Tree& tree);

}  // namespace gpulab::labs::reduce
