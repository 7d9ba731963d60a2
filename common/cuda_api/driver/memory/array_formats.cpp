#include "common/cuda_api/driver/memory/array_formats.h"

namespace gpulab::cuda_api {
namespace {

struct Known {
  CUarray_format format;
  int bits;
  cudaChannelFormatKind kind;
};
constexpr Known kFormats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

}  // namespace

std::optional<cudaChannelFormatDesc> channels_of(CUarray_format format, unsigned count) {
  for (const auto& known : kFormats)
    if (known.format == format && (count == 1 || count == 2 || count == 4))
      return cudaChannelFormatDesc{known.bits, count > 1 ? known.bits : 0, count > 2 ? known.bits : 0,
                                   count > 3 ? known.bits : 0, known.kind};
  return std::nullopt;
}

CUarray_format format_of_driver(const cudaChannelFormatDesc& channels) {
  for (const auto& known : kFormats)
    if (known.bits == channels.x && known.kind == channels.f) return known.format;
  return {};
}

}  // namespace gpulab::cuda_api
