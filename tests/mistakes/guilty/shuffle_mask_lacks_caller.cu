// mistake: all 32 lanes shuffle, the mask names the lower 16 only.
// happens: a lane that calls must be in its own mask; what lanes 16..31 get is undefined.
// to say: lanes 16..31 call at BUG with a mask that lacks them; 0xffffffff, or the lanes that are active.
#include <cstdio>

// how: sanitize
// says: mask
__global__ void sumHalves(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int offset = 8; offset > 0; offset /= 2) {
    v += __shfl_xor_sync(0x0000ffff, v, offset);  // BUG
  }
  if (threadIdx.x % 16 == 0) out[threadIdx.x / 16] = v;
}

int main() {
  int host[32], sums[2], *in, *out;
  for (int i = 0; i < 32; ++i) host[i] = i;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(sums));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  sumHalves<<<1, 32>>>(in, out);
  cudaMemcpy(sums, out, sizeof(sums), cudaMemcpyDeviceToHost);
  printf("%d %d (120 376 is right)\n", sums[0], sums[1]);
  cudaFree(in);
  cudaFree(out);
}
