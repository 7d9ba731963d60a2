// With -G it is known where each of a function's local variables ends: an index past one of them is a fault of memcheck. A struct is one
// variable, whatever it holds.
// build: -G
// case: --sanitize all -- right :: 0
// out: ^no error$
// case: -- past :: 0
// out: ^no error$
// case: --sanitize memcheck -- past :: 4
// out: illegal memory access
// err: error: out-of-bounds load of 4 bytes at byte 36 of 'bins' in local memory, which has 32 bytes in count, block \(0,0,0\), thread \(0,0,0\) at \S*debug_arrays.cu:@bins[in[i]] \+= 1@ in launch 1 of the program, count.* called by debug_arrays.cu:@<<<1, 1>>>@
// err: hint: compare the index with the number of elements before the access
// case: --sanitize memcheck -- called :: 4
// err: error: out-of-bounds store of 4 bytes at byte -4 of 'line' in local memory, which has 12 bytes in count
#include <cstdio>
#include <cstring>

struct Pair {
  int a[4], b[4];
};

__device__ __noinline__ int of_a_function(int at) {
  int line[3], next[4];
  for (int i = 0; i < 4; ++i) next[i] = i;
  line[0] = line[1] = line[2] = at;
  line[at] = 7;
  return line[1] + next[at & 3];
}

__global__ void count(const int* in, int* out, int at) {
  int before[2] = {1, 1}, bins[8] = {}, other[4] = {};
  Pair pair = {};
  int* all = pair.a;
  for (int i = 0; i < 8; ++i) all[i] += 1;
  for (int i = 0; i < 4; ++i) bins[in[i]] += 1;
  for (int i = 0; i < 4; ++i) other[in[i] & 3] += 1;
  out[0] = bins[3] + other[in[1] & 3] + before[in[0] & 1] + pair.b[in[2] & 3] + of_a_function(at);
}

int main(int, char** arguments) {
  const bool past = std::strcmp(arguments[1], "past") == 0, called = std::strcmp(arguments[1], "called") == 0;
  const int host[] = {1, 2, 3, past ? 9 : 7};
  int *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  count<<<1, 1>>>(in, out, called ? -1 : 2);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(in);
  cudaFree(out);
}
