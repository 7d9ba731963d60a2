// A histogram whose bins are spread over the shared memory of a cluster's blocks, and what its mistakes are told as: a cluster.sync() that
// is missing, an access beyond a sibling's memory, a block that there is none of.
// build: -arch=sm_90 -lineinfo
// case: -- right 1 :: 0
// out: ^right: 8192 elements in 96 bins\n$
// case: -- right 4 :: 0
// out: ^right: 8192 elements in 96 bins\n$
// case: --threads 2 -- right 8 :: 0
// out: ^right: 8192 elements in 96 bins\n$
// case: --schedule 7 -- right 4 :: 0
// out: ^right: 8192 elements in 96 bins\n$
// case: --sanitize all -- right 4 :: 0
// out: ^right: 8192 elements in 96 bins\n$
// case: --sanitize all -- right_with_two_halves 4 :: 0
// out: ^right: 8192 elements in 96 bins\n$
// case: --sanitize racecheck -- no_first 4 :: 1
// err: racecheck: .*race in shared memory: (atomic and write|write and atomic) by different threads, .*put cluster\.sync\(\) between them.*cluster_histogram\.cu:@bins\[i\] = 0@
// case: --sanitize racecheck -- no_last 4 :: 1
// err: race in shared memory: (atomic and read|read and atomic) by different threads.*they are of different blocks of a cluster: put cluster\.sync\(\)
// case: -- ended 4 :: 4
// out: cudaErrorLaunchFailure
// err: out-of-bounds load of 4 bytes at byte \d+ of the shared memory of block \(\d,0,0\), which has ended in.*cluster_histogram\.cu:@a sibling's@.*let all blocks of the cluster call cluster\.sync\(\) behind their last access
// case: -- beyond 4 :: 4
// out: cudaErrorLaunchFailure
// err: out-of-bounds load of 4 bytes at byte 400 of 'few' in the shared memory of block \(\d,0,0\), which has 400 bytes.*cluster_histogram\.cu:@a sibling's@
// case: -- no_block 4 :: 4
// out: cudaErrorLaunchFailure
// err: at the shared memory of the block of rank 4: the cluster has 4 blocks.*ranks are 0 to cluster\.num_blocks\(\) - 1
// case: -- no_cluster 1 :: 4
// out: cudaErrorLaunchFailure
// err: at the shared memory of the block of rank 1: the cluster has 1 block.*the launch asked for no cluster
// case: --sanitize racecheck -- early_end 2 :: 1
// err: an access to the shared memory of another block of the cluster, which does not wait for it and may have ended.*cluster_histogram\.cu:@a sibling's@
// case: -- deadlock 2 :: 4
// out: cudaErrorLaunchTimeout
// err: deadlock in .*, the cluster of block \(\d,0,0\): .*\(cluster barrier\).*cluster_histogram\.cu:
// case: --sanitize synccheck -- twice 2 :: 1
// err: a thread arrives at the cluster's barrier again, without having waited there
// case: --sanitize synccheck -- unarrived 2 :: 1
// err: a thread waits at the cluster's barrier without having arrived there
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
namespace cg = cooperative_groups;

constexpr int kBins = 96;

// Each block keeps kBins / (blocks of the cluster) of the bins; threads count in whichever block's memory an element's bin lies.
__global__ void histogram(const int* in, int n, int* out, bool first, bool last, bool halves) {
  extern __shared__ int bins[];
  const cg::cluster_group cluster = cg::this_cluster();
  const int mine = kBins / cluster.num_blocks();
  for (int i = threadIdx.x; i < mine; i += blockDim.x) bins[i] = 0;
  if (first) {
    if (halves) {
      cluster.barrier_arrive();
      cluster.barrier_wait();
    } else {
      cluster.sync();
    }
  }
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = in[i];
    atomicAdd(cluster.map_shared_rank(bins, bin / mine) + bin % mine, 1);
  }
  if (last) cluster.sync();
  for (int i = threadIdx.x; i < mine; i += blockDim.x) atomicAdd(&out[cluster.block_rank() * mine + i], bins[i]);
  if (!last) cluster.sync();
}

enum Kind { ended, beyond, no_block, no_cluster, early_end, deadlock, twice, unarrived, kinds };
const char* const names[] = {"ended", "beyond", "no_block", "no_cluster", "early_end", "deadlock", "twice", "unarrived"};

__global__ void mistake(int* out, Kind kind) {
  __shared__ int few[100];
  const cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, rank = cluster.block_rank(), blocks = cluster.num_blocks();
  if (t < 100) few[t] = t;
  cluster.sync();
  if (kind == deadlock) {
    if (rank == 1) cluster.sync();
    else if (t < 32) asm volatile("barrier.sync 1, 64;");
  }
  if (kind == twice) asm volatile("barrier.cluster.arrive;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;");
  if (kind == unarrived) asm volatile("barrier.cluster.wait;");
  if (kind >= deadlock || (kind == early_end && rank == 1)) return;
  const int other = kind == no_block || kind == no_cluster ? blocks : (rank + 1) % blocks;
  const int* const theirs = (const int*)__cluster_map_shared_rank(few, other);
  out[t] = theirs[kind == beyond ? t + 37 : t];  // a sibling's
  if (kind == beyond) cluster.sync();
}

static int launched(cudaError_t e) {
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  if (e != cudaSuccess) std::printf("%s\n", cudaGetErrorName(e));
  return e != cudaSuccess;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "right";
  const auto is = [&](const char* name) { return !std::strcmp(what, name); };
  const int blocks = argc > 2 ? std::atoi(argv[2]) : 4, n = 8192;
  cudaLaunchAttribute cluster;
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = blocks;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.attrs = &cluster;
  config.numAttrs = 1;
  std::vector<int> values(n), expected(kBins), counted(kBins);
  for (int i = 0; i < n; ++i) ++expected[values[i] = (i * 37 + i / 91) % kBins];
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, kBins * sizeof(int));
  cudaMemset(out, 0, kBins * sizeof(int));
  cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  if (!std::strncmp(what, "right", 5) || is("no_first") || is("no_last")) {
    config.gridDim = 2 * blocks;
    config.blockDim = 64;
    config.dynamicSmemBytes = kBins / blocks * sizeof(int);
    if (launched(cudaLaunchKernelEx(&config, histogram, (const int*)in, n, out, !is("no_first"), !is("no_last"), is("right_with_two_halves"))))
      return 1;
    cudaMemcpy(counted.data(), out, kBins * sizeof(int), cudaMemcpyDeviceToHost);
    if (is("no_first") || is("no_last")) return 0;
    std::printf("%s: %d elements in %d bins\n", counted == expected ? "right" : "WRONG", n, kBins);
  } else {
    int kind = 0;
    while (kind < kinds && !is(names[kind])) ++kind;
    config.gridDim = blocks;
    config.blockDim = 64;
    if (kind == no_cluster) config.numAttrs = 0;
    (void)launched(cudaLaunchKernelEx(&config, mistake, out, (Kind)kind));
  }
  cudaFree(in);
  cudaFree(out);
}
