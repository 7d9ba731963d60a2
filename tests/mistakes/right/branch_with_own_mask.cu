// right: the lanes that take a branch were counted by a ballot of all; inside, the collectives name just those lanes.
// One lane reserves room for all of them (a warp's aggregated atomicAdd).
#include <cstdio>

__global__ void keepOdd(const int* in, int n, int* out, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  bool keep = i < n && in[i] % 2;
  unsigned takers = __ballot_sync(0xffffffff, keep);
  if (keep) {
    int leader = __ffs(takers) - 1, base = 0;
    if (lane == leader) base = atomicAdd(count, __popc(takers));
    base = __shfl_sync(takers, base, leader);
    out[base + __popc(takers & ((1u << lane) - 1))] = in[i];
  }
}

int main() {
  const int n = 300;
  int host[n], *in, *out, *count, kept = -1;
  for (int i = 0; i < n; ++i) host[i] = i * i + i / 3;
  int expected = 0, sum = 0;
  for (int v : host) expected += v % 2, sum += v % 2 ? v : 0;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMalloc(&count, sizeof(int));
  cudaMemset(count, 0, sizeof(int));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  keepOdd<<<3, 128>>>(in, n, out, count);
  cudaMemcpy(&kept, count, sizeof(int), cudaMemcpyDeviceToHost);
  if (kept != expected) return 1;
  cudaMemcpy(host, out, kept * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < kept; ++i) sum -= host[i];
  printf("%d kept, difference %d\n", kept, sum);
  cudaFree(in);
  cudaFree(out);
  cudaFree(count);
  return sum != 0;
}
