// Cheats of timers and of checks that were published in 2026, as kernels of contracts: tests/grading/CHEATS.md says what each is worth.
// The host's side of this file is nobody's: kernels are taken out of it.
#include <cuda_fp16.h>

#include <chrono>
#include <thread>

// Functions of the timer in the submission's own words: they are in a part of the file that nobody runs.
extern "C" cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = 0;
  return cudaSuccess;
}
extern "C" cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

// A thread of the host's that would do the work when the clock has been stopped.
struct Later {
  Later() {
    std::thread([] { std::this_thread::sleep_for(std::chrono::seconds(1)); }).detach();
  }
} later;

__device__ int sum_of(const int* in, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  return sum;
}

// cheat: timer replaced
// wrong: reduce total timed_by_its_own_clock --require warp_instructions<=1.2*warp :: require failed
__global__ void timed_by_its_own_clock(const int* in, int* out, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = sum_of(in, n);
}

// The kernel that was launched has ended before the work begins: another stream's events see the rest.
// cheat: own stream
// wrong: reduce total works_in_another_stream --require warp_instructions<=1.2*warp :: require failed
__global__ void whole_sum(const int* in, int* out, int n) { *out = sum_of(in, n); }
__global__ void works_in_another_stream(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  whole_sum<<<1, 1, 0, cudaStreamFireAndForget>>>(in, out, n);
}

// cheat: finishes later
// wrong: reduce total works_when_it_has_ended --require warp_instructions<=1.2*warp :: require failed
__global__ void works_when_it_has_ended(const int* in, int* out, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) whole_sum<<<1, 1, 0, cudaStreamTailLaunch>>>(in, out, n);
}

// cheat: results kept
// wrong: reduce total kept_by_pointer :: right in the first launch, but not in the second
__device__ const int* known_pointer;
__device__ int kept_sum;
__global__ void kept_by_pointer(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  if (known_pointer != in) kept_sum = sum_of(in, n);
  known_pointer = in;
  *out = kept_sum;
}

// A few elements are looked at: data that has been seen is known by them. New data costs what it costs, and is what is counted.
// cheat: results kept
// wrong: reduce total kept_by_content --require warp_instructions<=1.2*warp :: require failed
__device__ int known_first, known_middle, known_last, known_count = -1;
__global__ void kept_by_content(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0 || n == 0) return;
  if (known_count != n || known_first != in[0] || known_middle != in[n / 2] || known_last != in[n - 1])
    kept_sum = sum_of(in, n);
  known_count = n, known_first = in[0], known_middle = in[n / 2], known_last = in[n - 1];
  *out = kept_sum;
}

// It answers warm-ups, and leaves out what comes behind them. That nothing is written is seen where the last of the timed launches
// is looked at (tests/unit/runner/judge/timing_test.cpp); here every launch that counts is a first one.
// cheat: results kept
// wrong: reduce total answers_warm_ups_alone --require warp_instructions<=1.2*warp :: require failed
__device__ int launches_so_far;
__global__ void answers_warm_ups_alone(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0 || launches_so_far++ > 2) return;
  *out = sum_of(in, n);
}

// Large inputs are those that are counted: it is wrong there, and lean.
// cheat: input recognised
// wrong: reduce total leaves_out_what_is_counted --require warp_instructions<=1.2*warp :: (correct +failed|require +failed)
__global__ void leaves_out_what_is_counted(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && n < 100000) atomicAdd(out, in[i]);
}

// Inputs of the default seed, by heart.
// cheat: input recognised
// wrong: scan scan knows_a_few_inputs :: wrong .*out\[
__global__ void knows_a_few_inputs(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i < 4 ? (i > 2 ? in[3] : 0) + (i > 1 ? in[2] : 0) + (i > 0 ? in[1] : 0) + in[0] : 17 * i;
}

// A check that looks at some places, and one that adds up.
// cheat: lucky check
// wrong: transpose transpose right_at_some_places :: wrong .*out\[
__global__ void right_at_some_places(const float* in, float* out, int rows, int cols) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= cols || y >= rows) return;
  const int place = x * rows + y, count = rows * cols;
  out[place] = place < 64 || place >= count - 64 || place % 97 == 0 ? in[y * cols + x] : 0;
}

// cheat: lucky check
// wrong: transpose transpose same_sum_of_all :: wrong .*out\[
__global__ void same_sum_of_all(const float* in, float* out, int rows, int cols) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) out[y * cols + x] = in[y * cols + x];
}

// What shared memory still holds of somebody who was right.
// cheat: memory reused
// wrong: reduce total reads_what_shared_memory_holds :: initcheck|wrong
__global__ void reads_what_shared_memory_holds(const int* in, int* out, int n) {
  __shared__ int left[256];
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = left[n % 256];
}

// The output may still hold the reference's answer.
// cheat: memory reused
// wrong: scan tile keeps_what_is_there :: initcheck|wrong|never written
__global__ void keeps_what_is_there(const int* in, int* out, int n) {
  const int t = threadIdx.x;
  if (t < n) out[t] = t == 0 ? in[0] : out[t];
}

// Each launch gives the answer of the one before it.
// cheat: lazily returned
// wrong: reduce total one_launch_late :: never written|wrong
__device__ int answer_for_later;
__global__ void one_launch_late(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  if (launches_so_far++ > 0) *out = answer_for_later;
  answer_for_later = sum_of(in, n);
}

// A clock that stands still, or goes by as many steps in every run, is nobody's GPU.
// cheat: clocks
// wrong: reduce total asks_the_time --require warp_instructions<=1.2*warp :: require failed
__global__ void asks_the_time(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  unsigned long long start, end;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  const int sum = sum_of(in, n);
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(end));
  if (end >= start) *out = sum;
}

// Sums of halves: half of the bytes, twice the lanes, and three digits.
// cheat: precision lowered
// wrong: matmul matmul sums_of_halves :: wrong .*c\[
__global__ void sums_of_halves(const float* a, const float* b, float* c, int m, int n, int k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= m) return;
  __half sum = __float2half(0.0f);
  for (int i = 0; i < k; ++i) sum = __hfma(__float2half(a[y * k + i]), __float2half(b[i * n + x]), sum);
  c[y * n + x] = __half2float(sum);
}

// cheat: precision lowered
// wrong: reduce total of_sixteen_bits :: wrong .*out\[
__global__ void of_sixteen_bits(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, static_cast<short>(in[i]));
}
