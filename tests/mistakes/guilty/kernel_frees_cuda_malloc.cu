// mistake: a kernel calls free on memory that the host got from cudaMalloc.
// happens: the device's heap does not know it; the heap is damaged or the kernel ends with an error.
// to say: free at BUG of memory from cudaMalloc; the host frees it with cudaFree.
#include <cstdio>

// how: plain
// says: cudaFree|cudaMalloc|heap
__global__ void finish(float* data, float* scratch) {
  data[threadIdx.x] += scratch[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    free(scratch);  // BUG
  }
}

int main() {
  float *data, *scratch, host[64];
  cudaMalloc(&data, sizeof(host));
  cudaMalloc(&scratch, sizeof(host));
  cudaMemset(data, 0, sizeof(host));
  cudaMemset(scratch, 0, sizeof(host));
  finish<<<1, 64>>>(data, scratch);
  cudaError_t error = cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%s\n", cudaGetErrorName(error));
  cudaFree(data);
}
