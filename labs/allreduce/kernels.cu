// Every GPU has a vector of n floats, and every GPU is to have the sum of all of them: what a training step does with
// gradients. The rungs of this lab differ in who sends what to whom, and when; these kernels are what they launch.
//
// A pointer into another GPU's memory is a pointer like any other, once peer access is enabled: a load of it crosses
// the link. Each thread takes four floats at once, for loads of 16 bytes need fewer threads to fill the link.

// --- Two vectors, one of them perhaps another GPU's ------------------------------------------------
// `mine` and `out` may be the same.
__global__ void allreduce_add(const float* mine, const float* other, float* out, int n) {
  const long first = 4 * (long(blockIdx.x) * blockDim.x + threadIdx.x);
  if (first + 4 <= n) {
    const float4 a = *reinterpret_cast<const float4*>(mine + first);
    const float4 b = *reinterpret_cast<const float4*>(other + first);
    *reinterpret_cast<float4*>(out + first) = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  } else {
    for (long i = first; i < n; ++i) out[i] = mine[i] + other[i];
  }
}

// --- What another GPU has, fetched by loads ---------------------------------------------------------
__global__ void allreduce_fetch(const float* other, float* out, int n) {
  const long first = 4 * (long(blockIdx.x) * blockDim.x + threadIdx.x);
  if (first + 4 <= n) {
    *reinterpret_cast<float4*>(out + first) = *reinterpret_cast<const float4*>(other + first);
  } else {
    for (long i = first; i < n; ++i) out[i] = other[i];
  }
}

// --- The vectors of up to eight GPUs at once --------------------------------------------------------
// Added in the order of their GPUs, so that all who do it get the same bits.
__device__ float4 plus(float4 a, const float* from, long first) {
  const float4 b = *reinterpret_cast<const float4*>(from + first);
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__global__ void allreduce_sum(const float* v0, const float* v1, const float* v2, const float* v3, const float* v4,
                              const float* v5, const float* v6, const float* v7, float* out, int vectors, int n) {
  const long first = 4 * (long(blockIdx.x) * blockDim.x + threadIdx.x);
  if (first + 4 <= n) {
    float4 sum = plus(*reinterpret_cast<const float4*>(v0 + first), v1, first);
    if (vectors > 2) sum = plus(sum, v2, first);
    if (vectors > 3) sum = plus(sum, v3, first);
    if (vectors > 4) sum = plus(sum, v4, first);
    if (vectors > 5) sum = plus(sum, v5, first);
    if (vectors > 6) sum = plus(sum, v6, first);
    if (vectors > 7) sum = plus(sum, v7, first);
    *reinterpret_cast<float4*>(out + first) = sum;
  } else {
    const float* all[] = {v0, v1, v2, v3, v4, v5, v6, v7};
    for (long i = first; i < n; ++i) {
      float sum = v0[i];
#pragma unroll
      for (int v = 1; v < 8; ++v)
        if (v < vectors) sum += all[v][i];
      out[i] = sum;
    }
  }
}
