// A static object that launches a kernel before main begins, and one more after main and its thread's own objects have ended.
// long
// case: :: 0
// out: ^cudaSuccess 31\n$
// err: exit code 0
// err: fill +2 +1 +32
#include <cstdio>

__global__ void fill(int* a) { a[threadIdx.x] = threadIdx.x; }

struct Filled {
  int* a;
  Filled() {
    cudaMalloc(&a, 4096);
    fill<<<1, 32>>>(a);
  }
  ~Filled() {
    fill<<<1, 32>>>(a);
    const cudaError_t error = cudaDeviceSynchronize();
    int last = 0;
    cudaMemcpy(&last, a + 31, sizeof last, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorName(error), last);
  }
} filled;

int main() {}
