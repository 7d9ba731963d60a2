// Copies from and to a null pointer of the host: an error of the runtime's, as on a GPU, not a crash.
// long
// case: :: 0
// out: ^cudaSuccess\n(cudaErrorInvalidValue\n){4}$
// err: note: api: cudaMemcpy: the source is a null pointer
// err: note: api: cudaMemcpy: the destination is a null pointer
// err: note: api: cudaMemcpy2DToArray: the source is a null pointer
// err: note: api: cudaMemcpy2DFromArray: the destination is a null pointer
#include <cstdio>

void say(cudaError_t error) { printf("%s\n", cudaGetErrorName(error)); }

int main() {
  cudaArray_t array;
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &channels, 16, 16);
  int* p;
  cudaMalloc(&p, 64);
  say(cudaMemcpy(p, nullptr, 0, cudaMemcpyHostToDevice));
  say(cudaMemcpy(p, nullptr, 64, cudaMemcpyHostToDevice));
  say(cudaMemcpy(nullptr, p, 64, cudaMemcpyDeviceToHost));
  say(cudaMemcpy2DToArray(array, 0, 0, nullptr, 64, 64, 16, cudaMemcpyHostToDevice));
  say(cudaMemcpy2DFromArray(nullptr, 64, array, 0, 0, 64, 16, cudaMemcpyDeviceToHost));
  cudaFree(p);
  cudaFreeArray(array);
}
