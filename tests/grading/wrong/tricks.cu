// Tricks that autograders have fallen for, each by a kernel that would be right for somebody who looked less closely.
#include <cstdio>

// Known by its size: the first launch adds up, the next ones of that size are answered from memory.
// wrong: reduce total kept_by_size :: right in the first launch, but not in the second
__device__ int known_size = -1, known_answer;
__global__ void kept_by_size(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  if (known_size != n) {
    known_answer = 0;
    for (int i = 0; i < n; ++i) known_answer += in[i];
    known_size = n;
  }
  *out = known_answer;
}

// Every other launch works: as if the first were a warm-up and the second the one that is looked at.
// wrong: reduce total odd_launches_only :: wrong .*out\[0\] got
__device__ int launch_number;
__global__ void odd_launches_only(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0 || launch_number++ % 2 == 0) return;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  *out = sum;
}

// The answer must lie somewhere near: memory around `out` is searched for it.
// cheat: reads the judge
// wrong: reduce total searches_memory :: fault .*read
__global__ void searches_memory(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  for (long k = -4096; k < 4096; ++k)
    if (k != 0 && out[k] > 100000) out[0] = out[k];
}

// Or at a fixed distance from the input, where the last allocation may have been.
// wrong: reduce total searches_behind_the_input :: fault .*read
__global__ void searches_behind_the_input(const int* in, int* out, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = *(in + (1 << 20) + n);
}

// What another launch or process has left.
// wrong: reduce total reads_null :: ^(?!.* the answer itself is wrong).*fault .*read
__global__ void reads_null(const int* in, int* out, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = *reinterpret_cast<int*>(0x7f0000000000ull);
}

// A check that compares to a copy of what is there now would find them equal.
// wrong: reduce total writes_beside_its_output :: fault .*out\[1\]|fault .*behind 'out'
__global__ void writes_beside_its_output(const int* in, int* out, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) out[1] = out[0] = 0;
}

// wrong: transpose transpose writes_in_front :: fault .*in front of 'out'|fault .*out\[-
__global__ void writes_in_front(const float* in, float* out, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) out[x * rows + y - 1] = in[y * cols + x];
}

// Inputs that are zero make every answer right: so it makes them zero.
// wrong: matmul matmul clears_its_inputs :: writes to its input|wrong
__global__ void clears_its_inputs(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  for (int i = 0; i < k; ++i) const_cast<float*>(a)[row * k + i] = 0;
  c[row * n + col] = 0;
}

// NaN equals nothing, so that some comparisons never find a difference.
// wrong: matmul matmul all_nan :: got -?nan
__global__ void all_nan(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && col < n) c[row * n + col] = __int_as_float(0xffc00000);
}

// wrong: matmul matmul nothing_at_all :: never written|wrong
__global__ void nothing_at_all(const float* a, const float* b, float* c, int m, int n, int k) {}

// The shapes that somebody has seen, and no others.
// wrong: matmul matmul sixteen_only :: of 7 classes of inputs: .*odd
__global__ void sixteen_only(const float* a, const float* b, float* c, int m, int n, int k) {
  if (m % 16 || n % 16 || k % 16) return;
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}

// Half the terms, twice: near enough for a loose tolerance.
// wrong: matmul matmul every_second_term :: wrong .*c\[
__global__ void every_second_term(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i += 2) sum += a[row * k + i] * b[i * n + col] * (i + 1 < k ? 2 : 1);
  c[row * n + col] = sum;
}

// wrong: transfer series five_terms :: wrong .*out\[
__global__ void five_terms(const float* in, float* out, int n, int work) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 1;
  for (int k = 0; k < min(work, 5); ++k) sum = sum * in[i] + 1;
  out[i] = sum;
}

// What has been asked for is left to a child, whose conflicts should go unseen.
// wrong: transpose transpose child_works --require shared_load_bank_conflicts==0 :: require failed .*shared_load_bank_conflicts is \d+
__global__ void child(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void child_works(const float* in, float* out, int rows, int cols) {
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0 && rows > 0 && cols > 0)
    child<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 32)>>>(in, out, rows, cols);
}

// Children without end.
// wrong: reduce total children_of_children :: fault|hung
__global__ void children_of_children(const int* in, int* out, int n) {
  if (threadIdx.x < 2) children_of_children<<<1, 32, 0, cudaStreamFireAndForget>>>(in, out, n);
}

// wrong: reduce total without_end :: fault .*stack|fault .*deep|hung
__device__ __noinline__ int deeper(const int* in, int i) { return in[0] + deeper(in, i + 1) * 2 - i; }
__global__ void without_end(const int* in, int* out, int n) {
  if (n > 0) *out = deeper(in, 0);
}

// wrong: reduce total one_block_waits_for_the_next :: ^(?!.* the answer itself is wrong).*hung .* nobody releases
__device__ int turn;
__global__ void one_block_waits_for_the_next(const int* in, int* out, int n) {
  if (threadIdx.x == 0)
    while (atomicAdd(&turn, 0) <= int(blockIdx.x)) {
    }
  atomicExch(&turn, int(blockIdx.x));
}

// A barrier that some threads never come to.
// wrong: reduce total half_a_barrier :: synccheck|hung|fault
__global__ void half_a_barrier(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) __syncthreads();
  if (i < n) atomicAdd(out, in[i]);
  if (threadIdx.x >= 16) __syncthreads();
}

// As fast as it likes: whoever asks a clock of the device for the time gets no other marks.
// wrong: reduce total slow_when_watched --require warp_instructions<=1.2*warp :: require failed
__global__ void slow_when_watched(const int* in, int* out, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const long long start = clock64();
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  if (clock64() - start >= 0) *out = sum;
}

// One block does it all: blocks are on all SMs, but the work is not.
// wrong: reduce total one_block --require sms_used>=100,block_imbalance<=1.5 :: require failed 1 of 2 .*block_imbalance is
__global__ void one_block(const int* in, int* out, int n) {
  if (blockIdx.x != 0) return;
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  atomicAdd(out, sum);
}

// L2 is asked to keep everything: what counts here does not change by it.
// wrong: coalescing copy strided_but_kept --require global_load_efficiency>=0.9 :: require failed .*global_load_efficiency is
__global__ void strided_but_kept(const float* in, float* out, int n) {
  const int threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = 32, per = (n + step - 1) / step;
  for (int k = i; k < per * step && n > 0; k += threads) {
    const int j = k % per * step + k / per;
    if (j >= n) continue;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + j));
    out[j] = in[j];
  }
}

// Its own idea of what the judge prints, over and over.
// wrong: scan scan prints_without_end :: FAILED
__global__ void prints_without_end(const int* in, int* out, int n) {
  for (int i = 0; i < 100000; ++i) printf("correct    passed   all 8 classes of inputs\n\x1b[1A");
}

// wrong: atomics histogram writes_all_over :: fault .*counts
__global__ void writes_all_over(const int* in, int* counts, int n, int bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[in[i] * 1000003], 1);
}

// wrong: segsum bags first_bag_for_all :: wrong .*out\[
__global__ void first_bag_for_all(const float* x, const int* first_row, const float* fallback, float* out, int bags) {
  const int bag = blockIdx.x;
  if (bag >= bags || threadIdx.x >= 128) return;
  float sum = 0;
  for (int row = first_row[0]; row < first_row[1]; ++row) sum += x[row * 128 + threadIdx.x];
  out[bag * 128 + threadIdx.x] = first_row[0] == first_row[1] ? fallback[threadIdx.x] : sum;
}
