// Wrong sums: "// wrong: LAB CONTRACT KERNEL :: what the report must say".
#include <cassert>
#include <cstdio>

// The surplus threads of the last block read on behind the array.
// wrong: reduce total beyond_the_end :: in\[\d+\].*reduce.cu:\d+|reduce.cu:\d+.*in\[
__global__ void beyond_the_end(const int* in, int* out, int n) {
  atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

// wrong: reduce total sixteen_bits :: large .*beyond|large more elements than 16 bits count
__global__ void sixteen_bits(const int* in, int* out, int n) {
  for (unsigned short i = threadIdx.x; i < n && blockIdx.x == 0; i += blockDim.x) {
    atomicAdd(out, in[i]);
    if (n > 65535 && i + blockDim.x > 65535) break;
  }
}

// wrong: reduce partials without_barriers :: error racecheck: .*reduce.cu:\d+
__global__ void without_barriers(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  for (int step = blockDim.x / 2; step > 0; step /= 2)
    if (t < step) s[t] += s[t + step];
  if (t == 0) out[blockIdx.x] = s[0];
}

// Without an atomic all but one of the blocks' sums are lost.
// wrong: reduce total plain_addition :: wrong .*out\[0\]|racecheck
__global__ void plain_addition(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *out += in[i];
}

// wrong: reduce total kept_by_address :: right in the first launch, but not in the second
__device__ const int* known;
__device__ int answer;
__global__ void kept_by_address(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  if (known != in) {
    answer = 0;
    for (int i = 0; i < n; ++i) answer += in[i];
    known = in;
  }
  *out = answer;
}

// wrong: reduce total first_launch_only :: right in the first launch, but not in the second
__device__ int launches;
__global__ void first_launch_only(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0 || launches++ > 0) return;
  for (int i = 0; i < n; ++i) *out += in[i];
}

// wrong: reduce total powers_of_two_only :: \d of 9 classes of inputs: .*odd
__global__ void powers_of_two_only(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((n & (n - 1)) == 0 && i < n) atomicAdd(out, in[i]);
}

// wrong: reduce total looks_around :: fault .*out\[1\]|fault .*behind 'out'
__global__ void looks_around(const int* in, int* out, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = out[1];
}

// wrong: reduce total not_a_number :: out\[0\] got nan
__global__ void not_a_number(const float* in, float* out, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = __int_as_float(0x7fffffff);
}

// wrong: reduce total infinite :: wrong .*inf
__global__ void infinite(const float* in, float* out, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = __int_as_float(0x7f800000);
}

// wrong: reduce total for_ever :: hung .*did not end .*not run: launches before it did not end
__global__ void for_ever(const int* in, int* out, int n) {
  while (n >= 0) n = n ^ 0x10000000 & 0;
}

// wrong: reduce total trapped :: fault .*trap
__global__ void trapped(const int* in, int* out, int n) {
  __trap();
}

// wrong: reduce total asserted :: fault .*assert
__global__ void asserted(const int* in, int* out, int n) {
  assert(n < 0);
}

// What a kernel prints is data: shown in its own place, its control characters visible.
// wrong: reduce total forger :: FAILED .*correct +failed .*printed.*\{"schema": "gpulab.check.v1", "status": "passed"\}
__global__ void forger(const int* in, int* out, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    printf("{\"schema\": \"gpulab.check.v1\", \"status\": \"passed\"}\n\033[2J\033[32mPASSED\033[0m\n");
}

// The neutral element is not in[0] where there is none.
// wrong: reduce total starts_with_the_first :: empty no elements at all
__global__ void starts_with_the_first(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  int sum = in[0];
  for (int i = 1; i < n; ++i) sum += in[i];
  *out = sum;
}

// wrong: reduce total in_half_precision :: wrong .*out\[0\]
__device__ float rounded(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000); }
__global__ void in_half_precision(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, rounded(in[i]));
}

// A sample, scaled up.
// wrong: reduce total every_second :: wrong .*out\[0\]
__global__ void every_second(const float* in, float* out, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(out, 2 * in[i]);
}

// wrong: reduce partials never_cleared :: initcheck|was never written
__global__ void never_cleared(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[blockIdx.x], in[i]);
}

// More local memory than a thread can have.
// wrong: reduce total huge_local_array :: huge_local_array.*local|524288
__global__ void huge_local_array(const int* in, int* out, int n) {
  int copy[200000];
  for (int i = 0; i < n; ++i) copy[i % 200000] = in[i];
  if (threadIdx.x == 0) *out = copy[n / 2];
}

// wrong: reduce total block_of_64 :: fault .*s\[|shared
__global__ void block_of_64(const float* in, float* out, int n) {
  __shared__ float s[16];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (t == 0)
    for (int k = 0; k < blockDim.x; ++k) atomicAdd(out, s[k]);
}

// Only one of both is right, and names decide nothing.
// wrong: reduce total - --kernel nobody :: no kernel is named 'nobody'
// wrong: reduce total takes_too_much :: the contract asks for total\(const T\* in, T\* out, int n\), T one of int, float; the file has takes_too_much\(int const\*, int\*, int, int\)
__global__ void takes_too_much(const int* in, int* out, int n, int more) {
  if (threadIdx.x < more) *out = in[n - 1];
}
// wrong: reduce total swapped :: the contract asks for total
__global__ void swapped(int* out, const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}
