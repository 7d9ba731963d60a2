// mistake: the pitch of cudaMallocPitch, which is in bytes, multiplies a float index.
// happens: rows lie four times too far apart; the later ones are outside the allocation.
// to say: out of bounds at BUG; the pitch counts bytes: step over rows by (char*)image + y * pitch.
#include <cstdio>
#include <vector>

// how: plain
// says: pitch
__global__ void invert(float* image, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    image[y * pitch + x] = 1.0f - image[y * pitch + x];  // BUG
  }
}

int main() {
  const int width = 50, height = 40;
  std::vector<float> host(width * height, 0.25f);
  float* image;
  size_t pitch;
  cudaMallocPitch(&image, &pitch, width * sizeof(float), height);
  cudaMemcpy2D(image, pitch, host.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice);
  invert<<<dim3(4, 3), dim3(16, 16)>>>(image, pitch, width, height);
  cudaMemcpy2D(host.data(), width * sizeof(float), image, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost);
  printf("last pixel: %g (0.75 is right)\n", host.back());
  cudaFree(image);
}
