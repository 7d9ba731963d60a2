// mistake: every thread adds its own value to one global sum with atomicAdd.
// happens: right, and slow: all additions wait for one address.
// to say: contention at BUG; add up within the warp or block first, one atomicAdd for each.
#include <cstdio>
#include <vector>

// how: explain
// says: conten|(one|same|single) address|within (the|a|each) (warp|block)|shared memory|warp first|block first|reduc|__shfl
__global__ void energy(const float* v, int n, float* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(sum, 0.5f * v[i] * v[i]);  // BUG
  }
}

int main() {
  const int n = 16384;
  std::vector<float> host(n, 2.0f);
  float *v, *sum;
  cudaMalloc(&v, n * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  cudaMemset(sum, 0, sizeof(float));
  cudaMemcpy(v, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  energy<<<n / 256, 256>>>(v, n, sum);
  cudaMemcpy(host.data(), sum, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g (32768 is right)\n", host[0]);
  cudaFree(v);
  cudaFree(sum);
}
