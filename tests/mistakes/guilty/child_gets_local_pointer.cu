// mistake: a kernel hands a child grid the address of its own local array.
// happens: local memory is private to a thread; what the child reads and writes there is undefined.
// to say: at BUG the child's argument points to local memory (BUG2: where it uses it); global memory is needed.
#include <cstdio>

// build: -rdc=true
// how: plain
// says: local|stack|global memory|own thread|private
__global__ void child(int* numbers) {
  numbers[threadIdx.x] += 10;  // BUG2
}

__global__ void parent(int* out) {
  int numbers[8];
  for (int i = 0; i < 8; ++i) numbers[i] = out[i];
  int* handed = numbers;
  child<<<1, 8>>>(handed);  // BUG
  for (int i = 0; i < 8; ++i) out[i] = numbers[i];
}

int main() {
  int host[8], *out;
  cudaMalloc(&out, sizeof(host));
  cudaMemset(out, 0, sizeof(host));
  parent<<<1, 1>>>(out);
  cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%s: %d\n", cudaGetErrorName(error), host[7]);
  cudaFree(out);
}
