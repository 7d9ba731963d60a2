// mistake: an array of nine counters for ten digits.
// happens: digit 9 is counted past the end of the array, in other local memory of the thread.
// to say: out of bounds of a local array at BUG: index 9 of 9 (declared at BUG2).
#include <cstdio>

// how: sanitize
// says: local|array|index 9|counts|out of (range|bounds)
__global__ void countDigits(const int* numbers, int* most) {
  int counts[9] = {};  // BUG2
  for (int v = numbers[threadIdx.x]; v > 0; v /= 10) {
    counts[v % 10] += 1;  // BUG
  }
  int best = 0;
  for (int d = 1; d < 9; ++d) best = counts[d] > counts[best] ? d : best;
  most[threadIdx.x] = best;
}

int main() {
  int host[32], *numbers, *most;
  for (int i = 0; i < 32; ++i) host[i] = 99000 + i * 97;
  cudaMalloc(&numbers, sizeof(host));
  cudaMalloc(&most, sizeof(host));
  cudaMemcpy(numbers, host, sizeof(host), cudaMemcpyHostToDevice);
  countDigits<<<1, 32>>>(numbers, most);
  cudaError_t error = cudaMemcpy(host, most, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%s: %d\n", cudaGetErrorName(error), host[5]);
  cudaFree(numbers);
  cudaFree(most);
}
