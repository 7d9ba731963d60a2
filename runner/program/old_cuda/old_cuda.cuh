// What `gpulab exec --old-cuda` and `gpulab nvcc --old-cuda` put before a program's files: names that CUDA has dropped, by
// what stands for them now. A row for each is in runner/student_file/compilers/dropped_names.cpp.
#ifndef GPULAB_OLD_CUDA
#define GPULAB_OLD_CUDA
#if defined(__cplusplus) && __cplusplus >= 201103L
#include <cuda_runtime.h>

// ---- functions of threads, as contexts were called up to CUDA 4 ----
#if CUDART_VERSION >= 13000
static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
static inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
static inline cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
static inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
static inline cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) { return cudaDeviceGetCacheConfig(config); }

// ---- fields of structs: a struct with both stands under the old name ----
struct gpulab_old_device_prop : cudaDeviceProp {
  int clockRate, memoryClockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode,
      singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch, maxTexture1DLinear;
};
static inline cudaError_t cudaGetDeviceProperties(gpulab_old_device_prop* properties, int device) {
  cudaDeviceProp now;
  const cudaError_t error = cudaGetDeviceProperties(&now, device);
  if (error != cudaSuccess) return error;
  static_cast<cudaDeviceProp&>(*properties) = now;
  const auto of = [device](cudaDeviceAttr attribute) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess ? value : 0;
  };
  properties->clockRate = of(cudaDevAttrClockRate);
  properties->memoryClockRate = of(cudaDevAttrMemoryClockRate);
  properties->deviceOverlap = now.asyncEngineCount > 0;
  properties->kernelExecTimeoutEnabled = of(cudaDevAttrKernelExecTimeout);
  properties->computeMode = of(cudaDevAttrComputeMode);
  properties->singleToDoublePrecisionPerfRatio = of(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  properties->cooperativeMultiDeviceLaunch = 0;
  properties->maxTexture1DLinear = 268435456;
  return cudaSuccess;
}

// ---- other forms of functions that are still there ----
static inline cudaMemLocation gpulab_location(int device) {
  cudaMemLocation place;
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return place;
}
static inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(pointer, bytes, gpulab_location(device), 0u, stream);
}
static inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(pointer, bytes, advice, gpulab_location(device));
}
static inline cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, size_t bytes, cudaMemLocation place, unsigned flags,
                                                  cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(pointer, bytes, place, flags, stream);
}
static inline cudaError_t cudaMemAdvise_v2(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                                           cudaMemLocation place) {
  return cudaMemAdvise(pointer, bytes, advice, place);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                                   size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
#endif
#if defined(GPULAB_OLD_DRIVER) && CUDART_VERSION >= 13000
#include <cuda.h>
static inline CUresult gpulab_ctx_create(CUcontext* context, unsigned flags, CUdevice device) {
  return cuCtxCreate(context, nullptr, flags, device);
}
static inline CUresult gpulab_ctx_create(CUcontext* context, CUctxCreateParams* how, unsigned flags, CUdevice device) {
  return cuCtxCreate(context, how, flags, device);
}
static inline CUmemLocation gpulab_driver_location(CUdevice device) {
  CUmemLocation place;
  place.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  place.id = device == CU_DEVICE_CPU ? 0 : device;
  return place;
}
static inline CUresult gpulab_prefetch(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream) {
  return cuMemPrefetchAsync(pointer, bytes, gpulab_driver_location(device), 0, stream);
}
static inline CUresult gpulab_prefetch(CUdeviceptr pointer, size_t bytes, CUmemLocation place, unsigned flags, CUstream stream) {
  return cuMemPrefetchAsync(pointer, bytes, place, flags, stream);
}
static inline CUresult gpulab_advise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device) {
  return cuMemAdvise(pointer, bytes, advice, gpulab_driver_location(device));
}
static inline CUresult gpulab_advise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation place) {
  return cuMemAdvise(pointer, bytes, advice, place);
}
#undef cuCtxCreate
#undef cuMemPrefetchAsync
#undef cuMemAdvise
#define cuCtxCreate gpulab_ctx_create
#define cuMemPrefetchAsync gpulab_prefetch
#define cuMemAdvise gpulab_advise
#endif
#if CUDART_VERSION >= 11000
struct gpulab_old_pointer_attributes : cudaPointerAttributes {
  cudaMemoryType memoryType;
  int isManaged;
};
static inline cudaError_t cudaPointerGetAttributes(gpulab_old_pointer_attributes* attributes, const void* pointer) {
  cudaPointerAttributes now;
  const cudaError_t error = cudaPointerGetAttributes(&now, pointer);
  if (error != cudaSuccess) return error;
  static_cast<cudaPointerAttributes&>(*attributes) = now;
  attributes->isManaged = now.type == cudaMemoryTypeManaged;
  attributes->memoryType = attributes->isManaged ? cudaMemoryTypeDevice : now.type;
  return cudaSuccess;
}
#define cudaPointerAttributes gpulab_old_pointer_attributes
#endif
#if CUDART_VERSION >= 13000
#define cudaDeviceProp gpulab_old_device_prop
#endif

// ---- thrust ----
#ifdef GPULAB_OLD_THRUST
namespace thrust {
template <class Argument, class Result>
struct unary_function {
  typedef Argument argument_type;
  typedef Result result_type;
};
template <class First, class Second, class Result>
struct binary_function {
  typedef First first_argument_type;
  typedef Second second_argument_type;
  typedef Result result_type;
};
#ifdef __CUDACC__
template <class T>
struct identity {
  typedef T argument_type;
  typedef T result_type;
  __host__ __device__ const T& operator()(const T& value) const { return value; }
};
#endif
}  // namespace thrust
#endif

#ifdef __CUDACC__
// ---- kernels that wait for what they have launched ----
#if defined(GPULAB_OLD_WAITS) && defined(__CUDACC_RDC__) && CUDART_VERSION >= 12000
extern "C" __device__ cudaError_t __gpulabDeviceSynchronize();  // the simulator's own
static inline __host__ __device__ cudaError_t gpulab_device_synchronize() {
#ifdef __CUDA_ARCH__
  return __gpulabDeviceSynchronize();
#else
  return cudaDeviceSynchronize();
#endif
}
#define cudaDeviceSynchronize() gpulab_device_synchronize()
#endif

// ---- warps: of the lanes that run, as in lockstep ----
#if CUDART_VERSION >= 13000
#define GPULAB_SHUFFLE(name, type)                                      \
  template <class T>                                                    \
  __device__ inline T name(T value, type which, int width = 32) {       \
    return name##_sync(__activemask(), value, which, width);            \
  }
GPULAB_SHUFFLE(__shfl, int)
GPULAB_SHUFFLE(__shfl_up, unsigned)
GPULAB_SHUFFLE(__shfl_down, unsigned)
GPULAB_SHUFFLE(__shfl_xor, int)
#undef GPULAB_SHUFFLE
#endif
#ifdef GPULAB_OLD_VOTES
// The C++ library of CUDA has a struct of such a name.
#if __has_include(<cuda/std/functional>) && __cplusplus >= 201703L
#include <cuda/std/functional>
#endif
#define __any(predicate) __any_sync(__activemask(), predicate)
#define __all(predicate) __all_sync(__activemask(), predicate)
#define __ballot(predicate) __ballot_sync(__activemask(), predicate)
#endif

// ---- texture references: an object in a variable that the host and kernels see ----
#if defined(GPULAB_OLD_TEXTURES) && CUDART_VERSION >= 12000
namespace gpulab_old {

template <class T, cudaTextureReadMode mode>
struct read {
  typedef T type;
};
#define GPULAB_NORMALIZED(from, to)                      \
  template <>                                            \
  struct read<from, cudaReadModeNormalizedFloat> {       \
    typedef to type;                                     \
  }
GPULAB_NORMALIZED(char, float);
GPULAB_NORMALIZED(signed char, float);
GPULAB_NORMALIZED(unsigned char, float);
GPULAB_NORMALIZED(short, float);
GPULAB_NORMALIZED(unsigned short, float);
GPULAB_NORMALIZED(char2, float2);
GPULAB_NORMALIZED(uchar2, float2);
GPULAB_NORMALIZED(short2, float2);
GPULAB_NORMALIZED(ushort2, float2);
GPULAB_NORMALIZED(char4, float4);
GPULAB_NORMALIZED(uchar4, float4);
GPULAB_NORMALIZED(short4, float4);
GPULAB_NORMALIZED(ushort4, float4);
#undef GPULAB_NORMALIZED

template <class T, int dimensions = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaTextureObject_t object;
  typedef typename read<T, mode>::type Value;
  __host__ __device__ constexpr texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                                        cudaTextureAddressMode address = cudaAddressModeClamp)
      : normalized(norm), filterMode(filter), addressMode{address, address, address}, object(0) {}
};

template <class T, int d, cudaTextureReadMode m>
cudaError_t bind(texture<T, d, m>& reference, const cudaResourceDesc& resource) {
  cudaTextureDesc how = {};
  for (int i = 0; i < 3; ++i) how.addressMode[i] = reference.addressMode[i];
  how.filterMode = reference.filterMode;
  how.readMode = m;
  how.normalizedCoords = reference.normalized;
  if (reference.object != 0) (void)cudaDestroyTextureObject(reference.object);
  reference.object = 0;
  return cudaCreateTextureObject(&reference.object, &resource, &how, nullptr);
}

}  // namespace gpulab_old

template <class T, int d, cudaTextureReadMode m>
cudaError_t cudaBindTexture(size_t* offset, gpulab_old::texture<T, d, m>& reference, const void* pointer,
                            const cudaChannelFormatDesc& format, size_t bytes) {
  if (offset != nullptr) *offset = 0;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void*>(pointer);
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = bytes;
  return gpulab_old::bind(reference, resource);
}
template <class T, int d, cudaTextureReadMode m>
cudaError_t cudaBindTexture(size_t* offset, gpulab_old::texture<T, d, m>& reference, const void* pointer, size_t bytes) {
  return cudaBindTexture(offset, reference, pointer, cudaCreateChannelDesc<T>(), bytes);
}
template <class T, int d, cudaTextureReadMode m>
cudaError_t cudaBindTexture2D(size_t* offset, gpulab_old::texture<T, d, m>& reference, const void* pointer,
                              const cudaChannelFormatDesc& format, size_t width, size_t height, size_t pitch) {
  if (offset != nullptr) *offset = 0;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = const_cast<void*>(pointer);
  resource.res.pitch2D.desc = format;
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  return gpulab_old::bind(reference, resource);
}
template <class T, int d, cudaTextureReadMode m>
cudaError_t cudaBindTexture2D(size_t* offset, gpulab_old::texture<T, d, m>& reference, const void* pointer, size_t width,
                              size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, reference, pointer, cudaCreateChannelDesc<T>(), width, height, pitch);
}
template <class T, int d, cudaTextureReadMode m>
cudaError_t cudaBindTextureToArray(gpulab_old::texture<T, d, m>& reference, cudaArray_const_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return gpulab_old::bind(reference, resource);
}
template <class T, int d, cudaTextureReadMode m>
cudaError_t cudaBindTextureToArray(gpulab_old::texture<T, d, m>& reference, cudaArray_const_t array,
                                   const cudaChannelFormatDesc&) {
  return cudaBindTextureToArray(reference, array);
}
template <class T, int d, cudaTextureReadMode m>
cudaError_t cudaUnbindTexture(gpulab_old::texture<T, d, m>& reference) {
  const cudaTextureObject_t object = reference.object;
  reference.object = 0;
  return object == 0 ? cudaSuccess : cudaDestroyTextureObject(object);
}
#define GPULAB_FETCH(name, parameters, ...)                                                                      \
  template <class T, int d, cudaTextureReadMode m>                                                                \
  __device__ inline typename gpulab_old::texture<T, d, m>::Value name(const gpulab_old::texture<T, d, m>& reference, \
                                                                      parameters) {                               \
    return ::name<typename gpulab_old::texture<T, d, m>::Value>(reference.object, __VA_ARGS__);                   \
  }
#define GPULAB_COMMA ,
GPULAB_FETCH(tex1Dfetch, int x, x)
GPULAB_FETCH(tex1D, float x, x)
GPULAB_FETCH(tex2D, float x GPULAB_COMMA float y, x, y)
GPULAB_FETCH(tex3D, float x GPULAB_COMMA float y GPULAB_COMMA float z, x, y, z)
GPULAB_FETCH(tex1DLayered, float x GPULAB_COMMA int layer, x, layer)
GPULAB_FETCH(tex2DLayered, float x GPULAB_COMMA float y GPULAB_COMMA int layer, x, y, layer)
GPULAB_FETCH(tex1DLod, float x GPULAB_COMMA float level, x, level)
GPULAB_FETCH(tex2DLod, float x GPULAB_COMMA float y GPULAB_COMMA float level, x, y, level)
#undef GPULAB_FETCH
#undef GPULAB_COMMA
#define texture __managed__ gpulab_old::texture
#endif
#endif  // __CUDACC__
#endif  // __cplusplus
#endif
