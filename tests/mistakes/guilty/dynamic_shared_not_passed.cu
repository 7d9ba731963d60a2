// mistake: the kernel has an extern __shared__ array, the launch passes no size for it.
// happens: the array has no bytes; the first store is out of bounds.
// to say: dynamic shared memory of 0 bytes; the launch's third argument is missing (BUG2: 256 * sizeof(float)).
#include <cstdio>

// how: plain
// says: third (launch )?(argument|parameter)|<<<.*>>>|dynamic shared
extern __shared__ float cache[];

__global__ void average(const float* in, float* out) {
  int t = threadIdx.x;
  cache[t] = in[t];  // BUG
  __syncthreads();
  int next = (t + 1) % blockDim.x;
  out[t] = 0.5f * (cache[t] + cache[next]);
}

int main() {
  float host[256], *in, *out;
  for (int i = 0; i < 256; ++i) host[i] = i;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  average<<<1, 256>>>(in, out);  // BUG2
  cudaError_t error = cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%s: %g (0.5 is right)\n", cudaGetErrorName(error), host[0]);
  cudaFree(in);
  cudaFree(out);
}
