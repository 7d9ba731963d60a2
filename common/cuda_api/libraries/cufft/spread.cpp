#include "common/cuda_api/libraries/cufft/spread.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace gpulab::cufft {
namespace {

constexpr i64 kLeastSide = 32;  ///< of the first two dimensions
constexpr i64 kLeastLine = 64;  ///< of one dimension

/// The `part`-th of `parts` pieces of `count`, of which the first ones are longer by one where it does not go up.
Run piece(i64 count, i64 parts, i64 part) {
  const i64 each = count / parts, longer = count % parts;
  return {part * each + std::min(part, longer), each + (part < longer ? 1 : 0)};
}

/// Of each dimension, the last one's in complex elements.
std::vector<i64> complex_sizes(const Plan& plan) {
  std::vector<i64> n = plan.n;
  if (plan.real_in() || plan.real_out()) n.back() = n.back() / 2 + 1;
  return n;
}
i64 product(const std::vector<i64>& n, std::size_t from) {
  return std::accumulate(n.begin() + static_cast<std::ptrdiff_t>(from), n.end(), i64{1}, std::multiplies<>());
}

/// Strings of one GPU: each consists of pieces that lie `period` apart in the whole.
Share strings(const Strings& whole, i64 period, Run mine) {
  const i64 piece = period / whole.count;
  Share share;
  for (i64 string = mine.first; string < mine.first + mine.count; ++string)
    for (i64 j = 0; j < whole.size / period; ++j) share.push_back({string * piece + j * period, piece});
  return share;
}

Share share_of(const Plan& plan, cufftXtSubFormat format, i64 gpus, i64 gpu) {
  const std::vector<i64> n = complex_sizes(plan);
  if (sharing_of(plan) == Sharing::batch) {
    const Run items = piece(plan.batch, gpus, gpu);
    return {{items.first * product(n, 0), items.count * product(n, 0)}};
  }
  if (format == CUFFT_XT_FORMAT_INPLACE || gpus == 1) {
    const Run slabs = piece(n[0], gpus, gpu);
    return {{slabs.first * product(n, 1), slabs.count * product(n, 1)}};
  }
  if (sharing_of(plan) == Sharing::strings) {
    const Strings whole = strings_of(plan);
    const bool after = format == CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
    return strings(whole, after ? whole.outer : whole.inner, piece(whole.count, gpus, gpu));
  }
  const Run slabs = piece(n[1], gpus, gpu);
  Share share;
  for (i64 x = 0; x < n[0]; ++x)
    share.push_back({x * product(n, 1) + slabs.first * product(n, 2), slabs.count * product(n, 2)});
  return share;
}

}  // namespace

i64 elements_of(const Share& share) {
  i64 all = 0;
  for (const Run& run : share) all += run.count;
  return all;
}
i64 elements_of(const Plan& plan) { return product(complex_sizes(plan), 0) * plan.batch; }

Sharing sharing_of(const Plan& plan) {
  if (plan.batch > 1) return Sharing::batch;
  return plan.n.size() == 1 ? Sharing::strings : Sharing::slabs;
}

bool is_one_way(const Plan& plan) {
  return sharing_of(plan) == Sharing::slabs && plan.n.size() == 2 && plan.gpus.size() > 1 &&
         (plan.real_in() || plan.real_out());
}

/// The inner factor has a third of the length's bits, rounded up, but in long transforms. So seen on two and four GPUs
/// for floats and doubles from 2^6 to 2^28.
Strings strings_of(const Plan& plan) {
  constexpr std::array<int, 9> kLong = {8, 9, 9, 9, 8, 9, 9, 9, 9};  // from 2^20 on
  const i64 size = plan.n[0], gpus = static_cast<i64>(plan.gpus.size());
  const int bits = std::countr_zero(static_cast<std::uint64_t>(size));
  const std::size_t beyond = static_cast<std::size_t>(std::max(bits - 20, 0));
  const int inner_bits = bits >= 20 && beyond < kLong.size() ? kLong[beyond] : (bits + 2) / 3;
  const i64 inner = i64{1} << inner_bits, outer = size / inner;
  return {size, outer, inner, inner >= 4 * gpus ? 4 * gpus : gpus};
}

std::vector<Share> shares_of(const Plan& plan, cufftXtSubFormat format) {
  const Sharing sharing = sharing_of(plan);
  const bool natural = format == CUFFT_XT_FORMAT_INPLACE, shuffled = format == CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
  bool is = natural || shuffled;
  if (sharing == Sharing::strings) is = is || format == CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED;
  if (sharing == Sharing::batch) is = natural || format == CUFFT_XT_FORMAT_INPUT || format == CUFFT_XT_FORMAT_OUTPUT;
  std::vector<Share> made;
  const auto gpus = static_cast<i64>(plan.gpus.size());
  for (i64 gpu = 0; is && gpu < gpus; ++gpu) made.push_back(share_of(plan, format, gpus, gpu));
  return made;
}

cufftResult check_format(const Plan& plan, cufftXtSubFormat format) {
  const Sharing sharing = sharing_of(plan);
  if (format == CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED && sharing != Sharing::strings) return CUFFT_INVALID_PLAN;
  if (format < CUFFT_XT_FORMAT_INPUT || format > CUFFT_FORMAT_UNDEFINED) return CUFFT_INVALID_VALUE;
  const auto last = sharing == Sharing::strings ? CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED
                    : sharing == Sharing::batch ? CUFFT_XT_FORMAT_INPLACE
                                                : CUFFT_FORMAT_UNDEFINED;
  return format <= last ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

cufftXtSubFormat behind(const Plan& plan, cufftXtSubFormat format) {
  if (shares_of(plan, format).empty()) return CUFFT_FORMAT_UNDEFINED;
  if (sharing_of(plan) == Sharing::batch || plan.gpus.size() == 1) return format;
  const bool shuffled = format == CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
  if (is_one_way(plan) && shuffled != plan.real_out()) return CUFFT_FORMAT_UNDEFINED;
  if (!shuffled) return CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
  return sharing_of(plan) == Sharing::strings ? CUFFT_FORMAT_UNDEFINED : CUFFT_XT_FORMAT_INPLACE;
}

cufftResult wrong_format(const Plan& plan) {
  return sharing_of(plan) == Sharing::strings ? CUFFT_INVALID_TYPE : CUFFT_INTERNAL_ERROR;
}

cufftResult check_for_gpus(const Plan& plan) {
  if (plan.gpus.empty() || plan.batch > 1) return CUFFT_SUCCESS;
  if (plan.n.size() > 1) return plan.n[0] < kLeastSide || plan.n[1] < kLeastSide ? CUFFT_INVALID_SIZE : CUFFT_SUCCESS;
  const bool is = !plan.real_in() && !plan.real_out() && plan.n[0] >= kLeastLine &&
                  std::has_single_bit(static_cast<std::uint64_t>(plan.n[0])) && std::has_single_bit(plan.gpus.size());
  return is ? CUFFT_SUCCESS : CUFFT_INVALID_SIZE;
}

}  // namespace gpulab::cufft
