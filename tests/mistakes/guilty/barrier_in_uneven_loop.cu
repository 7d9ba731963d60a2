// mistake: a loop with barriers runs once more for some threads of the block than for others.
// happens: in the last round 22 threads wait at a barrier that the others do not reach.
// to say: not all threads reach the barrier at BUG; the same number of rounds for all, the guard inside.
#include <cstdio>

// how: sanitize
// says: all (the )?(threads|others)|every thread|same number|diverge|not reach|other threads
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float part[64];
  int t = threadIdx.x;
  for (int i = t; i < n; i += 64) {
    part[t] = in[i];
    __syncthreads();  // BUG
    out[i] = 0.5f * (part[t] + part[t > 0 ? t - 1 : 0]);
    __syncthreads();  // BUG2
  }
  part[t] = 0;
  __syncthreads();
  if (t == 0) out[n] = part[63];
}

int main() {
  const int n = 150;
  float host[n + 1], *in, *out;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice);
  smooth<<<1, 64>>>(in, out, n);
  cudaError_t error = cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%s: %g (148.5 is right)\n", cudaGetErrorName(error), host[149]);
  cudaFree(in);
  cudaFree(out);
}
