// right: data, barrier, fence, volatile flag; and there: volatile flag seen, fence, barrier, data. The two blocks fit
// at once.
#include <cstdio>

__global__ void relay(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x * 3;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    if (threadIdx.x == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
  }
}

int main() {
  int *data, *flag, *out, host[64];
  cudaMalloc(&data, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  relay<<<2, 64>>>(data, flag, out);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d\n", host[63]);
  cudaFree(data);
  cudaFree(out);
  cudaFree(flag);
  return host[63] != 189;
}
