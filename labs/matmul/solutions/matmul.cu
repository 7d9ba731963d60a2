// The reference: a block makes a tile of 32 x 32 elements of c, and brings tiles of a and b to shared memory: an
// element of global memory is loaded once for 32 products.
//! item {"name": "few_loads", "kind": "require", "points": 30, "require": ["global_load_sectors<=1.2*reference"]}
//! item {"name": "clean", "kind": "sanitize", "points": 10, "tools": ["memcheck", "initcheck", "synccheck"]}
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float of_a[32][32], of_b[32][32];
  const int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
  float sum = 0;
  for (int at = 0; at < k; at += 32) {
    //! correct first_tiles: for (int at = 0; at < min(k, 32); at += 32) {
    //! few_loads no_tiles: for (int i = 0; i < k && row < m && col < n; ++i) sum += a[row * k + i] * b[i * n + col]; for (int at = 0; at < 0; at += 32) {
    of_a[y][x] = row < m && at + x < k ? a[row * k + at + x] : 0;
    //! correct no_test: of_a[y][x] = a[row * k + at + x];
    of_b[y][x] = at + y < k && col < n ? b[(at + y) * n + col] : 0;
    //! clean leaves_the_rest: if (at + y < k && col < n) of_b[y][x] = b[(at + y) * n + col];
    __syncthreads();
    //! correct no_barrier:
    for (int i = 0; i < 32; ++i) sum += of_a[y][i] * of_b[i][x];
    //! correct swapped: for (int i = 0; i < 32; ++i) sum += of_a[i][y] * of_b[x][i];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
  //! correct adds_to_c: if (row < m && col < n) c[row * n + col] += sum;
}
