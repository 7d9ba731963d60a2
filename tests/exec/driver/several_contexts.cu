// Contexts of several GPUs by the driver's API: the current one says whose memory and streams are made.
// long
// build: -lcuda
// case: --gpus 2 -- :: 0
// out: 2 devices, another: CUDA_ERROR_INVALID_DEVICE
// out: contexts of 0 and 1, primary of 1
// out: memory of 0 and 1
// out: peers: CUDA_SUCCESS, again CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
// out: copied: 41
// out: the runtime's device is 1
// case: -- :: 0
// out: 1 devices, another: CUDA_ERROR_INVALID_DEVICE
// err: the program asks for device 1 and has one GPU: --gpus 2 gives it more
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

const char* name_of(CUresult result) {
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  return name;
}

CUcontext made(int device) {
  CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
  (void)cuCtxCreate(&context, nullptr, 0, device);
#else
  (void)cuCtxCreate(&context, 0, device);
#endif
  return context;
}

int current() {
  CUdevice device = -1;
  cuCtxGetDevice(&device);
  return device;
}

int main() {
  int count = 0;
  CUdevice another;
  cuInit(0);
  cuDeviceGetCount(&count);
  printf("%d devices, another: %s\n", count, name_of(cuDeviceGet(&another, count)));
  if (count < 2) return 0;
  CUcontext contexts[2] = {made(0), made(1)}, primary = nullptr;
  int devices[2], owners[2];
  CUdeviceptr memory[2];
  for (int i = 0; i < 2; ++i) {
    cuCtxSetCurrent(contexts[i]);
    devices[i] = current();
    cuMemAlloc(&memory[i], 4096);
    cuPointerGetAttribute(&owners[i], CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory[i]);
  }
  cuDevicePrimaryCtxRetain(&primary, 1);
  cuCtxPushCurrent(primary);
  printf("contexts of %d and %d, primary of %d\n", devices[0], devices[1], current());
  cuCtxPopCurrent(nullptr);
  printf("memory of %d and %d\n", owners[0], owners[1]);
  const CUresult first = cuCtxEnablePeerAccess(contexts[0], 0), again = cuCtxEnablePeerAccess(contexts[0], 0);
  printf("peers: %s, again %s\n", name_of(first), name_of(again));
  cuMemsetD32(memory[0], 41, 1024);
  cuMemcpyPeer(memory[1], contexts[1], memory[0], contexts[0], 4096);
  int value = 0;
  cuMemcpyDtoH(&value, memory[1] + 4092, sizeof value);
  printf("copied: %d\n", value);
  int device = -1;
  cudaGetDevice(&device);
  printf("the runtime's device is %d\n", device);
  for (int i = 0; i < 2; ++i) cuMemFree(memory[i]);
}
