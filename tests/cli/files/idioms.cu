// Kernels whose every `if` is as it should be, and one that is not.
#define R 3
__global__ void stencil(const float* in, float* out, int n) {
  __shared__ float s[256 + 2 * R];
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  int l = threadIdx.x + R;
  s[l] = g < n ? in[g] : 0;
  if (threadIdx.x < R) {
    s[l - R] = g >= R ? in[g - R] : 0;
    s[l + 256] = g + 256 < n ? in[g + 256] : 0;
  }
  __syncthreads();
  float r = 0;
  for (int o = -R; o <= R; ++o) r += s[l + o];
  if (g < n) out[g] = r;
}

__global__ void block_sum(const float* in, float* total, int n) {
  __shared__ float s[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float r = i < n ? in[i] : 0;
  for (int o = 16; o > 0; o /= 2) r += __shfl_down_sync(0xffffffffu, r, o);
  if (lane == 0) s[warp] = r;
  __syncthreads();
  if (warp > 0) return;
  r = lane < blockDim.x / 32 ? s[lane] : 0;
  for (int o = 16; o > 0; o /= 2) r += __shfl_down_sync(0xffffffffu, r, o);
  if (lane == 0) atomicAdd(total, r);
}

__global__ void sum_racy(const float* in, float* total, int n) {
  float r = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) r += in[i];
  for (int o = 16; o > 0; o /= 2) r += __shfl_down_sync(0xffffffffu, r, o);
  if (threadIdx.x % 32 == 0) *total += r;
}
