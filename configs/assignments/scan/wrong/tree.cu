// Right, by Blelloch's tree without padding: its steps meet in a few banks.
__global__ void tile(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x, size = blockDim.x, x = t < n ? in[t] : 0;
  s[t] = x;
  for (int d = 1; d < size; d *= 2) {
    __syncthreads();
    const int right = 2 * d * (t + 1) - 1;
    if (right < size) s[right] += s[right - d];
  }
  __syncthreads();
  if (t == 0) s[size - 1] = 0;
  for (int d = size / 2; d > 0; d /= 2) {
    __syncthreads();
    const int right = 2 * d * (t + 1) - 1;
    if (right < size) {
      const int left = s[right - d];
      s[right - d] = s[right];
      s[right] += left;
    }
  }
  __syncthreads();
  if (t < n) out[t] = s[t] + x;
}
