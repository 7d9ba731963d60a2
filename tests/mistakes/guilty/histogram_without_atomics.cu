// mistake: threads count into the bins of a histogram with ++.
// happens: two threads read one old count, and one of their increments is lost.
// to say: a race on the bin at BUG between blocks and threads; atomicAdd(&bins[...], 1).
#include <cstdio>
#include <vector>

// how: sanitize
// says: atomic
__global__ void histogram(const unsigned char* text, int n, unsigned* bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    bins[text[i] >> 4]++;  // BUG
  }
}

int main() {
  const int n = 3000;
  std::vector<unsigned char> text(n);
  for (int i = 0; i < n; ++i) text[i] = (i * 37 + i / 11) & 255;
  unsigned char* deviceText;
  unsigned *bins, result[16];
  cudaMalloc(&deviceText, n);
  cudaMalloc(&bins, sizeof(result));
  cudaMemset(bins, 0, sizeof(result));
  cudaMemcpy(deviceText, text.data(), n, cudaMemcpyHostToDevice);
  histogram<<<4, 128>>>(deviceText, n, bins);
  cudaMemcpy(result, bins, sizeof(result), cudaMemcpyDeviceToHost);
  unsigned sum = 0;
  for (unsigned count : result) sum += count;
  printf("counted %u of %d\n", sum, n);
  cudaFree(deviceText);
  cudaFree(bins);
}
