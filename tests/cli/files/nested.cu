// A kernel that launches kernels: compiled with separate compilation without being asked.
__global__ void child(int* x) { x[threadIdx.x] += 1; }

__global__ void parent(int* x) {
  if (threadIdx.x == 0) child<<<1, 8>>>(x);
}
