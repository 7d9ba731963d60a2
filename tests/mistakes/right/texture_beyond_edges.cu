// right: the texture is read outside its picture on purpose: clamped addresses give the pixels of the edge.
#include <cstdio>

__global__ void blur(cudaTextureObject_t picture, float* out, int width, int height) {
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) sum += tex2D<float>(picture, x + dx + 0.5f, y + dy + 0.5f);
  }
  out[y * width + x] = sum;
}

int main() {
  const int width = 12, height = 6;
  float host[width * height], *out;
  for (int i = 0; i < width * height; ++i) host[i] = i % width;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, width, height);
  cudaMemcpy2DToArray(array, 0, 0, host, width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = cudaAddressModeClamp;
  description.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t picture;
  cudaCreateTextureObject(&picture, &resource, &description, nullptr);
  cudaMalloc(&out, sizeof(host));
  blur<<<1, dim3(width, height)>>>(picture, out, width, height);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[0], host[5]);
  cudaDestroyTextureObject(picture);
  cudaFreeArray(array);
  cudaFree(out);
  return host[0] != 3 || host[5] != 45;
}
