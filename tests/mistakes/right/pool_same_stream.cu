// right: allocation, use and free of a pool's memory follow each other in one stream; it may get one address again and
// again.
#include <cstdio>

__global__ void square(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x]; }
__global__ void addTo(int* sum, const int* x) { sum[threadIdx.x] += x[threadIdx.x]; }

int main() {
  int host[32], *x, *sum;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int i = 0; i < 32; ++i) host[i] = i;
  cudaMalloc(&x, sizeof(host));
  cudaMalloc(&sum, sizeof(host));
  cudaMemcpyAsync(x, host, sizeof(host), cudaMemcpyHostToDevice, stream);
  cudaMemsetAsync(sum, 0, sizeof(host), stream);
  for (int k = 0; k < 5; ++k) {
    int* scratch;
    cudaMallocAsync(&scratch, sizeof(host), stream);
    square<<<1, 32, 0, stream>>>(x, scratch);
    addTo<<<1, 32, 0, stream>>>(sum, scratch);
    cudaFreeAsync(scratch, stream);
  }
  cudaMemcpyAsync(host, sum, sizeof(host), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  printf("%d\n", host[31]);
  cudaFree(x);
  cudaFree(sum);
  cudaStreamDestroy(stream);
  return host[31] != 5 * 31 * 31;
}
