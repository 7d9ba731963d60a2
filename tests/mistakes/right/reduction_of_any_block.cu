// right: a tree reduction for blocks of any size: the number of what is left is halved rounding up.
#include <cstdio>

__global__ void sum(const int* x, int* out) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int left = blockDim.x; left > 1;) {
    int half = (left + 1) / 2;
    __syncthreads();
    if (t + half < left) s[t] += s[t + half];
    left = half;
  }
  if (t == 0) *out = s[0];
}

int main() {
  int host[107], *x, *out, wrong = 0;
  for (int i = 0; i < 107; ++i) host[i] = i;
  cudaMalloc(&x, sizeof(host));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  for (int threads : {1, 33, 96, 107}) {
    int result = -1;
    sum<<<1, threads, threads * sizeof(int)>>>(x, out);
    cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
    wrong += result != threads * (threads - 1) / 2;
  }
  printf("wrong sums: %d\n", wrong);
  cudaFree(x);
  cudaFree(out);
  return wrong;
}
