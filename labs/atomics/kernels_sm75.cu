// The rung of the histograms that needs match (compute capability 7.0; 7.5 is the lowest that every toolkit compiles).

// --- 4: one atomic per bin and warp ----------------------------------------------------------------------------------
// Lanes of one warp that share a bin need not queue, they can talk: match hands every lane the mask of those with its
// own value, the first of them adds for all. No two lanes of a request meet on an address any more. The price is paid
// for every element, shared bin or not: match and the choice of a leader. It pays where the data is skewed.
__global__ void histogram_warp_aggregated(const int* in, int* counts, int n, int bins) {
  extern __shared__ int own[];
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) own[bin] = 0;
  __syncthreads();

  const int lane = threadIdx.x % 32;
  const long stride = long(gridDim.x) * blockDim.x;
  // All lanes stay until the warp's first element is past the end: match asks every one of them.
  for (long i = long(blockIdx.x) * blockDim.x + threadIdx.x; i - lane < n; i += stride) {
    const int bin = i < n ? in[i] : -1;
    const unsigned same = __match_any_sync(0xffffffff, bin);
    if (bin >= 0 && lane == __ffs(same) - 1) atomicAdd(&own[bin], __popc(same));
  }
  __syncthreads();

  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    if (own[bin] > 0) atomicAdd(&counts[bin], own[bin]);
  }
}
