// CUB's block-wide functions in a kernel of one's own.
#include <cub/cub.cuh>

// right: reduce total by_cub
// gpulab: block 256
__global__ void by_cub(const int* in, int* out, int n) {
  using Reduce = cub::BlockReduce<int, 256>;
  __shared__ typename Reduce::TempStorage memory;
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int sum = Reduce(memory).Sum(i < n ? in[i] : 0);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

// right: scan tile scanned_by_cub
__global__ void scanned_by_cub(const int* in, int* out, int n) {
  using Scan = cub::BlockScan<int, 1024>;
  __shared__ typename Scan::TempStorage memory;
  int x = threadIdx.x < n ? in[threadIdx.x] : 0;
  Scan(memory).InclusiveSum(x, x);
  if (threadIdx.x < n) out[threadIdx.x] = x;
}

// right: reduce partials warps_by_cub
__global__ void warps_by_cub(const float* in, float* out, int n) {
  using Warp = cub::WarpReduce<float>;
  __shared__ typename Warp::TempStorage memory[32];
  __shared__ float sums[32];
  const int w = threadIdx.x / 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = Warp(memory[w]).Sum(i < n ? in[i] : 0.0f);
  if (threadIdx.x % 32 == 0) sums[w] = x;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < blockDim.x / 32; ++k) sum += sums[k];
    out[blockIdx.x] = sum;
  }
}
