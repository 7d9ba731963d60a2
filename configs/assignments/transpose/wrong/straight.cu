// Right, but without shared memory: each warp loads down a column.
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y * blockDim.y + threadIdx.y;
  for (int x = c; x < cols; x += gridDim.y * blockDim.y)
    for (int y = r; y < rows; y += gridDim.x * blockDim.x) out[x * rows + y] = in[y * cols + x];
}
