// Programs that are right and slow; what each has to change is named at its line. And twins of them that are as they should be.
// case: --explain -- few_warps :: 0
// err: 1\. advice\.cu:@float rows[10240]@ in few_warps: .*s \(\d+%\) occupancy of 8%: a block of 32 threads takes 40 KiB of shared memory
// case: --explain --profile rtx4090 -- literal :: 0
// err: 1\. advice\.cu:@v * 0.5 + 2.0@ in literal: .*double arithmetic on floats: 0\.5 is a double
// case: --explain -- literal :: 0
// err: advice\.cu:@v * 0.5 + 2.0@ in literal: .*64 results in double a cycle where 128 are float Try: 0\.5f for 0\.5
// case: --explain -- bench :: 0
// err: advice\.cu:@k < 1000@ in bench: .*stores nothing: nobody can see what it computes, so the compiler left it out: 1 instruction of a thread is there
// case: --explain -- copies :: 0
// err: 1\. advice\.cu:@needless@: .*copies to the device what lies there already: 19 of 20 times, 64 KiB each; what cudaMemcpy has brought to the host in advice\.cu:@back@ goes up
// case: --explain -- small_copies :: 0
// err: 1\. advice\.cu:@one by one@: .*600 copies of 4 B each to the device by cudaMemcpy
// case: --explain -- pageable :: 0
// err: advice\.cu:@not pinned@: .*cudaMemcpyAsync to the device with memory of the host that is not pinned, 4 MiB in 1 call
// case: --explain -- allocates :: 0
// err: 1\. advice\.cu:@each turn@: .*memory is allocated and freed again around launches: 19 times cudaMalloc, 19 times cudaFree
// case: --explain -- clock :: 0
// err: advice\.cu:@too early@: .*the clock is read in advice\.cu:@before@ and in advice\.cu:@too early@, update\(float\*, int\) is launched between them in advice\.cu:@timed@, and nothing waits
// case: --explain -- tiny :: 0
// err: advice\.cu:@so little@ in update: .*1,200 launches of update, of 32 threads each
// case: --explain -- twins :: 0
// err: nothing stands out: no line, launch or copy wastes 5% of the
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

__global__ void few_warps(const float* x, float* y, int n) {
  __shared__ float rows[10240];
  int i = blockIdx.x * 32 + threadIdx.x;
  for (int j = threadIdx.x; j < 10240; j += 32) rows[j] = x[(blockIdx.x + j) % n];
  __syncthreads();
  float s = 0;
  for (int j = 0; j < 64; ++j) s += rows[(threadIdx.x + j * 160) % 10240];
  y[i] = s;
}
__global__ void literal(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 64; ++k) v = v * 0.5 + 2.0;
  y[i] = v;
}
__global__ void literal_of_floats(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 64; ++k) v = v * 0.5f + 2.0f;
  y[i] = v;
}
__global__ void sums_in_double(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < 16; ++k) sum += 0.5 * x[(i + k * 1024) % n];
  if (i < n) y[i] = (float)sum;
}
__global__ void bench(const float* x, int n) {
  float v = x[(blockIdx.x * blockDim.x + threadIdx.x) % n];
  for (int k = 0; k < 1000; ++k) v = v * 1.0001f + 0.5f;
}
__global__ void update(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 0.5f + 1;
}

static const int n = 1 << 14;
static float *x, *y;

static void copies() {
  std::vector<float> h(n, 0.0f);
  for (int k = 0; k < 20; ++k) {
    cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);  // needless
    update<<<n / 256, 256>>>(x, n);
    cudaMemcpy(h.data(), x, n * 4, cudaMemcpyDeviceToHost);  // back
  }
}
static void small_copies() {
  std::vector<float> h(n, 0.0f);
  for (int k = 0; k < 600; ++k) cudaMemcpy(x + k, &h[k] + (h[k] = k, 0), 4, cudaMemcpyHostToDevice);  // one by one
  update<<<n / 256, 256>>>(x, n);
}
static void pageable(bool pinned) {
  const size_t bytes = 4 << 20;
  float *d, *h;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&d, bytes);
  if (pinned) cudaMallocHost(&h, bytes);
  else h = (float*)std::malloc(bytes);
  std::memset(h, 0, bytes);
  cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, stream);  // not pinned
  update<<<bytes / 1024, 256, 0, stream>>>(d, bytes / 4);
  cudaStreamSynchronize(stream);
  if (pinned) cudaFreeHost(h);
  else std::free(h);
  cudaFree(d);
  cudaStreamDestroy(stream);
}
static void allocates() {
  for (int k = 0; k < 20; ++k) {
    float* d;
    cudaMalloc(&d, n * 4);  // each turn
    cudaMemset(d, 0, n * 4);
    update<<<n / 256, 256>>>(d, n);
    cudaFree(d);
  }
}
static void clocks(bool waits) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();  // before
  update<<<n / 256, 256>>>(x, n);  // timed
  if (waits) cudaDeviceSynchronize();
  const auto stop = Clock::now();  // too early
  cudaMemset(x, 0, 4);
  std::printf("%d\n", (stop - start).count() >= 0);
}
static void tiny() {
  for (int k = 0; k < 1200; ++k) update<<<1, 32>>>(x, 32);  // so little
}
/// As they should be: each of another kind, all of them short beside a copy that has to be.
static void twins() {
  std::vector<float> h(1 << 22, 1.0f);
  float* d;
  cudaMalloc(&d, h.size() * 4);
  cudaMemcpy(d, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
  literal_of_floats<<<n / 256, 256>>>(x, y, n);
  sums_in_double<<<n / 256, 256>>>(x, y, n);
  for (int k = 0; k < 20; ++k) {
    for (int i = 0; i < 1024; ++i) h[i] = k + i;
    cudaMemcpy(x, h.data(), 4096, cudaMemcpyHostToDevice);
    update<<<n / 256, 256>>>(x, n);
  }
  pageable(true);
  clocks(true);
  cudaMemcpy(h.data(), d, h.size() * 4, cudaMemcpyDeviceToHost);
  cudaFree(d);
}

int main(int, char** words) {
  const auto is = [&](const char* word) { return std::strcmp(words[1], word) == 0; };
  cudaMalloc(&x, (1 << 18) * 4);
  cudaMalloc(&y, (1 << 18) * 4);
  cudaMemset(x, 0, (1 << 18) * 4);
  if (is("few_warps")) few_warps<<<1024, 32>>>(x, y, 1 << 15);
  if (is("literal")) literal<<<1024, 256>>>(x, y, 1 << 18);
  if (is("bench")) bench<<<1024, 256>>>(x, 1024);
  if (is("copies")) copies();
  if (is("small_copies")) small_copies();
  if (is("pageable")) pageable(false);
  if (is("allocates")) allocates();
  if (is("clock")) clocks(false);
  if (is("tiny")) tiny();
  if (is("twins")) twins();
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
