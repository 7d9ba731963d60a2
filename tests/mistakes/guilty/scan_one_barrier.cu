// mistake: a scan in shared memory has one barrier in its loop; it needs one between reading and writing, too.
// happens: a thread adds a neighbour's new value where it should have added the old one.
// to say: a race at BUG within one step; read into a register, __syncthreads(), then write (or two arrays).
#include <cstdio>

// how: sanitize
// says: __syncthreads|barrier|two (arrays|buffers)|double.buffer
__global__ void scan(int* x) {
  __shared__ int sums[128];
  int t = threadIdx.x;
  sums[t] = x[t];
  __syncthreads();
  for (int distance = 1; distance < 128; distance *= 2) {
    if (t >= distance) {
      sums[t] += sums[t - distance];  // BUG
    }
    __syncthreads();
  }
  x[t] = sums[t];
}

int main() {
  int host[128], *x;
  for (int i = 0; i < 128; ++i) host[i] = i + 1;
  cudaMalloc(&x, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  scan<<<1, 128>>>(x);
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d (8256 is right)\n", host[127]);
  cudaFree(x);
}
