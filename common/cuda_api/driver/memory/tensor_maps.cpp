// Tensor maps (CUDA Driver API: Tensor Map Object Management): what kernels' tensor copies go by. What is refused is
// what an H100 refuses.

#include <fmt/format.h>

#include <cstring>
#include <span>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/simt/machine/memory/tensor_map.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

using simt::TensorMap;

constexpr const char* kLayout = "CUDA Driver API: cuTensorMapEncodeTiled says what each may be";

/// What the caller asks for.
struct Asked {
  CUtensorMapDataType type;
  void* address;
  std::span<const cuuint64_t> extents, strides;
  std::span<const cuuint32_t> box, every;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapFloatOOBfill fill;
};

/// What is wrong with a dimension; empty: nothing.
std::string wrong_dimension(const Asked& asked, std::size_t d) {
  if (asked.extents[d] == 0 || asked.extents[d] > std::uint64_t{1} << 32)
    return fmt::format("dimension {} of the tensor has {} elements; 1 to 2^32 may be", d, asked.extents[d]);
  if (asked.box[d] == 0 || asked.box[d] > 256)
    return fmt::format("dimension {} of the box has {} elements; 1 to 256 may be", d, asked.box[d]);
  if (asked.every[d] == 0 || asked.every[d] > 8)
    return fmt::format("the element stride of dimension {} is {}; 1 to 8 may be", d, asked.every[d]);
  if (d == 0) return {};
  const std::uint64_t stride = asked.strides[d - 1];
  if (stride % 16 != 0 || stride >= std::uint64_t{1} << 40)
    return fmt::format("dimension {} has a stride of {} bytes; multiples of 16 below 2^40 may be", d, stride);
  return {};
}

/// What is wrong with a map; empty: nothing.
std::string wrong(const Asked& asked) {
  const std::uint64_t address = address_of(asked.address);
  if (address % 16 != 0) return fmt::format("the tensor's address is {:#x}; it must be a multiple of 16", address);
  for (std::size_t d = 0; d < asked.extents.size(); ++d)
    if (auto text = wrong_dimension(asked, d); !text.empty()) return text;
  const std::uint32_t row = asked.box[0] * simt::element_bytes(static_cast<simt::TensorType>(asked.type));
  if (row % 16 != 0) return fmt::format("a row of the box has {} bytes; multiples of 16 may be", row);
  if (asked.swizzle != CU_TENSOR_MAP_SWIZZLE_NONE && row > 16u << static_cast<unsigned>(asked.swizzle))
    return fmt::format("a row of the box has {} bytes; with this swizzle {} are the most", row,
                       16u << static_cast<unsigned>(asked.swizzle));
  if (asked.fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE && !simt::is_floating(static_cast<simt::TensorType>(asked.type)))
    return "whole numbers have no NaN for what is outside of the tensor";
  return {};
}

TensorMap map_of(const Asked& asked) {
  TensorMap map;
  map.address = address_of(asked.address);
  map.rank = static_cast<std::uint8_t>(asked.extents.size());
  map.type = static_cast<simt::TensorType>(asked.type);
  map.swizzle = static_cast<std::uint8_t>(asked.swizzle);
  map.nan_outside = asked.fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  for (std::size_t d = 0; d < map.rank; ++d) {
    map.last[d] = static_cast<std::uint32_t>(asked.extents[d] - 1);
    map.box[d] = static_cast<std::uint16_t>(asked.box[d]);
    // The innermost dimension's is passed over, as the manual says.
    map.every[d] = d == 0 ? 1 : static_cast<std::uint8_t>(asked.every[d]);
    if (d > 0) map.strides[d - 1] = asked.strides[d - 1];
  }
  return map;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* every, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuTensorMapEncodeTiled", Needs::nothing, [&](Session& s) {
    const auto refused = [&](std::string why) {
      return s.because(cudaErrorInvalidValue, Reason{std::move(why), kLayout});
    };
    if (map == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the tensor map"));
    if (rank < 1 || rank > simt::kMostDimensions)
      return refused(fmt::format("a tensor of {} dimensions; 1 to 5 may be", rank));
    if (extents == nullptr || box == nullptr || every == nullptr || strides == nullptr)
      return s.because(cudaErrorInvalidValue, null_argument("extents, strides, box or element strides"));
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE && interleave <= CU_TENSOR_MAP_INTERLEAVE_32B && rank >= 3)
      s.refuse("cuTensorMapEncodeTiled with an interleaved layout", caller);
    if (static_cast<unsigned>(type) >= simt::kTensorTypes || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
        static_cast<unsigned>(swizzle) > CU_TENSOR_MAP_SWIZZLE_128B ||
        static_cast<unsigned>(promotion) > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        static_cast<unsigned>(fill) > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
      return refused("a type, layout, swizzle, promotion or fill that there is not");
    const Asked asked{type,    address, {extents, rank}, {strides, rank - 1}, {box, rank}, {every, rank}, interleave,
                      swizzle, fill};
    if (auto text = wrong(asked); !text.empty()) return refused(std::move(text));
    const TensorMap made = map_of(asked);
    static_assert(sizeof made == sizeof *map);
    std::memcpy(map, &made, sizeof made);
    return cudaSuccess;
  });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  return driver_call("cuTensorMapReplaceAddress", Needs::nothing, [&](Session& s) {
    if (map == nullptr) return s.because(cudaErrorInvalidValue, null_argument("tensor map"));
    auto changed = simt::tensor_map_at(reinterpret_cast<const std::byte*>(map));
    if (!changed || address_of(address) % 16 != 0)
      return s.because(cudaErrorInvalidValue,
                       Reason{"no tensor map, or an address that is no multiple of 16", kLayout});
    changed->address = address_of(address);
    std::memcpy(map, &*changed, sizeof *changed);
    return cudaSuccess;
  });
}

}  // extern "C"
