// right: kernels of two streams read one buffer at a time and write halves of another; neither needs the other.
#include <cstdio>

__global__ void scale(const float* in, float* out, float factor) { out[threadIdx.x] = in[threadIdx.x] * factor; }

int main() {
  float host[128], *in, *out;
  cudaStream_t streams[2];
  for (int i = 0; i < 128; ++i) host[i] = i;
  cudaMalloc(&in, sizeof(host) / 2);
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host) / 2, cudaMemcpyHostToDevice);
  for (int s = 0; s < 2; ++s) {
    cudaStreamCreate(&streams[s]);
    scale<<<1, 64, 0, streams[s]>>>(in, out + 64 * s, s + 2.0f);
  }
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[63], host[127]);
  cudaFree(in);
  cudaFree(out);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  return host[63] != 126 || host[127] != 189;
}
