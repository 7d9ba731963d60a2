// Two kernels that share a variable: they must come from one module.
__device__ int calls;

__global__ void count_call() { atomicAdd(&calls, 1); }
__global__ void calls_so_far(int* out) { *out = calls; }
