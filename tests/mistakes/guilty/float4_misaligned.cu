// mistake: a float4 is read behind a header of one float.
// happens: the address is no multiple of 16: cudaErrorMisalignedAddress.
// to say: the load of 16 bytes at BUG is at a multiple of 4 only; single floats, or a header of 4 floats.
#include <cstdio>

// how: plain
// says: align
__global__ void lengths(const float* file, float* out) {
  const float4* points = reinterpret_cast<const float4*>(file + 1);
  float4 p = points[threadIdx.x];  // BUG
  out[threadIdx.x] = p.x * p.x + p.y * p.y + p.z * p.z + p.w;
}

int main() {
  const int n = 32;
  float host[1 + 4 * n], *file, *out;
  for (int i = 0; i < 1 + 4 * n; ++i) host[i] = i;
  cudaMalloc(&file, sizeof(host));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(file, host, sizeof(host), cudaMemcpyHostToDevice);
  lengths<<<1, n>>>(file, out);
  cudaError_t error = cudaMemcpy(host, out, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%s: %g (18 is right)\n", cudaGetErrorName(error), host[0]);
  cudaFree(file);
  cudaFree(out);
}
