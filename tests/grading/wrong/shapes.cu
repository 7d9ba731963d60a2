// wrong: transpose transpose not_turned :: rectangle whole tiles, but more of one side .*out\[\d+\] got .* expected .* block \(\d+,\d+,0\), thread \(
__global__ void not_turned(const float* in, float* out, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) out[y * cols + x] = in[y * cols + x];
}

// wrong: transpose transpose squares_only :: of 8 classes of inputs: rectangle
__global__ void squares_only(const float* in, float* out, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) out[x * cols + y] = in[y * cols + x];
}

// Of an input that is const for a reason.
// wrong: transpose transpose in_its_input :: the kernel writes to its input 'in'
__global__ void in_its_input(const float* in, float* out, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= cols || y >= rows) return;
  out[x * rows + y] = in[y * cols + x];
  const_cast<float*>(in)[y * cols + x] = 0;
}

// wrong: transpose transpose by_arithmetic :: special NaN, infinities
__global__ void by_arithmetic(const float* in, float* out, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x] + 0.0f;
}

// Right, and not what was asked for.
// wrong: transpose transpose with_conflicts --require shared_load_bank_conflicts==0,warp_instructions<=3*tiled_padded :: require failed 1 of 2 .*shared_load_bank_conflicts is \d+, asked for == 0
__global__ void with_conflicts(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

// The barrier is missing.
// wrong: transpose transpose no_barrier :: racecheck
__global__ void no_barrier(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

// wrong: matmul matmul in_tf32 :: fine numbers that use all digits
__device__ float tf32(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }
__global__ void in_tf32(const float* a, const float* b, float* c, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += tf32(a[row * k + i]) * tf32(b[i * n + col]);
  c[row * n + col] = sum;
}

// wrong: matmul matmul whole_tiles_only :: fault .*(a|b)\[
__global__ void whole_tiles_only(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float s[16][16], t[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int first = 0; first < k; first += 16) {
    s[y][x] = a[row * k + first + x];
    t[y][x] = b[(first + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += s[y][i] * t[i][x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

// The lecture's: right by luck where all threads go in step.
// wrong: scan tile racy :: racecheck
__global__ void racy(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
  }
  if (t < n) out[t] = s[t];
}

// wrong: scan scan one_block_only :: blocks sizes around a block
__global__ void one_block_only(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = blockIdx.x * blockDim.x; k <= i && i < n; ++k) sum += in[k];
  if (i < n) out[i] = sum;
}

// wrong: scan scan in_float :: wrong .*out\[
__global__ void in_float(const int* in, int* out, int n) {
  if (blockIdx.x + threadIdx.x > 0) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) out[i] = int(sum += in[i]);
}

// wrong: atomics histogram sixty_four_bins :: fault .*mine|out of|behind|beyond
__global__ void sixty_four_bins(const int* in, int* counts, int n, int bins) {
  __shared__ int mine[64];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&mine[in[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], mine[b]);
}

// wrong: atomics histogram lost_updates :: racecheck|wrong
__global__ void lost_updates(const int* in, int* counts, int n, int bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ++counts[in[i]];
}

// wrong: warps ids as_if_in_a_row :: wrong .*ids\[
__global__ void as_if_in_a_row(int4* ids, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n) ids[id] = make_int4(blockIdx.x, threadIdx.x, threadIdx.x / 32, threadIdx.x % 32);
}

// wrong: julia julia one_too_many :: wrong .*counts\[
__global__ void one_too_many(int* counts, int width, int height, int iterations, float c_re, float c_im) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= width || row >= height) return;
  const float s = 4.0f / min(width, height);
  float re = (col + 0.5f - width / 2.0f) * s, im = (row + 0.5f - height / 2.0f) * s;
  int k = 0;
  do {
    const float next = re * re - im * im + c_re;
    im = 2 * re * im + c_im;
    re = next;
  } while (++k < iterations && re * re + im * im <= 4);
  counts[row * width + col] = k;
}

// wrong: segsum bags without_fallback :: empty|gaps
__global__ void without_fallback(const float* x, const int* first_row, const float* fallback, float* out, int bags) {
  const int bag = blockIdx.x;
  if (bag >= bags || threadIdx.x >= 128) return;
  float sum = 0;
  for (int row = first_row[bag]; row < first_row[bag + 1]; ++row) sum += x[row * 128 + threadIdx.x];
  out[bag * 128 + threadIdx.x] = sum;
}

// The kernel that is meant is not said.
// wrong: saxpy saxpy - :: which kernel is meant\? first, second fit
__global__ void first(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
__global__ void second(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
