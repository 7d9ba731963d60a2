// Right and coalesced, but one block does the work of all.
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  if (blockIdx.x != 0 || blockIdx.y != 0) return;
  for (int top = 0; top < rows; top += 32)
    for (int left = 0; left < cols; left += 32) {
      int x = left + threadIdx.x, y = top + threadIdx.y;
      if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
      __syncthreads();
      x = top + threadIdx.x;
      y = left + threadIdx.y;
      if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
      __syncthreads();
    }
}
