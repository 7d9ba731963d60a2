// Which clusters can be launched, what a launch that cannot be returns, and how many fit at once. What is expected is what an H100
// printed (132 SMs, driver 580).
// long
// build: -arch=sm_90
// case: -- errors :: 0
// out: cluster 2 of grid 3: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: cluster 2 of grid 1: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: cluster 2x2 of grid 2x3: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: cluster 0: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: cluster 2,0,1: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: cluster 0,0,0: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: cluster 3 of grid 6: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: cluster 5 of grid 10: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: cluster 6 of grid 12: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: cluster 7 of grid 14: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: cluster 8 of grid 16: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: cluster 9 of grid 18: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: cluster 12 of grid 24: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: cluster 16 of grid 32: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: cluster 17 of grid 34: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: cluster 32 of grid 64: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: cluster 2,2,2: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: cluster 1,1,8: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: set nonportable: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: nonportable: cluster 9 of grid 18: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: nonportable: cluster 10 of grid 20: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: nonportable: cluster 12 of grid 24: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: nonportable: cluster 15 of grid 30: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: nonportable: cluster 16 of grid 32: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: nonportable: cluster 17 of grid 34: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: nonportable: cluster 32 of grid 64: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: nonportable: cluster 16, 1024 threads: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: set shared 200000: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: nonportable: cluster 16, 200000 bytes: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: cluster 8, 200000 bytes: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: set nonportable 2: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: set nonportable 0: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: again: cluster 16: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: dims 16: call cudaSuccess \(0\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: dims 16: set nonportable: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: dims 16 nonportable: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: dims 2 of grid 3: call cudaSuccess \(0\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: attributes of nothing: cudaSuccess must 0 required 0,0,0 policy 0 nonportable 0 max dynamic 200000
// out: attributes of nothing_211: cudaSuccess must 1 required 2,1,1 policy 0 nonportable 0 max dynamic 49152
// out: attributes of nothing_16: cudaSuccess must 1 required 16,1,1 policy 0 nonportable 1 max dynamic 49152
// out: 211: required width 4: call cudaErrorInvalidValue \(1\), last cudaErrorInvalidValue, sync cudaSuccess
// out: bounds: required width 2: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: bounds: required height 1: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: bounds: required depth 1: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: attributes of nothing_bounds: cudaSuccess must 0 required 2,1,1 policy 0 nonportable 0 max dynamic 49152
// out: bounds: 4 blocks: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: bounds: 3 blocks: call cudaSuccess \(0\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: bounds: attribute 4: call cudaErrorInvalidClusterSize \(912\), last cudaErrorInvalidClusterSize, sync cudaSuccess
// out: bounds: must be set: call cudaErrorInvalidValue \(1\), last cudaErrorInvalidValue, sync cudaSuccess
// out: bounds: policy 1: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: bounds: policy 3: call cudaErrorInvalidValue \(1\), last cudaErrorInvalidValue, sync cudaSuccess
// out: bounds: policy 9: call cudaErrorInvalidValue \(1\), last cudaErrorInvalidValue, sync cudaSuccess
// out: attributes of nothing_bounds: cudaSuccess must 0 required 2,1,1 policy 1 nonportable 0 max dynamic 49152
// out: cluster and cooperative: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: cluster and policy spread: call cudaSuccess \(0\), last cudaSuccess, sync cudaSuccess
// out: clusterLaunch 1 1, SMs 132
// case: -- occupancy :: 0
// out: active: shared 0 threads 32 cluster 1: cudaSuccess 1056
// out: active: shared 0 threads 32 cluster 2: cudaSuccess 528
// out: active: shared 0 threads 32 cluster 3: cudaSuccess 327
// out: active: shared 0 threads 32 cluster 4: cudaSuccess 248
// out: active: shared 0 threads 32 cluster 8: cudaSuccess 124
// out: active: shared 0 threads 32 cluster 16: cudaErrorInvalidClusterSize -1
// out: active: shared 0 threads 32 cluster 32: cudaErrorInvalidClusterSize -1
// out: active: shared 0 threads 1024 cluster 1: cudaSuccess 264
// out: active: shared 0 threads 1024 cluster 2: cudaSuccess 132
// out: active: shared 0 threads 1024 cluster 3: cudaSuccess 79
// out: active: shared 0 threads 1024 cluster 4: cudaSuccess 62
// out: active: shared 0 threads 1024 cluster 8: cudaSuccess 30
// out: active: shared 0 threads 1024 cluster 16: cudaErrorInvalidClusterSize -1
// out: active: shared 0 threads 1024 cluster 32: cudaErrorInvalidClusterSize -1
// out: active: shared 100000 threads 32 cluster 1: cudaSuccess 264
// out: active: shared 100000 threads 32 cluster 2: cudaSuccess 132
// out: active: shared 100000 threads 32 cluster 3: cudaSuccess 79
// out: active: shared 100000 threads 32 cluster 4: cudaSuccess 62
// out: active: shared 100000 threads 32 cluster 8: cudaSuccess 30
// out: active: shared 100000 threads 32 cluster 16: cudaErrorInvalidClusterSize -1
// out: active: shared 100000 threads 32 cluster 32: cudaErrorInvalidClusterSize -1
// out: active: shared 100000 threads 1024 cluster 1: cudaSuccess 264
// out: active: shared 100000 threads 1024 cluster 2: cudaSuccess 132
// out: active: shared 100000 threads 1024 cluster 3: cudaSuccess 79
// out: active: shared 100000 threads 1024 cluster 4: cudaSuccess 62
// out: active: shared 100000 threads 1024 cluster 8: cudaSuccess 30
// out: active: shared 100000 threads 1024 cluster 16: cudaErrorInvalidClusterSize -1
// out: active: shared 100000 threads 1024 cluster 32: cudaErrorInvalidClusterSize -1
// out: potential: shared 0 threads 32 grid 6: cudaSuccess 8
// out: active: shared 0 threads 32 cluster 1: cudaSuccess 1056
// out: active: shared 0 threads 32 cluster 2: cudaSuccess 528
// out: active: shared 0 threads 32 cluster 3: cudaSuccess 327
// out: active: shared 0 threads 32 cluster 4: cudaSuccess 248
// out: active: shared 0 threads 32 cluster 8: cudaSuccess 124
// out: active: shared 0 threads 32 cluster 16: cudaSuccess 58
// out: active: shared 0 threads 32 cluster 32: cudaSuccess 0
// out: active: shared 0 threads 1024 cluster 1: cudaSuccess 264
// out: active: shared 0 threads 1024 cluster 2: cudaSuccess 132
// out: active: shared 0 threads 1024 cluster 3: cudaSuccess 79
// out: active: shared 0 threads 1024 cluster 4: cudaSuccess 62
// out: active: shared 0 threads 1024 cluster 8: cudaSuccess 30
// out: active: shared 0 threads 1024 cluster 16: cudaSuccess 14
// out: active: shared 0 threads 1024 cluster 32: cudaSuccess 0
// out: active: shared 100000 threads 32 cluster 1: cudaSuccess 264
// out: active: shared 100000 threads 32 cluster 2: cudaSuccess 132
// out: active: shared 100000 threads 32 cluster 3: cudaSuccess 79
// out: active: shared 100000 threads 32 cluster 4: cudaSuccess 62
// out: active: shared 100000 threads 32 cluster 8: cudaSuccess 30
// out: active: shared 100000 threads 32 cluster 16: cudaSuccess 14
// out: active: shared 100000 threads 32 cluster 32: cudaSuccess 0
// out: active: shared 100000 threads 1024 cluster 1: cudaSuccess 264
// out: active: shared 100000 threads 1024 cluster 2: cudaSuccess 132
// out: active: shared 100000 threads 1024 cluster 3: cudaSuccess 79
// out: active: shared 100000 threads 1024 cluster 4: cudaSuccess 62
// out: active: shared 100000 threads 1024 cluster 8: cudaSuccess 30
// out: active: shared 100000 threads 1024 cluster 16: cudaSuccess 14
// out: active: shared 100000 threads 1024 cluster 32: cudaSuccess 0
// out: potential: shared 0 threads 32 grid 6: cudaSuccess 16
// out: active without an attribute: cudaSuccess 0
// out: active of dims 2: cudaSuccess 528
// out: potential of dims 2: cudaSuccess 8
// out: active of dims 2, grid 3: cudaErrorInvalidClusterSize -1
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#define NAME(e) cudaGetErrorName(e)
static void end_of(const char* what) {
  cudaError_t launch = cudaGetLastError();
  cudaError_t sync = cudaDeviceSynchronize();
  printf("%s: launch %s, end %s\n", what, NAME(launch), NAME(sync));
}
template <typename... P, typename... A>
static cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, dim3 cluster, size_t shared, A... args) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = cluster.x;
  attribute[0].val.clusterDim.y = cluster.y;
  attribute[0].val.clusterDim.z = cluster.z;
  config.attrs = attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, (P)args...);
}

__global__ void nothing(int* p) { if (p) *p = 1; }
__global__ void __cluster_dims__(2, 1, 1) nothing_211(int* p) { if (p) *p = 1; }
__global__ void __cluster_dims__(16, 1, 1) nothing_16(int* p) { if (p) *p = 1; }
__global__ void __launch_bounds__(128, 1) nothing_bounds(int* p) { if (p) *p = 1; }
static void tried(const char* what, cudaError_t e) {
  cudaError_t last = cudaGetLastError(), sync = cudaDeviceSynchronize();
  printf("%s: call %s (%d), last %s, sync %s\n", what, NAME(e), (int)e, NAME(last), NAME(sync));
}
static void section_errors() {
  int* none = nullptr;
  tried("cluster 2 of grid 3", launch(nothing, 3, 32, dim3(2), 0, none));
  tried("cluster 2 of grid 1", launch(nothing, 1, 32, dim3(2), 0, none));
  tried("cluster 2x2 of grid 2x3", launch(nothing, dim3(2, 3), 32, dim3(2, 2), 0, none));
  tried("cluster 0", launch(nothing, 4, 32, dim3(0, 1, 1), 0, none));
  tried("cluster 2,0,1", launch(nothing, 4, 32, dim3(2, 0, 1), 0, none));
  tried("cluster 0,0,0", launch(nothing, 4, 32, dim3(0, 0, 0), 0, none));
  for (int n : {3, 5, 6, 7, 8, 9, 12, 16, 17, 32}) {
    char text[64];
    sprintf(text, "cluster %d of grid %d", n, 2 * n);
    tried(text, launch(nothing, 2 * n, 32, dim3(n), 0, none));
  }
  tried("cluster 2,2,2", launch(nothing, dim3(2, 2, 2), 32, dim3(2, 2, 2), 0, none));
  tried("cluster 1,1,8", launch(nothing, dim3(1, 1, 8), 32, dim3(1, 1, 8), 0, none));
  tried("set nonportable", cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (int n : {9, 10, 12, 15, 16, 17, 32}) {
    char text[64];
    sprintf(text, "nonportable: cluster %d of grid %d", n, 2 * n);
    tried(text, launch(nothing, 2 * n, 32, dim3(n), 0, none));
  }
  tried("nonportable: cluster 16, 1024 threads", launch(nothing, 16, 1024, dim3(16), 0, none));
  tried("set shared 200000", cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  tried("nonportable: cluster 16, 200000 bytes", launch(nothing, 16, 32, dim3(16), 200000, none));
  tried("cluster 8, 200000 bytes", launch(nothing, 16, 32, dim3(8), 200000, none));
  tried("set nonportable 2", cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 2));
  tried("set nonportable 0", cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
  tried("again: cluster 16", launch(nothing, 16, 32, dim3(16), 0, none));
  nothing_16<<<16, 32>>>(none);
  tried("dims 16", cudaSuccess);
  tried("dims 16: set nonportable", cudaFuncSetAttribute(nothing_16, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  nothing_16<<<16, 32>>>(none);
  tried("dims 16 nonportable", cudaSuccess);
  nothing_211<<<3, 32>>>(none);
  tried("dims 2 of grid 3", cudaSuccess);
  cudaFuncAttributes a;
  auto attributes = [&](const char* what, cudaError_t e) {
    printf("%s: %s must %d required %d,%d,%d policy %d nonportable %d max dynamic %d\n", what, NAME(e), a.clusterDimMustBeSet,
           a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth, a.clusterSchedulingPolicyPreference,
           a.nonPortableClusterSizeAllowed, a.maxDynamicSharedSizeBytes);
    cudaGetLastError();
  };
  attributes("attributes of nothing", cudaFuncGetAttributes(&a, nothing));
  attributes("attributes of nothing_211", cudaFuncGetAttributes(&a, nothing_211));
  attributes("attributes of nothing_16", cudaFuncGetAttributes(&a, nothing_16));
  tried("211: required width 4", cudaFuncSetAttribute(nothing_211, cudaFuncAttributeRequiredClusterWidth, 4));
  tried("bounds: required width 2", cudaFuncSetAttribute(nothing_bounds, cudaFuncAttributeRequiredClusterWidth, 2));
  tried("bounds: required height 1", cudaFuncSetAttribute(nothing_bounds, cudaFuncAttributeRequiredClusterHeight, 1));
  tried("bounds: required depth 1", cudaFuncSetAttribute(nothing_bounds, cudaFuncAttributeRequiredClusterDepth, 1));
  attributes("attributes of nothing_bounds", cudaFuncGetAttributes(&a, nothing_bounds));
  nothing_bounds<<<4, 32>>>(none);
  tried("bounds: 4 blocks", cudaSuccess);
  nothing_bounds<<<3, 32>>>(none);
  tried("bounds: 3 blocks", cudaSuccess);
  tried("bounds: attribute 4", launch(nothing_bounds, 4, 32, dim3(4), 0, none));
  tried("bounds: must be set", cudaFuncSetAttribute(nothing_bounds, cudaFuncAttributeClusterDimMustBeSet, 1));
  tried("bounds: policy 1", cudaFuncSetAttribute(nothing_bounds, cudaFuncAttributeClusterSchedulingPolicyPreference, 1));
  tried("bounds: policy 3", cudaFuncSetAttribute(nothing_bounds, cudaFuncAttributeClusterSchedulingPolicyPreference, 3));
  tried("bounds: policy 9", cudaFuncSetAttribute(nothing_bounds, cudaFuncAttributeClusterSchedulingPolicyPreference, 9));
  attributes("attributes of nothing_bounds", cudaFuncGetAttributes(&a, nothing_bounds));
  // With the cooperative attribute.
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute two[2];
  two[0].id = cudaLaunchAttributeClusterDimension;
  two[0].val.clusterDim.x = 2;
  two[0].val.clusterDim.y = two[0].val.clusterDim.z = 1;
  two[1].id = cudaLaunchAttributeCooperative;
  two[1].val.cooperative = 1;
  config.gridDim = 4;
  config.blockDim = 32;
  config.attrs = two;
  config.numAttrs = 2;
  tried("cluster and cooperative", cudaLaunchKernelEx(&config, nothing, none));
  two[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
  two[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
  tried("cluster and policy spread", cudaLaunchKernelEx(&config, nothing, none));
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  int value = -1;
  cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0);
  printf("clusterLaunch %d %d, SMs %d\n", p.clusterLaunch, value, p.multiProcessorCount);
}

// ---- occupancy ----
static void section_occupancy() {
  cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
  for (int allowed = 0; allowed < 2; ++allowed) {
    printf("nonportable %d: %s\n", allowed, NAME(cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, allowed)));
    for (int shared : {0, 50000, 100000, 200000, 232448})
      for (int threads : {32, 256, 1024})
        for (int n : {1, 2, 3, 4, 8, 16, 32}) {
          cudaLaunchConfig_t config = {};
          cudaLaunchAttribute attribute[1];
          attribute[0].id = cudaLaunchAttributeClusterDimension;
          attribute[0].val.clusterDim.x = n;
          attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
          config.gridDim = 64 * n;
          config.blockDim = threads;
          config.dynamicSmemBytes = shared;
          config.attrs = attribute;
          config.numAttrs = 1;
          int clusters = -1;
          cudaError_t e = cudaOccupancyMaxActiveClusters(&clusters, nothing, &config);
          printf("active: shared %d threads %d cluster %d: %s %d\n", shared, threads, n, NAME(e), clusters);
          cudaGetLastError();
        }
    for (int shared : {0, 100000, 232448})
      for (int threads : {32, 1024})
        for (int grid : {1, 6, 128}) {
          cudaLaunchConfig_t config = {};
          config.gridDim = grid;
          config.blockDim = threads;
          config.dynamicSmemBytes = shared;
          int size = -1;
          cudaError_t e = cudaOccupancyMaxPotentialClusterSize(&size, nothing, &config);
          printf("potential: shared %d threads %d grid %d: %s %d\n", shared, threads, grid, NAME(e), size);
          cudaGetLastError();
        }
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = 4;
  config.blockDim = 32;
  int clusters = -1;
  printf("active without an attribute: %s", NAME(cudaOccupancyMaxActiveClusters(&clusters, nothing, &config)));
  printf(" %d\n", clusters);
  clusters = -1;
  printf("active of dims 2: %s", NAME(cudaOccupancyMaxActiveClusters(&clusters, nothing_211, &config)));
  printf(" %d\n", clusters);
  int size = -1;
  printf("potential of dims 2: %s", NAME(cudaOccupancyMaxPotentialClusterSize(&size, nothing_211, &config)));
  printf(" %d\n", size);
  config.gridDim = 3;
  clusters = -1;
  printf("active of dims 2, grid 3: %s", NAME(cudaOccupancyMaxActiveClusters(&clusters, nothing_211, &config)));
  printf(" %d\n", clusters);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "errors")) section_errors();
  if (!strcmp(what, "occupancy")) section_occupancy();
}
