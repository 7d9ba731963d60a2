// mistake: a transpose that reads one matrix and writes another is called with one matrix for both.
// happens: threads overwrite elements that others have not read yet.
// to say: a race at BUG between reads and writes of one matrix; write to a second buffer, or swap pairs (x < y).
#include <cstdio>
#include <vector>

// how: sanitize
// says: second|another|separate|different (buffer|matrix|array)|own buffer|out of place|in.place|swap|pair|same (buffer|matrix|array)
__global__ void transpose(const int* in, int* out, int n) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  out[x * n + y] = in[y * n + x];  // BUG
}

int main() {
  const int n = 48;
  std::vector<int> host(n * n);
  for (int i = 0; i < n * n; ++i) host[i] = i;
  int* matrix;
  cudaMalloc(&matrix, n * n * sizeof(int));
  cudaMemcpy(matrix, host.data(), n * n * sizeof(int), cudaMemcpyHostToDevice);
  transpose<<<dim3(3, 3), dim3(16, 16)>>>(matrix, matrix, n);  // BUG2
  cudaMemcpy(host.data(), matrix, n * n * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) wrong += host[y * n + x] != x * n + y;
  }
  printf("wrong elements: %d\n", wrong);
  cudaFree(matrix);
}
