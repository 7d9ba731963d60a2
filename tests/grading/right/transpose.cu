// right: transpose transpose straight
__global__ void straight(const float* in, float* out, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
}

// right: transpose transpose tile_of_32 --require shared_load_bank_conflicts==0,global_store_efficiency>=0.9
#define TILE 32
__global__ void tile_of_32(const float* in, float* out, int height, int width) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

// right: transpose transpose four_rows
__global__ void four_rows(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
  __shared__ float tile[32][33];
  const int left = blockIdx.x * 32, top = blockIdx.y * 32;
  for (int r = threadIdx.y; r < 32; r += 8)
    if (top + r < rows && left + threadIdx.x < cols) tile[r][threadIdx.x] = in[(top + r) * cols + left + threadIdx.x];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8)
    if (left + r < cols && top + threadIdx.x < rows) out[(left + r) * rows + top + threadIdx.x] = tile[threadIdx.x][r];
}

// right: transpose transpose tile_of_16
__global__ void tile_of_16(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

// right: transpose transpose without_mangling
extern "C" __global__ void without_mangling(const float* source, float* target, int rows, int cols) {
  for (long row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += gridDim.y * blockDim.y)
    for (long col = blockIdx.x * blockDim.x + threadIdx.x; col < cols; col += gridDim.x * blockDim.x)
      target[col * rows + row] = source[row * cols + col];
}
