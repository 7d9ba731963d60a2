// What the sanitizer tools name, and what they must not. Blocks of 256 threads.
__device__ unsigned ticket;

extern "C" __global__ void nosync(const int* in, int* out, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  out[blockIdx.x * 256 + t] = s[255 - t];
}

extern "C" __global__ void synced(const int* in, int* out, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  out[blockIdx.x * 256 + t] = s[255 - t];
}

extern "C" __global__ void uninit(const int* in, int* out, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  if (t < 128) s[t] = in[t];
  __syncthreads();
  out[blockIdx.x * 256 + t] = s[t];
}

extern "C" __global__ void overrun(const int* in, int* out, int n) {
  __shared__ int a[256];
  __shared__ int b[256];
  int t = threadIdx.x;
  b[t] = 1;
  a[t + 1] = in[t];
  __syncthreads();
  out[t] = a[t] + b[t];
}

extern "C" __global__ void divergent(const int* in, int* out, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  if (t % 2) {
    __syncthreads();
    out[t] = s[t ^ 1];
  } else {
    __syncthreads();
    out[t] = s[t] + 1;
  }
}

extern "C" __global__ void single_pass(const int* in, int* out, int n) {
  __shared__ int s;
  __shared__ bool last;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, in[blockIdx.x * 256 + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[blockIdx.x] = s;
    __threadfence();
    last = atomicAdd(&ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += out[i];
    out[n - 1] = sum;
    ticket = 0;
  }
}

extern "C" __global__ void single_pass_nofence(const int* in, int* out, int n) {
  __shared__ int s;
  __shared__ bool last;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, in[blockIdx.x * 256 + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[blockIdx.x] = s;
    last = atomicAdd(&ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i) sum += out[i];
    out[n - 1] = sum;
    ticket = 0;
  }
}
