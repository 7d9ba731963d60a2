// mistake: the loop that frees four buffers always frees the first.
// happens: the second cudaFree fails (cudaErrorInvalidValue), three buffers stay; nobody looks.
// to say: at BUG memory that is already free is freed again; buffers[i].
#include <cstdio>

// how: plain
// says: already|twice|\bagain\b|double free|second time
__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }

int main() {
  int *buffers[4], host[32];
  for (int i = 0; i < 4; ++i) {
    cudaMalloc(&buffers[i], sizeof(host));
    fill<<<1, 32>>>(buffers[i], i);
  }
  cudaMemcpy(host, buffers[3], sizeof(host), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 4; ++i) {
    cudaFree(buffers[0]);  // BUG
  }
  printf("%d (3 is right)\n", host[0]);
}
