// right: matmul matmul multiply
template <int TILE>
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[TILE][TILE + 1], right[TILE][TILE + 1];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += TILE) {
    left[threadIdx.y][threadIdx.x] = row < m && first + threadIdx.x < k ? a[row * k + first + threadIdx.x] : 0.f;
    right[threadIdx.y][threadIdx.x] = col < n && first + threadIdx.y < k ? b[(first + threadIdx.y) * n + col] : 0.f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
