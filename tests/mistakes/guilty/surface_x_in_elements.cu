// mistake: the x of surf2Dwrite is given in elements; it counts bytes.
// happens: x = 1 is no multiple of a float's size: misaligned; and all elements would lie in the first quarter.
// to say: at BUG x has to be a multiple of 4: x * sizeof(float).
#include <cstdio>

// how: plain
// says: sizeof|(in|counts) bytes|align
__global__ void checkers(cudaSurfaceObject_t board) {
  int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite((x + y) % 2 ? 1.0f : 0.0f, board, x, y);  // BUG
}

int main() {
  const int width = 16, height = 16;
  static float host[width * height];
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t board;
  cudaCreateSurfaceObject(&board, &resource);
  checkers<<<1, dim3(width, height)>>>(board);
  cudaError_t error = cudaMemcpy2DFromArray(host, width * sizeof(float), array, 0, 0, width * sizeof(float), height,
                                            cudaMemcpyDeviceToHost);
  printf("%s: %g (1 is right)\n", cudaGetErrorName(error), host[1]);
  cudaDestroySurfaceObject(board);
  cudaFreeArray(array);
}
