// mistake: block 0 writes data and then a volatile flag that block 1 polls, with no fence on either side.
// happens: volatile keeps the flag's accesses, it does not order the data; the flag may be seen before it.
// to say: a race on the data, BUG and BUG2; __threadfence() between data and flag, and after the polling.
#include <cstdio>

// how: sanitize
// says: fence|release|acquire
__global__ void relay(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x * 3;  // BUG
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    if (threadIdx.x == 0) {
      while (*flag == 0) {
      }
    }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];  // BUG2
  }
}

int main() {
  int *data, *flag, *out, host[32];
  cudaMalloc(&data, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  cudaMemset(data, 0, sizeof(host));
  relay<<<2, 32>>>(data, flag, out);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d (93 is right)\n", host[31]);
  cudaFree(data);
  cudaFree(out);
  cudaFree(flag);
}
