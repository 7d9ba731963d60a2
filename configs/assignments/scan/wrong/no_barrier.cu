// Hillis and Steele in one buffer: some read what others have changed already.
__global__ void tile(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
  }
  if (t < n) out[t] = s[t];
}
