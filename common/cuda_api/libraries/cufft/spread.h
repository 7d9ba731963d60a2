#pragma once
// Where the elements of a plan lie that several GPUs share, and what can be done with each format. All as two, three
// and four H100s had it (CUDA 13.0): tests/libraries/several_gpus/fourier_gpus.cu.

#include <cufftXt.h>

#include "common/cuda_api/libraries/cufft/plan.h"

namespace gpulab::cufft {

/// Complex elements that lie one behind the other on a GPU and in the whole array, too.
struct Run {
  i64 first, count;
};
/// What one GPU has, in the order in which it lies there.
using Share = std::vector<Run>;
[[nodiscard]] i64 elements_of(const Share& share);

/// Complex elements of all: lines of real numbers are padded to the room of the complex ones that they become.
[[nodiscard]] i64 elements_of(const Plan& plan);
/// One share for each GPU of the plan; nothing: no data lies in that format.
[[nodiscard]] std::vector<Share> shares_of(const Plan& plan, cufftXtSubFormat format);

/// How such a transform is shared out: in one dimension by the strings that its two factors make, of which each GPU has
/// some; in more by slabs of the first dimension, then of the second; of a batch whole transforms.
enum class Sharing : std::uint8_t { strings, slabs, batch };
[[nodiscard]] Sharing sharing_of(const Plan& plan);
/// In two dimensions real numbers lie in slabs of the first dimension alone, and complex ones in slabs of the second.
[[nodiscard]] bool is_one_way(const Plan& plan);

/// What NVIDIA's library says of memory of that format. Success does not mean that there is any: shares_of.
[[nodiscard]] cufftResult check_format(const Plan& plan, cufftXtSubFormat format);
/// The format behind a transform of data in that one; undefined: there is none.
[[nodiscard]] cufftXtSubFormat behind(const Plan& plan, cufftXtSubFormat format);
/// What it says where a format cannot be copied or transformed so.
[[nodiscard]] cufftResult wrong_format(const Plan& plan);
/// Whether several GPUs can do such a transform.
[[nodiscard]] cufftResult check_for_gpus(const Plan& plan);

/// A transform of one dimension on several GPUs: `size` is `outer` times `inner`, and each GPU has some of the strings.
struct Strings {
  i64 size, outer, inner, count;
};
[[nodiscard]] Strings strings_of(const Plan& plan);

}  // namespace gpulab::cufft
