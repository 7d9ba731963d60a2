// Calls that fail: named where the program drops what they return, and only there.
// case: -- symbol :: 1
// err: error: api: cudaMemcpyToSymbol: 256 bytes, but 'coef' has 128 \(called by unlooked\.cu:@cudaMemcpyToSymbol(coef, h, 256)@; cudaErrorInvalidValue, which the program did not look at\); copy at most sizeof\(coef\) bytes, or declare it larger
// case: -- by_name :: 1
// err: error: api: cudaMemcpy: the destination is not memory of the device, but what stands for the device's variable 'coef' in the host's program \(called by unlooked\.cu:@cudaMemcpy(coef@; .*copy with cudaMemcpyToSymbol\(coef, …\)
// case: -- no_symbol :: 1
// err: cudaMemcpyFromSymbol: the symbol is 'cudaMalloc #1', memory of the device .*; a symbol is the name of a __device__ or __constant__ variable itself, without & and quotes; to where a pointer leads copy with cudaMemcpy
// case: -- address_of :: 1
// err: cudaMemcpy: the destination is not memory of the device, but host memory \(a variable on the host's stack\) .*; it is a variable that holds the address of 'cudaMalloc #1': pass the variable, without &
// case: -- direction :: 1
// err: cudaMemcpy: the source is not memory of the device.*; the other side is 'cudaMalloc #1': copy to it with cudaMemcpyHostToDevice, from it with cudaMemcpyDeviceToHost
// case: -- pitch :: 1
// err: cudaMemcpy2D: rows of 64 bytes, but the pitch of the destination is 16 \(called by .*cudaErrorInvalidPitchValue.*; pitch and width are bytes: width \* sizeof\(T\)
// case: -- macro :: 1
// err: cudaMemset: 129 bytes, but the destination, 'cudaMalloc #1', has 128 from there on \(called by unlooked\.cu:@PLAIN(cudaMemset@; .*a count is of bytes: count \* sizeof\(T\), as in the allocation at unlooked\.cu:@cudaMalloc(&d, 128)@
// case: -- lines :: 1
// err: error: api: cudaMemset: .*\(called by unlooked\.cu:@cudaMemset(d, 0, // over@
// case: -- loop :: 1
// err: cudaMemset: .*\(called by unlooked\.cu:@cudaMemset(d, k@; .*\(5 times\)
// case: -- chain :: 1
// err: ^gpulab: .*\nerror: +api: cudaMalloc: 2199023255552 bytes were asked for; the GPU has \d+, of which \d+ are free \(called by unlooked\.cu:@cudaMalloc(&much@(.*\n)+? +look .* is free\nnote: never freed.*\n$
// case: -- negative :: 1
// err: cudaMalloc: \d+ bytes .*; no GPU has so much: a size was negative, or a product too large for its type
// case: -- overtaken :: 1
// err: error: api: cudaMalloc: .*@cudaMalloc(&much@
// case: -- looked :: 0
// err: note: api: cudaMemset: .*cudaErrorInvalidValue, which the program was told
// case: -- checked :: 0
// err: note: api: cudaMemset: .*unlooked\.cu:@CHECK(cudaMemset@; cudaErrorInvalidValue, which the call returned
// case: -- kept :: 0
// err: note: api: cudaMemset: .*unlooked\.cu:@e = cudaMemset@
// case: -- void :: 0
// err: note: api: cudaMemset: .*unlooked\.cu:@(void)cudaMemset@
// case: -- tried :: 0
// err: ^gpulab: .*\n(next|note: never)
// case: -- peer :: 0
// err: warning: api: cudaDeviceEnablePeerAccess: there is no device 1: there is one GPU, device 0
// case: -- prefetch :: 0
// err: warning: api: cudaMemPrefetchAsync: it is 'cudaMalloc #1', memory of the device, and no managed memory
// case: -- twice_registered :: 0
// err: warning: api: cudaHostRegister: 'cudaHostRegister #1' \(4096 bytes, at unlooked\.cu:@once@\) of these 4096 bytes is known to the runtime already
// case: -- device :: 0
// err: warning: api: cudaSetDevice: there is no device 3: there is one GPU, device 0
// case: -- attribute :: 0
// err: warning: api: cudaFuncSetAttribute: 300000 bytes of dynamic shared memory for dynamic; a block has \d+ at most
// case: -- needed :: 4
// err: error: api: cudaFuncSetAttribute: 300000 bytes
// err: error: a launch that cannot be: 300000 bytes of shared memory.*hint: no block has more than \d+ bytes: let it work on less at once; check cudaGetLastError\(\) behind each launch
// case: -- shared :: 4
// err: hint: call cudaFuncSetAttribute\(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000\) before the launch
// case: -- launches :: 4
// err: error: a launch that cannot be: a block of 2048 threads; 1024 are the most; the kernel did not run \(3 times\)
// case: -- cooperative :: 4
// err: error: a launch that cannot be: a cooperative grid is resident at once: at most \d+ blocks of 1024x1x1, not 9999.*called by unlooked\.cu:@cudaLaunchCooperativeKernel((void@ as cudaErrorCooperativeLaunchTooLarge; the program did not look.*hint: launch no more, and let blocks stride over the work: cudaOccupancyMaxActiveBlocksPerMultiprocessor times the GPU's SMs; check what cudaLaunchCooperativeKernel returns
// case: -- cooperative_checked :: 0
// err: cudaErrorCooperativeLaunchTooLarge, which the program was told
// case: -- freed :: 1
// err: error: api: cudaFree: 'cudaMalloc #1' has been freed already, at unlooked\.cu:@cudaFree(d);  // first@ .*; free it once
// case: -- inside :: 1
// err: error: api: cudaFree: the pointer lies 4 bytes behind the begin of 'cudaMalloc #1' .*; free the pointer that cudaMalloc gave
// case: -- wrong_free :: 1
// err: error: api: cudaFreeHost: it is 'cudaMalloc #1', memory of the device, which cudaMallocHost did not return .*; cudaFree frees it
// case: -- after_reset :: 0
// err: warning: api: cudaFree: 'cudaMalloc #1' has been freed already, at cudaDeviceReset
// case: -- event :: 1
// err: error: api: cudaEventElapsedTime: the second event was never recorded .*; call cudaEventRecord for both events
// case: -- untimed :: 1
// err: error: api: cudaEventElapsedTime: the first event keeps no time: it was made with cudaEventDisableTiming
// case: -- unwaited :: 0
// err: warning: api: cudaEventElapsedTime: nothing has waited since the second event was recorded: a GPU may not have come to it yet \(called by .*; cudaErrorNotReady, which the program did not look at\); call cudaEventSynchronize for the second event before
// case: -- stream :: 4
// err: error: a launch that cannot be: the stream \(0x10\) has been destroyed, or was never created
// case: -- filter :: 1
// err: error: api: cudaCreateTextureObject: cudaFilterModeLinear of integer texels, .*cudaErrorInvalidFilterSetting.*; linear filtering needs texels of float, or readMode = cudaReadModeNormalizedFloat
// case: -- array :: 1
// err: error: api: cudaMemcpy2DToArray: 64 bytes x 2 rows x 1 slices from \(0, 0, 0\) on, but the array has 16 x 1 x 1 .*; offsets and widths of an array are bytes, heights are rows
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

#define CHECK(call)                                                             \
  do {                                                                          \
    const cudaError_t error = (call);                                           \
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));   \
  } while (0)
#define PLAIN(call) call

__constant__ float coef[32];
__global__ void fill(float* x) { x[threadIdx.x] = coef[threadIdx.x]; }
__global__ void dynamic(float* x) {
  extern __shared__ float s[];
  s[threadIdx.x] = 1;
  x[threadIdx.x] = s[threadIdx.x];
}
__global__ void together(float* x) {
  cooperative_groups::this_grid().sync();
  x[0] = 1;
}

static float h[64];

static void textures(const char* what) {
  const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  cudaMallocArray(&array, &ints, 4);
  if (std::strcmp(what, "array") == 0) cudaMemcpy2DToArray(array, 0, 0, h, 64, 64, 2, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  how.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t object = 0;
  if (std::strcmp(what, "filter") == 0) cudaCreateTextureObject(&object, &resource, &how, nullptr);
  cudaFreeArray(array);
}

static void events(const char* what) {
  const auto is = [&](const char* word) { return std::strcmp(what, word) == 0; };
  cudaEvent_t first, second;
  cudaEventCreateWithFlags(&first, is("untimed") ? cudaEventDisableTiming : cudaEventDefault);
  cudaEventCreate(&second);
  cudaEventRecord(first);
  if (!is("event")) cudaEventRecord(second);
  if (!is("unwaited")) cudaEventSynchronize(second);
  float ms = 0;
  cudaEventElapsedTime(&ms, first, second);
}

int main(int, char** arguments) {
  const auto is = [&](const char* word) { return std::strcmp(arguments[1], word) == 0; };
  float *d, *much = nullptr;
  cudaMalloc(&d, 128);
  cudaError_t e = cudaSuccess;
  if (is("symbol")) cudaMemcpyToSymbol(coef, h, 256);
  if (is("by_name")) cudaMemcpy(coef, h, 128, cudaMemcpyHostToDevice);
  if (is("no_symbol")) cudaMemcpyFromSymbol(h, (const void*)d, 4, 0, cudaMemcpyDeviceToHost);
  if (is("address_of")) cudaMemcpy(&d, h, 128, cudaMemcpyHostToDevice);
  if (is("direction")) cudaMemcpy(d, h, 128, cudaMemcpyDeviceToHost);
  if (is("pitch")) cudaMemcpy2D(d, 16, h, 64, 64, 2, cudaMemcpyHostToDevice);
  if (is("macro")) PLAIN(cudaMemset(d, 0, 129));
  if (is("lines"))
    cudaMemset(d, 0, // over
               129);
  for (int k = 0; is("loop") && k < 5; ++k) cudaMemset(d, k, 129);
  if (is("negative")) cudaMalloc((void**)&much, (size_t)-4);
  if (is("chain") || is("overtaken")) {
    cudaMalloc(&much, size_t(1) << 41);
    cudaMemset(much, 0, 128);
    if (is("overtaken")) std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  }
  if (is("looked")) {
    for (int k = 0; k < 3; ++k) cudaMemset(d, 0, 130);
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  }
  if (is("checked")) CHECK(cudaMemset(d, 0, 129));
  if (is("kept")) e = cudaMemset(d, 0, 129);
  if (is("void")) (void)cudaMemset(d, 0, 129);
  if (is("tried")) {  // what a program may try, and how much memory it gets: no word
    if (cudaMalloc(&much, size_t(1) << 41) != cudaSuccess) e = cudaDeviceEnablePeerAccess(1, 0);
    for (int n = 4096; n > 500 && cudaMalloc(&much, size_t(n) << 30) != cudaSuccess; n /= 2) cudaGetLastError();
  }
  if (is("peer")) cudaDeviceEnablePeerAccess(1, 0);
#if CUDART_VERSION >= 13000
  if (is("prefetch")) cudaMemPrefetchAsync(d, 128, {cudaMemLocationTypeDevice, 0}, 0, nullptr);
#else
  if (is("prefetch")) cudaMemPrefetchAsync(d, 128, 0);
#endif
  if (is("twice_registered")) {
    static char page[4096];
    cudaHostRegister(page, 4096, 0);  // once
    cudaHostRegister(page, 4096, 0);
    cudaHostUnregister(page);
  }
  if (is("device")) cudaSetDevice(3);
  if (is("attribute") || is("needed"))
    cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000);
  if (is("needed")) dynamic<<<1, 32, 300000>>>(d);
  if (is("shared")) dynamic<<<1, 32, 60000>>>(d);
  for (int k = 0; is("launches") && k < 3; ++k) fill<<<1, 2048>>>(d);
  void* values[] = {&d};
  if (is("cooperative")) cudaLaunchCooperativeKernel((void*)together, 9999, 1024, values);
  if (is("cooperative_checked")) e = cudaLaunchCooperativeKernel(together, 9999, 1024, values);
  if (is("stream")) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    fill<<<1, 32, 0, stream>>>(d);
  }
  if (is("filter") || is("array")) textures(arguments[1]);
  if (is("event") || is("untimed") || is("unwaited")) events(arguments[1]);
  if (is("inside")) cudaFree(d + 1);
  if (is("wrong_free")) cudaFreeHost(d);
  if (is("after_reset")) cudaDeviceReset();
  if (is("freed")) cudaFree(d);  // first
  if (is("freed") || is("after_reset")) cudaFree(d);
  return e == cudaErrorUnknown;
}
