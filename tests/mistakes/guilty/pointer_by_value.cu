// mistake: a function allocates into its own copy of a pointer; the caller's stays null.
// happens: the kernel writes through a null pointer.
// to say: the pointer is null at BUG; the function has to take float** or float*& (BUG2).
#include <cstdio>

// how: plain
// says: null
__global__ void ramp(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] = 0.01f * i;  // BUG
  }
}

static void allocate(float* x, int n) {
  cudaMalloc(&x, n * sizeof(float));  // BUG2
}

int main() {
  const int n = 200;
  float* x = nullptr;
  allocate(x, n);
  ramp<<<2, 128>>>(x, n);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(x);
}
