// wrong: reduce total - :: shared
// More shared memory than a block can have.
__global__ void total(const int* in, int* out, int n) {
  __shared__ int copy[200000];
  for (int i = threadIdx.x; i < n && i < 200000; i += blockDim.x) copy[i] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) *out = copy[n / 2];
}
