// mistake: a kernel template declares extern __shared__ T buffer[] and is used with two types.
// happens: one name with two types: the compiler refuses it.
// to say: the declarations at BUG are incompatible: one char array, cast to T*.
#include <cstdio>

// build: fails
// how: plain
// says: incompatible|redecl|char|cast|two types|declar
template <class T>
__global__ void reverse(T* x) {
  extern __shared__ T buffer[];  // BUG
  buffer[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

int main() {
  float* a;
  double* b;
  cudaMalloc(&a, 64 * sizeof(float));
  cudaMalloc(&b, 64 * sizeof(double));
  cudaMemset(a, 0, 64 * sizeof(float));
  cudaMemset(b, 0, 64 * sizeof(double));
  reverse<<<1, 64, 64 * sizeof(float)>>>(a);
  reverse<<<1, 64, 64 * sizeof(double)>>>(b);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(a);
  cudaFree(b);
}
