// Rows of 32 words that whole warps read and write, which the sanitizer remembers as one. README.md says how the
// comments are read.

// guilty <<<1, 128>>> in[32] out[128]
extern "C" __global__ void row_read_by_all_warps_and_written_by_one(const int* in, int* out) {
  __shared__ int s[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp == 0) s[lane] = in[lane];
  __syncthreads();
  const int v = s[lane];           // guilty: racecheck read
  if (warp == 3) s[lane] = v + 1;  // guilty: racecheck write
  out[threadIdx.x] = v;
}

// guilty <<<1, 128>>> in[32] out[128]
extern "C" __global__ void row_read_at_three_lines_and_written_by_one(const int* in, int* out) {
  __shared__ int s[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp == 0) s[lane] = in[lane];
  __syncthreads();
  int v = 0;
  if (warp == 0) v = s[lane];           // guilty: racecheck read
  if (warp == 1) v = s[lane] * 2;       // guilty: racecheck read
  if (warp == 2) v = s[lane] * 3;       // guilty: racecheck read
  if (warp == 3) s[lane] = 100 + lane;  // guilty: racecheck write
  out[threadIdx.x] = v;
}

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void row_read_one_word_further_on(const int* in, int* out) {
  __shared__ int s[65];
  const int t = threadIdx.x;
  s[t] = in[t] + 1;  // guilty: racecheck write
  if (t == 63) s[64] = 0;
  __syncwarp();
  out[t] = s[t + 1];  // guilty: racecheck read
}

// guilty <<<1, 64>>> in[32] out[32]
extern "C" __global__ void one_word_of_a_row_written_by_another_warp(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 32) s[t] = in[t] + 1;  // guilty: racecheck write
  if (t == 63) s[5] = -1;        // guilty: racecheck write
  __syncthreads();
  if (t < 32) out[t] = s[t];
}

// guilty <<<1, 64>>> in[32] out[32]
extern "C" __global__ void one_byte_of_a_row_written_by_another_warp(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 32) s[t] = in[t] + 1;                                // guilty: racecheck write
  if (t == 63) reinterpret_cast<unsigned char*>(s)[30] = 200;  // guilty: racecheck write
  __syncthreads();
  if (t < 32) out[t] = s[t];
}

// guilty <<<4, 64>>> data[32] out[256]
extern "C" __global__ void row_read_by_all_blocks_and_written_by_one(int* data, int* out) {
  const int lane = threadIdx.x % 32;
  const int v = data[lane];                                       // guilty: racecheck read
  if (blockIdx.x == 2 && threadIdx.x < 32) data[lane] = 100 + v;  // guilty: racecheck write
  out[blockIdx.x * 64 + threadIdx.x] = v;
}

// A barrier orders the reads of one block, not those of the others.
// guilty <<<2, 64>>> data[32] out[128]
extern "C" __global__ void row_written_behind_the_barrier_of_one_block(int* data, int* out) {
  const int lane = threadIdx.x % 32;
  const int v = data[lane];  // guilty: racecheck read
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x >= 32) data[lane] = 100 + v;  // guilty: racecheck write
  out[blockIdx.x * 64 + threadIdx.x] = v;
}

// guilty <<<1, 128>>> in[4] out[128]
extern "C" __global__ void one_word_read_by_all_and_written_by_one(const int* in, int* out) {
  __shared__ int s[4];
  const int t = threadIdx.x;
  if (t < 4) s[t] = in[t];
  __syncthreads();
  const int v = s[2];          // guilty: racecheck read
  if (t == 127) s[2] = v + 1;  // guilty: racecheck write
  out[t] = v;
}

// innocent <<<2, 128>>> in[32] out[256]
extern "C" __global__ void row_read_by_all_warps_and_written_behind_a_barrier(const int* in, int* out) {
  __shared__ int s[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp == 0) s[lane] = in[lane];
  int sum = 0;
  for (int turn = 0; turn < 4; ++turn) {
    __syncthreads();
    sum += s[lane];
    __syncthreads();
    if (warp == turn) s[lane] = sum + lane;
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Whole rows, single words and bytes of them, each behind a barrier.
// innocent <<<2, 64>>> in[64] out[128]
extern "C" __global__ void rows_words_and_bytes_in_turns(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t] + 1;
  __syncthreads();
  if (t < 7) s[5 * t] = t;
  __syncthreads();
  int sum = s[t] + s[63 - t];
  __syncthreads();
  s[t] = sum;
  __syncthreads();
  if (t == 40) reinterpret_cast<unsigned char*>(s)[17] = 9;
  __syncthreads();
  sum += s[t] + s[4];
  __syncthreads();
  s[63 - t] = sum;
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[t];
}

// innocent <<<4, 64>>> in[32] out[256]
extern "C" __global__ void row_read_by_all_blocks(const int* in, int* out) {
  out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x % 32] + in[3];
}
