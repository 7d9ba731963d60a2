// The reference: a tile of 32 x 32 elements goes through shared memory, so that both sides of global memory are walked
// along rows. A row of the tile has 33 places, which spreads a column over all 32 banks.
//! item {"name": "coalesced", "kind": "require", "points": 20, "require": ["global_load_efficiency>=0.9", "global_store_efficiency>=0.9"]}
//! item {"name": "no_conflicts", "kind": "require", "points": 10, "require": ["shared_load_bank_conflicts==0", "shared_store_bank_conflicts==0"]}
//! item {"name": "clean", "kind": "sanitize", "points": 10, "tools": ["memcheck", "initcheck", "synccheck"]}
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  //! no_conflicts without_padding: __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  //! correct no_test: tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  //! clean barrier_in_branch: if (x < cols && y < rows) { tile[threadIdx.y][threadIdx.x] = in[y * cols + x]; __syncthreads(); }
  //! coalesced straight: if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x]; return;
  __syncthreads();
  //! correct no_barrier:
  x = blockIdx.y * 32 + threadIdx.x;
  //! correct own_tile: x = blockIdx.x * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
  //! correct swapped: if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.y][threadIdx.x];
}
