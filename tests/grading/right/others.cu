// right: atomics histogram straight
__global__ void straight(const int* in, int* counts, int n, int bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(counts + in[i], 1);
}

// right: atomics histogram own_copies
__global__ void own_copies(const int* in, int* counts, int n, int bins) {
  extern __shared__ int mine[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (mine[b] != 0) atomicAdd(&counts[b], mine[b]);
}

// right: warps ids all_dimensions
__global__ void all_dimensions(int4* ids, int n) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int id = block * blockDim.x * blockDim.y * blockDim.z + thread;
  if (id < n) ids[id] = make_int4(block, thread, thread / warpSize, thread % warpSize);
}

// right: launch columns block_each
__global__ void block_each(const float* in, float* out, int rows, int cols) {
  __shared__ float s[1024];
  const int col = blockIdx.x, t = threadIdx.x;
  if (col >= cols) return;
  float sum = 0;
  for (int r = t; r < rows; r += blockDim.x) sum += in[col * rows + r];
  s[t] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[col] = s[0] / rows;
}

// right: launch columns thread_each
__global__ void thread_each(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  float mean = 0;
  for (int r = 0; r < rows; ++r) mean += in[col * rows + r];
  out[col] = mean * (1.0f / rows);
}

// right: segsum bags block_for_bag
__global__ void block_for_bag(const float* x, const int* first_row, const float* fallback, float* out, int bags) {
  const int bag = blockIdx.x;
  if (bag >= bags) return;
  for (int f = threadIdx.x; f < 128; f += blockDim.x) {
    float sum = 0;
    for (int row = first_row[bag]; row < first_row[bag + 1]; ++row) sum += x[row * 128 + f];
    out[bag * 128 + f] = first_row[bag] == first_row[bag + 1] ? fallback[f] : sum;
  }
}

// right: segsum bags warp_for_bag
__global__ void warp_for_bag(const float* x, const int* first_row, const float* fallback, float* out, int bags) {
  const int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (bag >= bags) return;
  const int first = first_row[bag], end = first_row[bag + 1];
  for (int f = lane; f < 128; f += 32) {
    float sum = first == end ? fallback[f] : 0;
    for (int row = first; row < end; ++row) sum += x[row * 128 + f];
    out[bag * 128 + f] = sum;
  }
}

// right: unroll partials eight_each
__global__ void eight_each(const int* in, int* out, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x, first = blockIdx.x * blockDim.x * 8 + t;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    if (first + k * int(blockDim.x) < n) sum += in[first + k * blockDim.x];
  s[t] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// right: julia julia in_float
__global__ void in_float(int* counts, int width, int height, int iterations, float c_re, float c_im) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= width || row >= height) return;
  const float s = 4.0f / min(width, height);
  float re = (col + 0.5f - width / 2.0f) * s, im = (row + 0.5f - height / 2.0f) * s;
  int k = 0;
  for (; k < iterations && re * re + im * im <= 4; ++k) {
    const float next = re * re - im * im + c_re;
    im = 2 * re * im + c_im;
    re = next;
  }
  counts[row * width + col] = k;
}

// right: julia julia in_double
__global__ void in_double(int* counts, int width, int height, int iterations, float c_re, float c_im) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= width || row >= height) return;
  const double s = 4.0 / (width < height ? width : height);
  double re = (col + 0.5 - width * 0.5) * s, im = (row + 0.5 - height * 0.5) * s;
  int k = 0;
  while (k < iterations && sqrt(re * re + im * im) <= 2) {
    const double next = re * re - im * im + c_re;
    im = 2 * re * im + c_im, re = next;
    k++;
  }
  counts[width * row + col] = k;
}
