// Matrices and pictures, in more styles.

// right: transpose transpose grid_of_strides
__global__ void grid_of_strides(const float* in, float* out, int rows, int cols) {
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y)
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < cols; c += gridDim.x * blockDim.x) out[c * rows + r] = in[r * cols + c];
}

// right: transpose transpose swizzled --require shared_load_bank_conflicts==0,shared_store_bank_conflicts==0
__global__ void swizzled(const float* __restrict__ in, float* __restrict__ out, int rows, int cols) {
  __shared__ float tile[32 * 32];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  unsigned x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
  if (x < cols && y < rows) tile[ty * 32 + (tx ^ ty)] = in[y * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + tx, y = blockIdx.x * 32 + ty;
  if (x < rows && y < cols) out[y * rows + x] = tile[tx * 32 + (tx ^ ty)];
}

// right: transpose transpose by_one_number
__global__ void by_one_number(const float* in, float* out, int rows, int cols) {
  const long long threads = (long long)gridDim.x * gridDim.y * blockDim.x * blockDim.y;
  const long long block = blockIdx.y * gridDim.x + blockIdx.x;
  const long long me = (block * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  for (long long k = me; k < (long long)rows * cols; k += threads) {
    const int row = k / cols, col = k % cols;
    out[(long long)col * rows + row] = in[k];
  }
}

// right: matmul matmul coarse
__global__ void coarse(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) {
    float even = 0, odd = 0;
    int i = 0;
    for (; i + 1 < k; i += 2) {
      even = fmaf(a[row * k + i], b[i * n + col], even);
      odd = fmaf(a[row * k + i + 1], b[(i + 1) * n + col], odd);
    }
    if (i < k) even += a[row * k + i] * b[i * n + col];
    c[row * n + col] = even + odd;
  }
}

// right: matmul matmul with_struct
struct Matrix {
  const float* elements;
  int height, width;
  __device__ float at(int row, int col) const { return row < height && col < width ? elements[row * width + col] : 0.0f; }
};
__global__ void with_struct(const float* a, const float* b, float* c, int m, int n, int k) {
  const Matrix A{a, m, k}, B{b, k, n};
  __shared__ float left[8][8], right[8][8];
  const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile * 8 < k; ++tile) {
    left[threadIdx.y][threadIdx.x] = A.at(row, tile * 8 + threadIdx.x);
    right[threadIdx.y][threadIdx.x] = B.at(tile * 8 + threadIdx.y, col);
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

// right: matmul matmul four_by_four
__global__ void four_by_four(const float* a, const float* b, float* c, int m, int n, int k) {
  // 64x64 elements a block of 16x16 threads, 4x4 a thread.
  __shared__ float as[64][17], bs[16][65];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int first = 0; first < k; first += 16) {
    for (int e = t; e < 64 * 16; e += 256) {
      const int r = e / 16, i = e % 16;
      as[r][i] = row0 + r < m && first + i < k ? a[(row0 + r) * k + first + i] : 0;
    }
    for (int e = t; e < 16 * 64; e += 256) {
      const int i = e / 64, q = e % 64;
      bs[i][q] = first + i < k && col0 + q < n ? b[(first + i) * n + col0 + q] : 0;
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      for (int r = 0; r < 4; ++r)
        for (int q = 0; q < 4; ++q) sum[r][q] += as[ty * 4 + r][i] * bs[i][tx * 4 + q];
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int q = 0; q < 4; ++q)
      if (row0 + ty * 4 + r < m && col0 + tx * 4 + q < n) c[(row0 + ty * 4 + r) * n + col0 + tx * 4 + q] = sum[r][q];
}

// right: matmul matmul kahan
__global__ void kahan(const float* a, const float* b, float* c, int m, int n, int k) {
  const int j = threadIdx.x + blockIdx.x * blockDim.x, i = threadIdx.y + blockIdx.y * blockDim.y;
  if (i >= m || j >= n) return;
  float sum = 0, carry = 0;
  for (int l = 0; l < k; ++l) {
    const float term = a[i * k + l] * b[l * n + j] - carry, next = sum + term;
    carry = (next - sum) - term;
    sum = next;
  }
  c[i * n + j] = sum;
}

// right: julia julia with_struct_complex
struct Complex {
  float re, im;
  __device__ Complex(float r, float i) : re(r), im(i) {}
  __device__ float norm() const { return re * re + im * im; }
  __device__ Complex operator*(const Complex& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  __device__ Complex operator+(const Complex& o) const { return {re + o.re, im + o.im}; }
};
__global__ void with_struct_complex(int* counts, int width, int height, int iterations, float c_re, float c_im) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float s = 4.0f / fminf(width, height);
  Complex z((x + 0.5f - width / 2.0f) * s, (y + 0.5f - height / 2.0f) * s);
  const Complex c(c_re, c_im);
  int count = 0;
  while (z.norm() <= 4.0f && count < iterations) {
    z = z * z + c;
    ++count;
  }
  counts[x + y * width] = count;
}

// right: julia julia strided_pixels
__global__ void strided_pixels(int* pixels, int w, int h, int max_iterations, float cr, float ci) {
  const int step_x = blockDim.x * gridDim.x, step_y = blockDim.y * gridDim.y;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < h; y += step_y)
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += step_x) {
      const float s = 4.f / (w < h ? w : h);
      float zr = (x + .5f - .5f * w) * s, zi = (y + .5f - .5f * h) * s, r2 = zr * zr, i2 = zi * zi;
      int k = 0;
      for (; k != max_iterations && r2 + i2 <= 4.f; k++, r2 = zr * zr, i2 = zi * zi) {
        zi = __fmaf_rn(zr + zr, zi, ci);
        zr = r2 - i2 + cr;
      }
      pixels[y * w + x] = k;
    }
}
