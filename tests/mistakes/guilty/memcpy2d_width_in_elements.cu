// mistake: cudaMemcpy2D is told the width in floats; it wants bytes.
// happens: a quarter of each row arrives; the kernel reads the rest, which nobody wrote.
// to say: the kernel reads at BUG2 what was never written; the copy at BUG is 30 bytes wide: width * sizeof(float).
#include <cstdio>
#include <vector>

// how: sanitize
// says: sizeof|width|30 bytes|quarter
__global__ void darken(float* image, size_t pitch, int width) {
  float* row = (float*)((char*)image + blockIdx.x * pitch);
  if (threadIdx.x < width) {
    row[threadIdx.x] *= 0.5f;  // BUG2
  }
}

int main() {
  const int width = 30, height = 12;
  const size_t line = width * sizeof(float);
  std::vector<float> host(width * height, 8.0f);
  float* image;
  size_t pitch;
  cudaMallocPitch(&image, &pitch, line, height);
  cudaMemcpy2D(image, pitch, host.data(), line, width, height, cudaMemcpyHostToDevice);  // BUG
  darken<<<height, 32>>>(image, pitch, width);
  cudaMemcpy2D(host.data(), line, image, pitch, line, height, cudaMemcpyDeviceToHost);
  printf("%g (4 is right)\n", host[width - 1]);
  cudaFree(image);
}
