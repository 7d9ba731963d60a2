// right: saxpy saxpy one_each
__global__ void one_each(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// right: saxpy saxpy strided
__global__ void strided(float a, const float* __restrict__ x, float* __restrict__ y, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = __fadd_rn(__fmul_rn(a, x[i]), y[i]);
}

// right: saxpy saxpy by_fours
__global__ void by_fours(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    const float4 p = reinterpret_cast<const float4*>(x)[i];
    float4 q = reinterpret_cast<float4*>(y)[i];
    q.x = fmaf(a, p.x, q.x), q.y = fmaf(a, p.y, q.y), q.z = fmaf(a, p.z, q.z), q.w = fmaf(a, p.w, q.w);
    reinterpret_cast<float4*>(y)[i] = q;
  }
  if (i == 0)
    for (int k = n / 4 * 4; k < n; ++k) y[k] = fmaf(a, x[k], y[k]);
}

// right: coalescing copy plain
__global__ void plain(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// right: divergence parity without_branches
__global__ void without_branches(const unsigned* in, unsigned* out, int n, int work) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  const unsigned factor = i % 2 ? 5 : 3, more = i % 2 ? 2 : 1;
  while (work-- > 0) x = factor * x + more;
  out[i] = x;
}

// right: occupancy chains two_each
__global__ void two_each(const unsigned* in, unsigned* out, int n, int steps, unsigned a, unsigned c) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  unsigned x = i < n ? in[i] : 0, y = i + 1 < n ? in[i + 1] : 0;
  for (int k = 0; k < steps; ++k) x = a * x + c, y = a * y + c;
  if (i < n) out[i] = x;
  if (i + 1 < n) out[i + 1] = y;
}

// right: allreduce allreduce_add other_first
__global__ void other_first(const float* mine, const float* other, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float far = other[i];
  out[i] = far + mine[i];
}

// right: transfer series horner
__global__ void horner(const float* in, float* out, int n, int work) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 1;
  for (int k = 0; k < work; ++k) sum = sum * in[i] + 1;
  out[i] = sum;
}

// right: transfer series powers
__global__ void powers(const float* in, float* out, int n, int work) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 1, power = 1;
  for (int k = 1; k <= work; ++k) sum += power *= in[i];
  out[i] = sum;
}
