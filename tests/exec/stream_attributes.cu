// Attributes of streams, as an H100 takes and gives them.
// long
// case: :: 0
// out: ^32768000 134217728\n0 3276800, 0 32768000, 1 32768000\n0, 1 1 1 0\n0 1048576 0\.6 2 1\n0 0\n0 -2\n0 -5\n1 1\n0 0\n$
// err: note: times take no account of what cudaStreamSetAttribute has persist in L2
#include <cstdio>

int main() {
  int most = 0, window = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0);
  cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, 0);
  std::printf("%d %d\n", most, window);
  const char* between = "";
  for (const size_t bytes : {size_t{1}, size_t{32768000}, size_t{40000000}}) {
    size_t set = 0;
    const int error = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes);
    cudaDeviceGetLimit(&set, cudaLimitPersistingL2CacheSize);
    std::printf("%s%d %zu", between, error, set);
    between = ", ";
  }
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  float* memory;
  cudaMalloc(&memory, 1 << 20);
  cudaStreamAttrValue value = {}, got = {};
  auto& wanted = value.accessPolicyWindow;
  wanted.base_ptr = memory;
  wanted.num_bytes = 1 << 20;
  wanted.hitRatio = 0.6f;
  wanted.hitProp = cudaAccessPropertyPersisting;
  wanted.missProp = cudaAccessPropertyStreaming;
  const int set = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
  wanted.missProp = cudaAccessPropertyPersisting;
  const int misses = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
  wanted.missProp = cudaAccessPropertyNormal, wanted.hitRatio = 1.5;
  const int ratio = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
  wanted.hitRatio = 1, wanted.num_bytes = 200 << 20;
  const int large = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
  std::printf("\n%d, %d %d %d %d\n", set, misses, ratio, large, cudaStreamCopyAttributes(other, stream));
  const int read = cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &got);
  std::printf("%d %zu %g %d %d\n", read, got.accessPolicyWindow.num_bytes, got.accessPolicyWindow.hitRatio, got.accessPolicyWindow.hitProp,
              got.accessPolicyWindow.missProp);
  wanted.num_bytes = 0;
  const int none = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
  std::printf("%d %d\n", none, cudaCtxResetPersistingL2Cache());
  for (const int priority : {-2, -9}) {
    int now = 0;
    value.priority = priority;
    const int error = cudaStreamSetAttribute(stream, cudaStreamAttributePriority, &value);
    cudaStreamGetPriority(stream, &now);
    std::printf("%d %d\n", error, now);
  }
  std::printf("%d ", cudaStreamSetAttribute(stream, static_cast<cudaStreamAttrID>(2), &value));
  value.syncPolicy = static_cast<cudaSynchronizationPolicy>(0);
  std::printf("%d\n", cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
  std::printf("%d %d\n", cudaFree(memory), cudaStreamDestroy(stream));
  cudaGetLastError();
}
