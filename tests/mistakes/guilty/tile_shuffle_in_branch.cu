// mistake: a tile of 32 threads shuffles inside a branch that half of its threads take.
// happens: a tile's shuffle wants all of the tile's threads; what the others would have given is undefined.
// to say: lanes 16..31 are not at BUG; move the shuffle out of the if, or use coalesced_threads() or a tile of 16.
#include <cooperative_groups.h>

#include <cstdio>
namespace cg = cooperative_groups;

// how: sanitize
// says: all (the )?(threads|lanes)|every (thread|lane)|coalesced_threads|diverge|mask|out of the (if|branch)|active
__global__ void neighbours(const float* in, float* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float v = in[threadIdx.x];
  if (tile.thread_rank() < 16) {
    v += tile.shfl_down(v, 8);  // BUG
  }
  out[threadIdx.x] = v;
}

int main() {
  float host[64], *in, *out;
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  neighbours<<<1, 64>>>(in, out);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g (8 and 38 are right)\n", host[0], host[15]);
  cudaFree(in);
  cudaFree(out);
}
