// cudaDeviceSynchronize in kernels, as CUDA had it up to version 11: the kernels that a kernel has launched run within
// that call. Up to which level of nested kernels it may wait is a limit (cudaLimitDevRuntimeSyncDepth).
// case: --old-cuda --nvcc=-rdc=true -- right :: 0
// out: ^the parent begins\nthe leaf adds 1\nlevel 1: cudaSuccess, 6\nthe parent goes on: 60\ncudaSuccess: 6 60 61 92\n$
// err: gpulab: --old-cuda: waiting_kernels\.cu:@cudaError_t waited = cudaDeviceSynchronize@: cudaDeviceSynchronize, which left kernels with CUDA 12, is a wait of the simulator's, as GPUs up to compute capability 8\.9 had it
// err: times behind > are lower bounds: kernels that launch kernels are not modelled
// case: --old-cuda --nvcc=-rdc=true -- levels :: 0
// out: ^level 1: cudaErrorSyncDepthExceeded, 5\nthe leaf adds 1\nlevel 2: cudaSuccess, 6\nlevel 3: cudaSuccess, 6\nthe leaf adds 1\nlevel 1: cudaSuccess, 7\nlevel 2: cudaSuccess, 7\nlevel 3: cudaSuccess, 7\n$
// case: --old-cuda --nvcc=-rdc=true -- each :: 0
// out: ^sorted: yes\nblocks: 1 2 3 4 5 6 7 8\n$
// case: --old-cuda --nvcc=-rdc=true -- repeated :: 0
// out: ^8\n$
// case: --old-cuda --nvcc=-rdc=true --sanitize all -- each :: 0
// out: ^sorted: yes\nblocks: 1 2 3 4 5 6 7 8\n$
// err: note: +sanitize: quicksort waits for kernels that it has launched: from its first wait on no tool watches it \(but for accesses outside of memory\), only what it launches
// case: --old-cuda --nvcc=-rdc=true -- beyond :: 1
// err: out-of-bounds load of 4 bytes .* at +\S*waiting_kernels\.cu:@behind its wait@
// case: --old-cuda --nvcc=-rdc=true --sanitize racecheck -- race :: 1
// err: racecheck: racy: race in shared memory: write and read by different threads
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void leaf(int* a) {
  if (threadIdx.x != 0) return;
  a[0] += 1;
  printf("the leaf adds 1\n");
}

__global__ void level(int* a, int number) {
  if (number > 1)
    level<<<1, 1>>>(a, number - 1);
  else
    leaf<<<1, 32>>>(a);
  const cudaError_t waited = cudaDeviceSynchronize();
  printf("level %d: %s, %d\n", number, cudaGetErrorName(waited), a[0]);
  a[1] = a[0] * 10;
}

__global__ void parent(int* a) {
  __shared__ int seen;
  if (threadIdx.x == 0) {
    printf("the parent begins\n");
    level<<<1, 1>>>(a, 1);
    cudaDeviceSynchronize();
    seen = a[1];
    printf("the parent goes on: %d\n", seen);
  }
  __syncthreads();
  a[2 + threadIdx.x] = seen + 1 + threadIdx.x;
}

/// Waits for both halves before it looks at them: a book's way, deeper than the hardware has levels of waiting.
__global__ void quicksort(int* a, int n) {
  if (n < 2) return;
  const int pivot = a[n / 2];
  int left = 0, right = n - 1;
  while (left <= right) {
    while (a[left] < pivot) ++left;
    while (a[right] > pivot) --right;
    if (left <= right) {
      const int t = a[left];
      a[left++] = a[right];
      a[right--] = t;
    }
  }
  quicksort<<<1, 1>>>(a, right + 1);
  quicksort<<<1, 1>>>(a + left, n - left);
  if (cudaDeviceSynchronize() != cudaSuccess) printf("no more levels\n");
  for (int i = 1; i < n; ++i)
    if (a[i - 1] > a[i]) printf("not sorted: %d %d\n", a[i - 1], a[i]);
}

__global__ void number(int* out, int value) { *out = value; }
/// Each block waits for a kernel of its own, also where the one before has freed and allocated memory.
__global__ void each_block(int* out) {
  int* const mine = static_cast<int*>(malloc(sizeof(int)));
  number<<<1, 1>>>(mine, blockIdx.x + 1);
  cudaDeviceSynchronize();
  out[blockIdx.x] = *mine;
  free(mine);
}

__global__ void add(int* out) { *out += 1; }
__global__ void twice(int* out) {
  add<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  add<<<1, 1>>>(out);
  cudaDeviceSynchronize();
}

__global__ void beyond(int* a, int n) {
  add<<<1, 1>>>(a);
  cudaDeviceSynchronize();
  a[0] = a[n];  // behind its wait
}

__global__ void racy(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = out[threadIdx.x];
  out[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void launches_racy(int* out) {
  racy<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}

int main(int argc, char** argv) {
  const auto is = [&](const char* word) { return argc > 1 && std::strcmp(argv[1], word) == 0; };
  int* a = nullptr;
  cudaMalloc(&a, 64 * sizeof(int));
  int host[64];
  for (int i = 0; i < 64; ++i) host[i] = is("each") ? (i * 37 + 11) % 64 : is("repeated") ? 0 : 5;
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  if (is("right")) {
    parent<<<1, 32>>>(a);
    const cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%s: %d %d %d %d\n", cudaGetErrorName(error), host[0], host[1], host[2], host[33]);
  } else if (is("levels")) {
    level<<<1, 1>>>(a, 3);
    cudaDeviceSynchronize();
    cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 3);
    level<<<1, 1>>>(a, 3);
    cudaDeviceSynchronize();
  } else if (is("each")) {
    cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 24);
    quicksort<<<1, 1>>>(a, 64);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    bool sorted = true;
    for (int i = 0; i < 64; ++i) sorted = sorted && host[i] == i;
    std::printf("sorted: %s\n", sorted ? "yes" : "no");
    each_block<<<8, 1>>>(a);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("blocks:");
    for (int i = 0; i < 8; ++i) std::printf(" %d", host[i]);
    std::printf("\n");
  } else if (is("repeated")) {
    for (int i = 0; i < 4; ++i) twice<<<1, 1>>>(a);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d\n", host[0]);
  } else if (is("beyond")) {
    beyond<<<1, 1>>>(a, 64);
    return cudaDeviceSynchronize() != cudaSuccess;
  } else if (is("race")) {
    launches_racy<<<1, 1>>>(a);
    cudaDeviceSynchronize();
  }
  cudaFree(a);
}
