// mistake: a transpose's tile of 32 x 32 floats is read by columns.
// happens: the 32 lanes of a warp read one bank: 32-way conflicts.
// to say: bank conflicts at BUG; a column of padding, tile[32][33] (BUG2).
#include <cstdio>
#include <vector>

// how: explain
// says: pad|33|\+ ?1\]|swizzl
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32];  // BUG2
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];  // BUG
}

int main() {
  const int n = 128;
  std::vector<float> host(n * n);
  for (int i = 0; i < n * n; ++i) host[i] = i;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMemcpy(in, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(in, out, n);
  cudaMemcpy(host.data(), out, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g (128 is right)\n", host[1]);
  cudaFree(in);
  cudaFree(out);
}
