// The reference: a block for each column. Threads go down it side by side, and a tree in shared memory adds up.
//! item {"name": "coalesced", "kind": "require", "points": 30, "require": ["global_load_sectors<=1.2*reference"]}
//! item {"name": "clean", "kind": "sanitize", "points": 10, "tools": ["memcheck", "initcheck", "synccheck"]}
__global__ void columns(const float* in, float* out, int rows, int cols) {
  extern __shared__ float s[];
  const int col = blockIdx.x, t = threadIdx.x;
  float sum = 0;
  for (int r = t; col < cols && r < rows; r += blockDim.x) sum += in[col * rows + r];
  //! correct first_rows_only: if (col < cols && t < rows) sum += in[col * rows + t];
  //! correct rows_in_a_row: for (int r = t; col < cols && r < rows; r += blockDim.x) sum += in[r * cols + col];
  //! coalesced runs: const int each = (rows + blockDim.x - 1) / blockDim.x; for (int r = t * each; col < cols && r < min(rows, (t + 1) * each); ++r) sum += in[col * rows + r];
  s[t] = sum;
  __syncthreads();
  //! correct no_barrier:
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    //! clean barrier_in_branch: if (t < step) { s[t] += s[t + step]; __syncthreads(); }
    __syncthreads();
  }
  if (t == 0 && col < cols) out[col] = s[0] / rows;
  //! correct sum_only: if (t == 0 && col < cols) out[col] = s[0];
}
