// nvcc reads a word of the array that it does not use, and says so in the PTX (used_bytes_mask).
using word = unsigned;

__global__ void folded(const word* in, word* out) {
  word a[32];
  word i = blockIdx.x * blockDim.x + threadIdx.x;
  word v = in[i];
  for (int k = 0; k < 32; ++k) a[k] = v * k;
  word p = threadIdx.x & 31;
  for (word r = 0; r < 8; ++r) {
    a[p] += a[(p + 7) & 31];
    p = (p * 5 + r) & 31;
  }
  word x = 0;
  for (int k = 0; k < 32; ++k) x ^= a[k];
  out[i] = x;
}
