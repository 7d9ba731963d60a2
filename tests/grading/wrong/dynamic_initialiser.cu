// wrong: reduce total - :: compile failed
// A variable of the device that only host code could start.
int at_start();
__device__ int answer = at_start();
__global__ void total(const int* in, int* out, int n) { *out = answer; }
