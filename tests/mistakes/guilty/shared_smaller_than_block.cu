// mistake: the shared array has 128 elements, the block has 192 threads.
// happens: threads 128..191 write past the array's end.
// to say: out of bounds of the shared array at BUG: 192 threads and 128 elements (BUG2: smaller blocks, or a larger
// array).
#include <cstdio>

// how: plain
// says: 128 (elements|threads)|larger|enlarge|smaller block|size of the block|one element (for each|per) thread|at least 192
__global__ void reverse(const int* in, int* out) {
  __shared__ int line[128];
  int t = threadIdx.x;
  line[t] = in[blockIdx.x * blockDim.x + t];  // BUG
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = line[blockDim.x - 1 - t];
}

int main() {
  const int n = 576;
  int host[n], *in, *out;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  reverse<<<3, 192>>>(in, out);  // BUG2
  cudaError_t error = cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%s: %d (191 is right)\n", cudaGetErrorName(error), host[0]);
  cudaFree(in);
  cudaFree(out);
}
