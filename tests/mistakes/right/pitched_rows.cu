// right: the bytes between a row's end and its pitch are never written, nor looked at; even where all is copied home at
// once.
#include <cstdio>
#include <vector>

__global__ void threshold(unsigned char* image, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    unsigned char* pixel = image + y * pitch + x;
    *pixel = *pixel > 100 ? 255 : 0;
  }
}

int main() {
  const int width = 70, height = 20;
  std::vector<unsigned char> host(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = i % 200;
  unsigned char* image;
  size_t pitch;
  cudaMallocPitch(&image, &pitch, width, height);
  cudaMemcpy2D(image, pitch, host.data(), width, width, height, cudaMemcpyHostToDevice);
  threshold<<<dim3(3, 2), dim3(32, 16)>>>(image, pitch, width, height);
  std::vector<unsigned char> rows(pitch * height);
  cudaMemcpy(rows.data(), image, rows.size(), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < width * height; ++i) wrong += rows[i / width * pitch + i % width] != (host[i] > 100 ? 255 : 0);
  printf("wrong pixels: %d\n", wrong);
  cudaFree(image);
  return wrong;
}
