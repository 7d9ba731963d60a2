// Texture and surface objects (CUDA Driver API: Texture Object Management, Surface Object Management).

#include <cuda_runtime_api.h>

#include <algorithm>
#include <iterator>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/memory/array_formats.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// Nothing where the format has none of its kind.
std::optional<cudaResourceDesc> resource_of(const CUDA_RESOURCE_DESC& asked) {
  cudaResourceDesc resource{};
  std::optional<cudaChannelFormatDesc> channels;
  switch (asked.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      resource.resType = cudaResourceTypeArray;
      resource.res.array.array = as_runtime(asked.res.array.hArray);
      return resource;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      resource.resType = cudaResourceTypeMipmappedArray;
      return resource;
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = asked.res.linear;
      channels = channels_of(linear.format, linear.numChannels);
      if (!channels) return std::nullopt;
      resource.resType = cudaResourceTypeLinear;
      resource.res.linear = {pointer_of(linear.devPtr), *channels, linear.sizeInBytes};
      return resource;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& rows = asked.res.pitch2D;
      channels = channels_of(rows.format, rows.numChannels);
      if (!channels) return std::nullopt;
      resource.resType = cudaResourceTypePitch2D;
      resource.res.pitch2D = {pointer_of(rows.devPtr), *channels, rows.width, rows.height, rows.pitchInBytes};
      return resource;
    }
    default:
      return std::nullopt;
  }
}

/// Integers of 8 and 16 bits are read as fractions, unless a flag says no.
bool has_fractions(Session& s, const cudaResourceDesc& resource) {
  cudaChannelFormatDesc channels{};
  if (resource.resType == cudaResourceTypeArray) {
    const ArrayEntry* array = s.textures.array(resource.res.array.array);
    if (array != nullptr) channels = array->channels;
  } else {
    channels = resource.resType == cudaResourceTypeLinear ? resource.res.linear.desc : resource.res.pitch2D.desc;
  }
  return channels.f != cudaChannelFormatKindFloat && channels.x < 32;
}

cudaTextureDesc texture_of(Session& s, const CUDA_TEXTURE_DESC& asked, const cudaResourceDesc& resource) {
  cudaTextureDesc texture{};
  for (int i = 0; i < 3; ++i) texture.addressMode[i] = static_cast<cudaTextureAddressMode>(asked.addressMode[i]);
  texture.filterMode = static_cast<cudaTextureFilterMode>(asked.filterMode);
  const bool as_they_are = (asked.flags & CU_TRSF_READ_AS_INTEGER) != 0 || !has_fractions(s, resource);
  texture.readMode = as_they_are ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  texture.normalizedCoords = (asked.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
  texture.sRGB = (asked.flags & CU_TRSF_SRGB) != 0 ? 1 : 0;
  texture.seamlessCubemap = (asked.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0 ? 1 : 0;
  texture.maxAnisotropy = asked.maxAnisotropy;
  std::copy(std::begin(asked.borderColor), std::end(asked.borderColor), texture.borderColor);
  return texture;
}

Reason no_format() {
  return {"no texture here has texels of this format",
          "CU_AD_FORMAT_UNSIGNED_INT8, INT16, INT32, the same signed, HALF and FLOAT; 1, 2 or 4 channels"};
}

}  // namespace

extern "C" {

CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* asked, const CUDA_TEXTURE_DESC* texture,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuTexObjectCreate", Needs::context, [&](Session& s) {
    if (object == nullptr || asked == nullptr || texture == nullptr)
      return s.because(cudaErrorInvalidValue, null_argument("description"));
    if (view != nullptr && view->format != CU_RES_VIEW_FORMAT_NONE)
      s.refuse("cuTexObjectCreate with a resource view", caller);
    const auto resource = resource_of(*asked);
    if (!resource) return s.because(cudaErrorInvalidValue, no_format());
    const cudaTextureDesc wanted = texture_of(s, *texture, *resource);
    return cudaCreateTextureObject(object, &*resource, &wanted, nullptr);
  });
}

CUresult cuTexObjectDestroy(CUtexObject object) {
  return by_runtime("cuTexObjectDestroy", [&] { return cudaDestroyTextureObject(object); });
}

CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* asked) {
  return driver_call("cuSurfObjectCreate", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, null_argument("description"));
    const auto resource = resource_of(*asked);
    return cudaCreateSurfaceObject(object, resource ? &*resource : nullptr);
  });
}

CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return by_runtime("cuSurfObjectDestroy", [&] { return cudaDestroySurfaceObject(object); });
}

}  // extern "C"
