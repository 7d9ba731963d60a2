// A texture: not in the simulator yet, and said so by name, function and line.
// case: :: 3
// err: error: unsupported: cudaCreateTextureObject, called by texture.cu:\d+
#include <cstdio>

__global__ void fetch(cudaTextureObject_t texture, float* out) { out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); }

int main() {
  float* values = nullptr;
  cudaMalloc(&values, 32 * sizeof(float));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear, resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.devPtr = values, resource.res.linear.sizeInBytes = 32 * sizeof(float);
  cudaTextureObject_t texture = 0;
  std::printf("%d\n", cudaCreateTextureObject(&texture, &resource, nullptr, nullptr));
  fetch<<<1, 32>>>(texture, values);
  return cudaDeviceSynchronize() != cudaSuccess;
}
