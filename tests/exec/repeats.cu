// case: -- same :: 0
// out: ^8 8 8 8 8 \n$
// err: note: 4 of 5 launches would have done again what an earlier one had done
// case: --every-launch -- same :: 0
// out: ^8 8 8 8 8 \n$
// err: (?s)^(?!.*launches\s+would)
// case: --no-counters -- same :: 0
// out: ^8 8 8 8 8 \n$
// err: (?s)^(?!.*launches\s+would)
// case: -- input :: 0
// out: ^8 10 10 8 8 \n$
// err: note: 2 of 5 launches
// case: -- output :: 0
// out: ^8 8 8 8 8 \n$
// err: note: 2 of 5 launches
// case: -- constant :: 0
// out: ^8 12 12 16 16 \n$
// err: note: 2 of 5 launches
// case: -- other_kernel :: 0
// out: ^8 10 12 14 16 \n$
// err: (?s)^(?!.*launches\s+would)
// case: -- in_place :: 0
// out: ^5 6 7 8 9 \n$
// err: (?s)^(?!.*launches\s+would)
// case: -- atomics :: 0
// out: ^64 128 192 256 320 \n$
// err: (?s)^(?!.*launches\s+would)
// case: -- reset :: 0
// out: ^5 5 5 5 5 \n$
// err: note: 3 of 5 launches
// case: -- alternating :: 0
// out: ^5 6 5 6 5 \n$
// err: (?s)^(?!.*launches\s+would)
// case: -- sum :: 0
// out: ^64 64 64 64 64 \n$
// err: note: 3 of 5 launches
// case: -- managed :: 0
// out: ^8 10 12 14 16 \n$
// err: (?s)^(?!.*launches\s+would)
// case: -- printed :: 0
// out: ^p p p p p 8 8 8 8 8 \n$
// err: (?s)^(?!.*launches\s+would)
// case: -- heap :: 0
// out: ^8 8 8 8 8 \n$
// err: (?s)^(?!.*launches\s+would)
// case: -- surface :: 0
// out: ^4 5 6 7 8 \n$
// err: (?s)^(?!.*launches\s+would)
// case: -- freed :: 0
// out: ^8 8 8 8 8 \n$
// err: (?s)^(?!.*launches\s+would)
// case: -- pipeline :: 0
// out: ^16 16 16 16 16 \n$
// err: note: 8 of 10 launches
// case: --explain -- same :: 0
// err: note: 4 of 5 launches
// case: -- fault :: 4
// out: ^8 error\n$
// err: (?s)^(?!.*launches\s+would)
// Launches that an earlier one has made needless are not run, and nobody can tell: what changes between five launches
// of one kernel, each in a case of its own.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int n = 64;
__constant__ int factor = 2;

__global__ void scale(const int* x, int* y) { y[threadIdx.x] = factor * x[threadIdx.x]; }
__global__ void increment(int* x) { ++x[threadIdx.x]; }
__global__ void count(int* x) { atomicAdd(x, 1); }
__global__ void scale_aloud(const int* x, int* y) {
  y[threadIdx.x] = factor * x[threadIdx.x];
  if (threadIdx.x == 0) printf("p ");
}
__global__ void scale_on_heap(const int* x, int* y) {
  int* mine = static_cast<int*>(malloc(sizeof(int)));
  *mine = factor * x[threadIdx.x];
  y[threadIdx.x] = *mine;
  free(mine);
}
__global__ void set_surface(cudaSurfaceObject_t s, const int* x) { surf1Dwrite(x[threadIdx.x], s, 4 * threadIdx.x); }
__global__ void get_surface(cudaSurfaceObject_t s, int* y) { y[threadIdx.x] = surf1Dread<int>(s, 4 * threadIdx.x); }
__global__ void reach(const int* x, int* y, int far) { y[threadIdx.x] = factor * x[threadIdx.x + far]; }

int *x, *y;

void give(int value) {
  const std::vector<int> values(n, value);
  cudaMemcpy(x, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
}
void show(const int* from) {
  int value = 0;
  cudaMemcpy(&value, from + n / 2, sizeof value, cudaMemcpyDeviceToHost);
  printf("%d ", value);
}

bool simple(const char* what, int k) {
  if (!strcmp(what, "same")) {
    scale<<<1, n>>>(x, y);
  } else if (!strcmp(what, "input")) {  // 4, then 5 twice, then 4 twice: the fifth finds what the fourth left
    give(k == 1 || k == 2 ? 5 : 4);
    scale<<<1, n>>>(x, y);
  } else if (!strcmp(what, "output")) {
    if (k == 1 || k == 3) cudaMemset(y, 0, n * sizeof(int));
    scale<<<1, n>>>(x, y);
  } else if (!strcmp(what, "constant")) {
    const int now = 2 + (k + 1) / 2;
    cudaMemcpyToSymbol(factor, &now, sizeof now);
    scale<<<1, n>>>(x, y);
  } else if (!strcmp(what, "other_kernel")) {
    if (k) increment<<<1, n>>>(x);
    scale<<<1, n>>>(x, y);
  } else if (!strcmp(what, "in_place")) {
    increment<<<1, n>>>(x);
  } else if (!strcmp(what, "reset") || !strcmp(what, "alternating")) {
    give(!strcmp(what, "reset") ? 4 : 4 + k % 2);
    increment<<<1, n>>>(x);
  } else if (!strcmp(what, "heap")) {
    scale_on_heap<<<1, n>>>(x, y);
  } else if (!strcmp(what, "pipeline")) {
    int* z = y + n;
    scale<<<1, n>>>(x, y);
    scale<<<1, n>>>(y, z);
    show(z);
    return true;
  } else {
    return false;
  }
  const bool in_place = !strcmp(what, "in_place") || !strcmp(what, "reset") || !strcmp(what, "alternating");
  show(in_place ? x : y);
  return true;
}

void surface() {
  cudaArray_t array;
  const auto channel = cudaCreateChannelDesc<int>();
  cudaMallocArray(&array, &channel, n, 0, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t object;
  cudaCreateSurfaceObject(&object, &resource);
  for (int k = 0; k < 5; ++k) {
    give(4 + k);
    set_surface<<<1, n>>>(object, x);
    get_surface<<<1, n>>>(object, y);
    show(y);
  }
}

int main(int, char** arguments) {
  const char* what = arguments[1];
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&y, 2 * n * sizeof(int));
  give(4);
  for (int k = 0; k < 5; ++k) {
    if (simple(what, k)) continue;
    if (!strcmp(what, "atomics")) {
      if (k == 0) cudaMemset(x, 0, n * sizeof(int));
      count<<<1, n>>>(x + n / 2);
      show(x);
    } else if (!strcmp(what, "sum")) {
      cudaMemset(x, 0, n * sizeof(int));
      count<<<1, n>>>(x + n / 2);
      show(x);
    } else if (!strcmp(what, "freed")) {
      cudaFree(y);
      cudaMalloc(&y, n * sizeof(int));
      scale<<<1, n>>>(x, y);
      show(y);
    } else if (!strcmp(what, "managed")) {
      static int* both = nullptr;
      if (!both) cudaMallocManaged(&both, n * sizeof(int));
      for (int i = 0; i < n; ++i) both[i] = 4 + k;
      scale<<<1, n>>>(both, y);
      cudaDeviceSynchronize();
      show(y);
    } else if (!strcmp(what, "printed")) {
      scale_aloud<<<1, n>>>(x, y);
    } else if (!strcmp(what, "fault") && k < 2) {
      reach<<<1, n>>>(x, y, k * 1000000);
      if (cudaDeviceSynchronize() == cudaSuccess) show(y);
      else printf("error");
    }
  }
  if (!strcmp(what, "surface")) surface();
  if (!strcmp(what, "printed")) {
    cudaDeviceSynchronize();
    for (int k = 0; k < 5; ++k) show(y);
  }
  printf("\n");
}
