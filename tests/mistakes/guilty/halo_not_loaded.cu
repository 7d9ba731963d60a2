// mistake: the tile of a stencil has room for its neighbours' edges, and nobody loads the right one.
// happens: the last thread of each block reads shared memory that was never written.
// to say: at BUG s[65] is read and nobody wrote it; one thread has to load the element right of the tile.
#include <cstdio>

// how: sanitize
// says: never (been )?(written|loaded|initiali[sz]ed)|not (been )?(written|loaded|initiali[sz]ed)|uninitiali[sz]ed|halo|nobody|no thread
__global__ void blur(const float* in, float* out, int n) {
  __shared__ float s[66];
  int t = threadIdx.x + 1, i = blockIdx.x * 64 + threadIdx.x;
  s[t] = in[i];
  if (threadIdx.x == 0) s[0] = i > 0 ? in[i - 1] : 0.0f;
  __syncthreads();
  out[i] = (s[t - 1] + s[t] + s[t + 1]) / 3.0f;  // BUG
}

int main() {
  const int n = 256;
  float host[n], *in, *out;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  blur<<<n / 64, 64>>>(in, out, n);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g (63 is right)\n", host[63]);
  cudaFree(in);
  cudaFree(out);
}
