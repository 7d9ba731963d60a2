// Right, by Hillis and Steele in two buffers of shared memory, without a shuffle.
__global__ void tile(const int* in, int* out, int n) {
  extern __shared__ int s[];
  int from = 0, to = blockDim.x;
  const int t = threadIdx.x;
  s[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    s[to + t] = s[from + t] + (t >= d ? s[from + t - d] : 0);
    __syncthreads();
    const int other = from;
    from = to;
    to = other;
  }
  if (t < n) out[t] = s[from + t];
}
