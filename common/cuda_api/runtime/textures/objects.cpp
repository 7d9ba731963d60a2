// Texture and surface objects (CUDA Runtime API: Texture Object Management, Surface Object Management). What is refused
// as an error is what an H200 refuses.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

constexpr std::uint64_t kAlignment = 512, kPitchAlignment = 32;  ///< cudaDeviceProp::textureAlignment, its pitch's

/// Texels of linear memory at most, of an H200: 4 GiB of them.
std::size_t most_linear_texels(const simt::TexelFormat& format) { return (std::size_t{1} << 32) / format.bytes(); }

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// Where the texels lie, and how many; `why` says why they cannot.
std::optional<simt::Texture> of_array(Session& s, cudaArray_const_t handle, cudaError_t& why) {
  const ArrayEntry* array = s.textures.array(handle);
  if (array == nullptr) {
    why = s.because(cudaErrorInvalidResourceHandle, no_array(handle));
    return std::nullopt;
  }
  simt::Texture texture;
  texture.address = array->address;
  texture.format = array->format;
  texture.row_bytes = array->row_bytes();
  texture.slice_bytes = array->row_bytes() * array->rows();
  texture.is_cube = (array->flags & cudaArrayCubemap) != 0;
  const bool is_layered = texture.is_cube || (array->flags & cudaArrayLayered) != 0;
  const auto slices = static_cast<std::uint32_t>(array->slices());
  texture.extent = {static_cast<std::uint32_t>(array->extent.width), static_cast<std::uint32_t>(array->rows()),
                    is_layered ? 1 : slices};
  if (is_layered) texture.layers = texture.is_cube ? slices / 6 : slices;
  return texture;
}

/// Memory of the program's own, linear or in rows of a pitch.
std::optional<simt::Texture> of_memory(Session& s, const cudaResourceDesc& resource, void* caller, cudaError_t& why) {
  const auto refused = [&](cudaError_t error, Reason reason) {
    why = s.because(error, std::move(reason));
    return std::nullopt;
  };
  const bool is_linear = resource.resType == cudaResourceTypeLinear;
  const auto& linear = resource.res.linear;
  const auto& rows = resource.res.pitch2D;
  const auto format = format_of(is_linear ? linear.desc : rows.desc);
  if (!format) return refused(cudaErrorInvalidChannelDescriptor, no_channels(is_linear ? linear.desc : rows.desc));
  simt::Texture texture;
  texture.format = *format;
  texture.address = number(is_linear ? linear.devPtr : rows.devPtr);
  if (texture.address == 0 || texture.address % kAlignment != 0)
    return refused(cudaErrorInvalidValue, misplaced_texels(texture.address, kAlignment));
  if (is_linear) {
    const std::size_t texels = linear.sizeInBytes / format->bytes();
    if (texels > most_linear_texels(*format) || texels > UINT32_MAX)
      return refused(cudaErrorInvalidValue,
                     {fmt::format("{} texels; {} are the most", texels, most_linear_texels(*format))});
    texture.of_linear_memory = true;
    texture.extent[0] = static_cast<std::uint32_t>(texels);
  } else {
    if (rows.width == 0 || rows.height == 0 || rows.width > 131072 || rows.height > 65000 ||
        rows.pitchInBytes % kPitchAlignment != 0 || rows.pitchInBytes < rows.width * format->bytes() ||
        rows.pitchInBytes > 2097120)
      return refused(cudaErrorInvalidValue, texture_pitch(resource, format->bytes(), kPitchAlignment));
    texture.extent = {static_cast<std::uint32_t>(rows.width), static_cast<std::uint32_t>(rows.height), 1};
    texture.row_bytes = texture.slice_bytes = rows.pitchInBytes;
  }
  const MemoryEntry* entry = s.memory.holding(texture.address);
  if (entry == nullptr) return refused(cudaErrorInvalidValue, not_of_device(s, "place of the texels", texture.address));
  const std::size_t there = entry->bytes - (texture.address - entry->address);
  if (texture.bytes() > there) {
    const Reason reason = beyond_allocation("place of the texels", *entry, texture.bytes(), there);
    if (!is_linear) return refused(cudaErrorInvalidValue, reason);
    // An H100 takes it (NVIDIA's convolutionFFT2D): here it ends where the allocation does, and reads 0 behind that.
    s.find("cudaCreateTextureObject: " + reason.why, Severity::warning, caller);
    texture.extent[0] = static_cast<std::uint32_t>(there / format->bytes());
  }
  return texture;
}

simt::AddressMode mode_of(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap:
      return simt::AddressMode::wrap;
    case cudaAddressModeMirror:
      return simt::AddressMode::mirror;
    case cudaAddressModeBorder:
      return simt::AddressMode::border;
    default:
      return simt::AddressMode::clamp;
  }
}

/// How points are found and read; cudaSuccess if a texture of that format can be read so.
cudaError_t describe(Session& s, const cudaTextureDesc& asked, simt::Texture& texture) {
  const bool is_float = texture.format.kind == simt::TexelKind::floating;
  texture.as_fractions = asked.readMode == cudaReadModeNormalizedFloat;
  if (texture.as_fractions && (is_float || texture.format.bits == 32))
    return s.because(cudaErrorInvalidNormSetting, fractions_of(is_float));
  texture.filters = asked.filterMode == cudaFilterModeLinear;
  if (texture.filters && !is_float && !texture.as_fractions)
    return s.because(cudaErrorInvalidFilterSetting, filter_of_integers());
  texture.is_normalized = asked.normalizedCoords != 0;
  texture.is_seamless = asked.seamlessCubemap != 0;
  for (std::size_t k = 0; k < 3; ++k) texture.modes[k] = mode_of(asked.addressMode[k]);
  texture.border = border_of(texture.format, texture.as_fractions, asked.borderColor);
  return cudaSuccess;
}

cudaError_t make_texture(Session& s, cudaTextureObject_t* object, const cudaResourceDesc& resource,
                         const cudaTextureDesc& asked, const cudaResourceViewDesc* view, void* caller) {
  if (resource.resType == cudaResourceTypeMipmappedArray)
    s.refuse("cudaCreateTextureObject of a mipmapped array", caller);
  if (view != nullptr && view->format != cudaResViewFormatNone)
    s.refuse("cudaCreateTextureObject with a resource view", caller);
  if (asked.sRGB != 0) s.refuse("cudaCreateTextureObject with sRGB", caller);
  cudaError_t why = cudaErrorInvalidValue;
  auto texture = resource.resType == cudaResourceTypeArray ? of_array(s, resource.res.array.array, why)
                                                           : of_memory(s, resource, caller, why);
  if (!texture) return why;
  if (const auto e = describe(s, asked, *texture); e != cudaSuccess) return e;
  *object = s.device().make_texture(*texture);
  s.textures.objects[*object] = {false, resource, asked};
  return cudaSuccess;
}

/// The object of a handle, which is a surface's or a texture's; nullptr where there is none.
const TextureEntry* entry_of(const Session& s, unsigned long long handle, bool surface) {
  const auto found = s.textures.objects.find(handle);
  return found == s.textures.objects.end() || found->second.is_surface != surface ? nullptr : &found->second;
}

[[gnu::always_inline]] inline cudaError_t destroy(const char* name, unsigned long long handle, bool surface) {
  return call(name, Waits::no, [&](Session& s) {
    if (handle == 0) return cudaSuccess;
    if (entry_of(s, handle, surface) == nullptr) return cudaErrorInvalidValue;
    s.device().release_texture(handle);
    s.textures.objects.erase(handle);
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  void* const caller = __builtin_return_address(0);
  return call("cudaCreateTextureObject", Waits::no, [&](Session& s) {
    if (object == nullptr || resource == nullptr || texture == nullptr)
      return s.because(cudaErrorInvalidValue, null_argument(object == nullptr     ? "place for the object"
                                                            : resource == nullptr ? "resource's description"
                                                                                  : "texture's description"));
    return make_texture(s, object, *resource, *texture, view, caller);
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return destroy("cudaDestroyTextureObject", object, false);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  return call("cudaGetTextureObjectResourceDesc", Waits::no, [&](Session& s) {
    const TextureEntry* entry = entry_of(s, object, false);
    if (entry == nullptr || resource == nullptr) return cudaErrorInvalidValue;
    *resource = entry->resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  return call("cudaGetTextureObjectTextureDesc", Waits::no, [&](Session& s) {
    const TextureEntry* entry = entry_of(s, object, false);
    if (entry == nullptr || texture == nullptr) return cudaErrorInvalidValue;
    *texture = entry->texture;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return call("cudaCreateSurfaceObject", Waits::no, [&](Session& s) {
    if (object == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
      return s.because(cudaErrorInvalidValue, surface_of_no_array());
    cudaError_t why = cudaErrorInvalidValue;
    auto surface = of_array(s, resource->res.array.array, why);
    if (!surface) return why;
    surface->is_surface = true;
    *object = s.device().make_texture(*surface);
    s.textures.objects[*object] = {true, *resource, {}};
    return cudaSuccess;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return destroy("cudaDestroySurfaceObject", object, true);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  return call("cudaGetSurfaceObjectResourceDesc", Waits::no, [&](Session& s) {
    const TextureEntry* entry = entry_of(s, object, true);
    if (entry == nullptr || resource == nullptr) return cudaErrorInvalidValue;
    *resource = entry->resource;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* texels, const cudaChannelFormatDesc* channels, int device) {
  return call("cudaDeviceGetTexture1DLinearMaxWidth", Waits::no, [&](Session& s) {
    if (!s.has_gpu(device)) return cudaErrorInvalidDevice;
    if (texels == nullptr || channels == nullptr) return cudaErrorInvalidValue;
    const auto format = format_of(*channels);
    if (!format) return cudaErrorInvalidValue;
    *texels = most_linear_texels(*format);
    return cudaSuccess;
  });
}

}  // extern "C"
