// right: matmul matmul straight
__global__ void straight(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}

// right: matmul matmul tiles_of_16
__global__ void tiles_of_16(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[16][16], Bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int t = 0; t < (K + 15) / 16; ++t) {
    As[ty][tx] = row < M && t * 16 + tx < K ? A[row * K + t * 16 + tx] : 0;
    Bs[ty][tx] = col < N && t * 16 + ty < K ? B[(t * 16 + ty) * N + col] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum = fmaf(As[ty][i], Bs[i][tx], sum);
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

// right: matmul matmul backwards
__global__ void backwards(const float* a, const float* b, float* c, int m, int n, int k) {
  for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < m; row += blockDim.y * gridDim.y) {
    for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < n; col += blockDim.x * gridDim.x) {
      double sum = 0;
      for (int i = k - 1; i >= 0; --i) sum += double(a[row * k + i]) * b[i * n + col];
      c[row * n + col] = float(sum);
    }
  }
}
