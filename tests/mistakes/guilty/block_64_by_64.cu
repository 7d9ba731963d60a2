// mistake: blocks of 64 x 64 threads, since the tile has that size.
// happens: 4096 threads are more than the 1024 that a block may have; the kernel does not run, nobody looks.
// to say: the launch at BUG failed: 4096 threads in a block, 1024 at most.
#include <cstdio>

// how: plain
// says: 1024|4096
__global__ void gradient(float* picture, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  picture[y * width + x] = x + 0.5f * y;
}

int main() {
  const int width = 128;
  float *picture, corner = -1;
  cudaMalloc(&picture, width * width * sizeof(float));
  cudaMemset(picture, 0, width * width * sizeof(float));
  dim3 block(64, 64), grid(width / 64, width / 64);
  gradient<<<grid, block>>>(picture, width);  // BUG
  cudaMemcpy(&corner, picture + width * width - 1, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g (190.5 is right)\n", corner);
  cudaFree(picture);
}
