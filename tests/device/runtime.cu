// Kernels that use what the device runtime offers: memory, text, clocks, calls of every kind. Seen by
// tests/unit/common/simt/device_runtime_test.cpp and, where a GPU must do the same, by the device contract.
#include <cstdio>
#include <cstdlib>

// ---- malloc and free ----

// Each thread keeps a block of its own that the next launch reads and frees.
extern "C" __global__ void keep(int** blocks, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  blocks[i] = static_cast<int*>(malloc(n * sizeof(int)));
  if (blocks[i])
    for (int k = 0; k < n; ++k) blocks[i][k] = 1000 * i + k;
}
extern "C" __global__ void sum_and_free(int** blocks, int* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += blocks[i][k];
  sums[i] = sum;
  free(blocks[i]);
}

struct Node {
  int value;
  Node* next;
  __device__ explicit Node(int v, Node* n) : value(v), next(n) {}
};
// A list by new, taken down by delete, as often as a loop without leaks can.
extern "C" __global__ void lists(int* out, int times) {
  for (int t = 0; t < times; ++t) {
    Node* head = nullptr;
    for (int i = 0; i <= int(threadIdx.x); ++i) head = new Node(i, head);
    int sum = 0;
    while (head) {
      Node* next = head->next;
      sum += head->value;
      delete head;
      head = next;
    }
    out[threadIdx.x] = sum;
  }
}
// How many blocks of `bytes` bytes the heap gives one thread.
extern "C" __global__ void fill_heap(int* count, int bytes) {
  void* last = nullptr;
  int n = 0;
  while (void* p = malloc(bytes)) {
    *static_cast<void**>(p) = last;
    last = p;
    ++n;
  }
  *count = n;
  while (last) {
    void* next = *static_cast<void**>(last);
    free(last);
    last = next;
  }
}
extern "C" __global__ void free_of_nothing(int* out) {
  free(nullptr);
  out[0] = malloc(0) == nullptr;
}
extern "C" __global__ void free_twice(int* out) {
  int* p = static_cast<int*>(malloc(8));
  free(p);
  out[0] = 1;
  free(p);
}
extern "C" __global__ void free_of_a_buffer(int* out) { free(out); }
extern "C" __global__ void free_inside(int* out) {
  char* p = static_cast<char*>(malloc(8));
  out[0] = 1;
  free(p + 4);
}
extern "C" __global__ void beyond_malloc(int* out) {
  volatile int* p = static_cast<int*>(malloc(10 * sizeof(int)));
  for (int i = 0; i <= out[0]; ++i) p[i] = i;
}
extern "C" __global__ void after_free(int* out) {
  volatile int* p = static_cast<int*>(malloc(10 * sizeof(int)));
  for (int i = 0; i < 3; ++i) {
    p[1] = i;
    out[0] = p[1];
    if (i == 1) free(const_cast<int*>(p));
  }
}

// ---- time ----

extern "C" __global__ void clocks(long long* out) {
  const long long cycles = clock64();
  unsigned long long before, after;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
  const unsigned low = clock();
  __nanosleep(100);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
  unsigned high;
  asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(high));
  out[0] = clock64() - cycles;
  out[1] = after - before;
  out[2] = clock() - low;
  out[3] = high;
}

extern "C" __global__ void breakpoint(int* out) {
  if (out[threadIdx.x] == 0) __brkpt();
}

// ---- memory intrinsics ----

extern "C" __global__ void copies(int* out, int n) {
  __shared__ int s[32];
  int local[8];
  if (threadIdx.x == 0) {
    memset(s, 0x11, sizeof s);
    memcpy(s + 1, out + 32, n * sizeof(int));
  }
  __syncthreads();
  memcpy(local, s + threadIdx.x % 8, sizeof local);
  out[threadIdx.x] = local[threadIdx.x % 7];
}

// ---- calls ----

struct Shape {
  int a;
  __device__ explicit Shape(int v) : a(v) {}
  __device__ virtual int area() const { return a; }
  __device__ virtual int twice() const { return 2 * area(); }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  using Shape::Shape;
  __device__ int area() const override { return a * a; }
};
struct Cube final : Square {
  using Square::Square;
  __device__ int area() const override { return 6 * a * a; }
  __device__ int twice() const override { return 12 * a * a + 1; }
};
__device__ __noinline__ Shape* make_shape(int kind, int a) {
  return kind == 0 ? new Shape(a) : kind == 1 ? new Square(a) : new Cube(a);
}
extern "C" __global__ void virtual_calls(int* out) {
  Shape* shape = make_shape(threadIdx.x % 3, threadIdx.x);
  out[threadIdx.x] = shape->twice();
  delete shape;
}

// Two functions that call each other, and a pointer that leads back to its caller.
__device__ __noinline__ int odd_steps(int n);
__device__ __noinline__ int even_steps(int n) { return n == 0 ? 0 : 1 + odd_steps(n - 1); }
__device__ __noinline__ int odd_steps(int n) { return n == 0 ? 0 : 10 + even_steps(n - 1); }
using Step = int (*)(int, void*);
__device__ __noinline__ int back_and_forth(int n, void* step) {
  return n <= 0 ? 5 : 3 * reinterpret_cast<Step>(step)(n - 2, step) + n;
}
extern "C" __global__ void mutual_recursion(int* out) {
  out[threadIdx.x] = even_steps(threadIdx.x % 9);
  out[32 + threadIdx.x] = back_and_forth(threadIdx.x % 6, reinterpret_cast<void*>(&back_and_forth));
}

// Recursion without an end.
__device__ __noinline__ int bottomless(int n) {
  volatile int frame[64];
  frame[n & 63] = n;
  return bottomless(n + 1) + frame[n & 31];
}
extern "C" __global__ void stack_overflow(int* out) { out[0] = bottomless(out[1]); }

// ---- printf ----

extern "C" __global__ void say_everything() {
  const double nan = __longlong_as_double(0x7ff8000000000000LL);
  const int printed = printf("%d|%5i|%-5u|%05d|%+d|% d|%x|%#X|%#o|%c|%s|%p|%%\n", -7, 42, 7u, 42, 42, 42, 255u, 255u,
                             8u, 'x', "text", static_cast<void*>(nullptr));
  printf("%lld|%llu|%lx|%hd|%hhu|%zu|%*d|%-*d|%.*f\n", -1LL, ~0ull, 255l, 70000, 300, sizeof(int), 6, 1, 6, 2, 2,
         3.14159);
  printf("%f|%.3e|%G|%g|%a|%10.4f|%F|%E\n", 1.5, 12345.678, 1e-10, 100000.0, 1.0, 2.5f, nan, -0.0);
  printf("%d %d\n", printed, printf("none\n"));
}
