// Homework: a box blur of a grey image, and the mean brightness of what comes out. Usage: ./blur [width height]
//
// It has two mistakes, MENDED of which are mended: a condition lets threads beyond the image in, and a sum starts from
// whatever memory holds. The first ends the launch; the second goes unseen until --sanitize looks for it.
// long
// case: :: 1
// err: wrong\.cu:\d+: an illegal memory access was encountered
// err: error: out-of-bounds store of 4 bytes at 0x[0-9a-f]+, byte 24000 of 'cudaMalloc #2', which has 24000 bytes in blur, block \(0,3,0\), thread \(0,12,0\) cudaMalloc #2 was allocated at wrong\.cu:@&d_out, bytes@
// err: at \S*wrong\.cu:@out[y * width@
// err: blur\(float const\*, float\*, int, int\) with grid 7x4 and block 16x16, called by wrong\.cu:@blur<<<@
// err: hint: compare the index with the number of elements before the access
// err: blur +1 +7x4 +16x16 +- +- +- +- +- +- +- +-
// case: -D MENDED=1 :: 0
// out: 0 of 6000 pixels wrong\nmean brightness 126\.40
// err: next: --sanitize all looks for races and for what was never written; --explain names the lines that cost the time
// case: -D MENDED=1 --sanitize all :: 1
// err: error: initcheck: brightness: global memory is read before anything was written there; initialise it first \S*wrong\.cu:@atomicAdd@ atomic by block \(0,0,0\), thread \(0,0,0\), cudaMalloc #3\[0\] cudaMalloc #3 was allocated at wrong\.cu:@&d_total, sizeof@
// case: -D MENDED=2 --sanitize all -- 37 23 :: 0
// out: PASSED
// err: next: --explain names the lines that cost the time$
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                          \
  do {                                                                                       \
    cudaError_t status = (call);                                                             \
    if (status != cudaSuccess) {                                                             \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));        \
      exit(EXIT_FAILURE);                                                                    \
    }                                                                                        \
  } while (0)

const int RADIUS = 1;

__global__ void blur(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
#if MENDED >= 1
  if (x < width && y < height) {
#else
  if (x < width || y < height) {
#endif
    float sum = 0.0f;
    int count = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++) {
      for (int dx = -RADIUS; dx <= RADIUS; dx++) {
        int nx = x + dx;
        int ny = y + dy;
        if (nx >= 0 && nx < width && ny >= 0 && ny < height) {
          sum += in[ny * width + nx];
          count++;
        }
      }
    }
    out[y * width + x] = sum / count;
  }
}

__global__ void brightness(const float* image, float* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, image[i]);
}

void blur_on_host(const std::vector<float>& in, std::vector<float>& out, int width, int height) {
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      float sum = 0.0f;
      int count = 0;
      for (int ny = y - RADIUS; ny <= y + RADIUS; ny++) {
        for (int nx = x - RADIUS; nx <= x + RADIUS; nx++) {
          if (nx < 0 || nx >= width || ny < 0 || ny >= height) continue;
          sum += in[ny * width + nx];
          count++;
        }
      }
      out[y * width + x] = sum / count;
    }
  }
}

int main(int argc, char** argv) {
  int width = argc > 2 ? atoi(argv[1]) : 100;
  int height = argc > 2 ? atoi(argv[2]) : 60;
  int n = width * height;
  size_t bytes = n * sizeof(float);

  std::vector<float> image(n), expected(n), blurred(n);
  srand(1);
  for (int i = 0; i < n; i++) image[i] = rand() % 256;
  blur_on_host(image, expected, width, height);

  float *d_in, *d_out, *d_total;
  CHECK(cudaMalloc(&d_in, bytes));
  CHECK(cudaMalloc(&d_out, bytes));
  CHECK(cudaMalloc(&d_total, sizeof(float)));
#if MENDED >= 2
  CHECK(cudaMemset(d_total, 0, sizeof(float)));
#endif
  CHECK(cudaMemcpy(d_in, image.data(), bytes, cudaMemcpyHostToDevice));

  dim3 block(16, 16);
  dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  blur<<<grid, block>>>(d_in, d_out, width, height);
  CHECK(cudaGetLastError());
  brightness<<<(n + 255) / 256, 256>>>(d_out, d_total, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  float total = 0.0f;
  CHECK(cudaMemcpy(blurred.data(), d_out, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&total, d_total, sizeof(float), cudaMemcpyDeviceToHost));

  int wrong = 0;
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += expected[i];
    if (fabs(blurred[i] - expected[i]) > 1e-3) {
      if (wrong < 5) printf("pixel %d: %f, should be %f\n", i, blurred[i], expected[i]);
      wrong++;
    }
  }
  printf("%d of %d pixels wrong\n", wrong, n);
  printf("mean brightness %.3f, should be %.3f\n", total / n, sum / n);
  bool passed = wrong == 0 && fabs(total / n - sum / n) < 0.01;
  printf(passed ? "PASSED\n" : "FAILED\n");

  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_total);
  return passed ? 0 : 1;
}
