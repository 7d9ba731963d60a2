// Loads through the read-only cache (ld.global.nc) in a launch that writes. README.md says how the comments are read.

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void read_back_behind_a_barrier(const int* in, int* out) {
  const int t = threadIdx.x;
  out[t] = in[t] + 100;  // guilty: racecheck write
  __syncthreads();
  const int other = __ldg(&out[63 - t]);  // guilty: racecheck read
  __syncthreads();
  out[t] = other;
}

// guilty <<<2, 32>>> in[64] out[64]
extern "C" __global__ void read_back_by_whoever_wrote_it(const int* in, int* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = in[i] + 100;  // guilty: racecheck write
  const int* const mine = out + (in[i] < 1000 ? i : 0);
  out[i] = __ldg(mine) + 1;  // guilty: racecheck read
}

// Each thread reads its element before it writes it, and nobody else reads it.
// innocent <<<2, 32>>> in[64] data[64]
extern "C" __global__ void updated_in_place(const int* in, int* data) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  data[i] = __ldg(&data[i]) + __ldg(&in[i]);
}

// innocent <<<2, 32>>> in[64] out[64]
extern "C" __global__ void what_is_there_is_stored_again(const int* in, int* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = in[i];
  const_cast<int*>(in)[i] = in[i];
  __syncthreads();
  out[i] += __ldg(&in[blockIdx.x * 32 + 31 - threadIdx.x]);
}
