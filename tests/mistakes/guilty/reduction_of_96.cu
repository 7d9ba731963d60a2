// mistake: a tree reduction that halves its stride runs with a block of 96 threads.
// happens: 96, 48, 24, 12, 6, 3: then one of three elements is left out, and the sum is too small.
// to say: the loop at BUG needs a power of two; a block of 64 or 128 (BUG2), or rounding the stride up.
#include <cstdio>

// how: sanitize
// says: power.of.(two|2)|never read|left out|not a power
__global__ void sum(const int* in, int* out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {  // BUG
    if (t < stride) s[t] += s[t + stride];
    __syncthreads();
  }
  if (t == 0) *out = s[0];
}

int main() {
  int host[96], *in, *out;
  for (int i = 0; i < 96; ++i) host[i] = i + 1;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  sum<<<1, 96>>>(in, out);  // BUG2
  cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d (4656 is right)\n", host[0]);
  cudaFree(in);
  cudaFree(out);
}
