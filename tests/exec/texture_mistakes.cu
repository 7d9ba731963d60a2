// What programs do wrong with textures, each told by name and line; and what of them is not here.
// case: -- destroyed :: 4
// err: error: 1 is the handle of no texture object in fetch.*hint: a handle comes from cudaCreateTextureObject and holds until it is destroyed
// case: -- freed :: 4
// err: error: the memory of texture object 1 has been freed in fetch.*hint: destroy the object before its memory
// case: -- surface :: 4
// err: error: 1 is the handle of a texture object, not of a surface object in store
// case: -- small :: 0
// err: warning: (?:api: )?cudaCreateTextureObject: 256 bytes, but the place of the texels, 'cudaMalloc #1', has 128 from there on
// case: -- host :: 0
// out: ^cudaErrorInvalidValue$
// err: note: api: cudaCreateTextureObject: the place of the texels is not memory of the device, but host memory
// case: -- twice :: 0
// err: note: api: cudaFreeArray: the array is none that cudaMallocArray returned, or has been freed
// case: -- srgb :: 3
// err: error: unsupported: cudaCreateTextureObject with sRGB, called by texture_mistakes.cu:\d+
// case: -- view :: 3
// err: error: unsupported: cudaCreateTextureObject with a resource view, called by texture_mistakes.cu:\d+
// case: -- mipmaps :: 3
// err: error: unsupported: cudaMallocMipmappedArray, called by texture_mistakes.cu:\d+
// case: -- sparse :: 3
// err: error: unsupported: cudaMalloc3DArray with flags 0x40, called by texture_mistakes.cu:\d+
#include <cstdio>
#include <cstdlib>
#include <string>

__global__ void fetch(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}
__global__ void store(cudaSurfaceObject_t surface) { surf1Dwrite(1.0f, surface, 4 * threadIdx.x); }

int main(int, char** arguments) {
  const std::string wrong = arguments[1];
  const auto floats = cudaCreateChannelDesc<float>();
  float *values = nullptr, *out = nullptr;
  cudaMalloc(&values, 32 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(values, 0, 32 * sizeof(float));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {values, floats, (wrong == "small" ? 64 : 32) * sizeof(float)};
  alignas(512) static float of_host[32];
  if (wrong == "host") resource.res.linear.devPtr = of_host;
  cudaTextureDesc how{};
  how.sRGB = wrong == "srgb";
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatFloat1;
  cudaArray_t array = nullptr;
  if (wrong == "twice") {
    cudaMallocArray(&array, &floats, 8);
    cudaFreeArray(array);
    std::printf("%s\n", cudaGetErrorName(cudaFreeArray(array)));
    return 0;
  }
  if (wrong == "sparse") cudaMalloc3DArray(&array, &floats, make_cudaExtent(8, 8, 0), cudaArraySparse);
  cudaMipmappedArray_t mipmaps = nullptr;
  if (wrong == "mipmaps") cudaMallocMipmappedArray(&mipmaps, &floats, make_cudaExtent(8, 8, 0), 2);
  cudaTextureObject_t texture = 0;
  const cudaError_t made = cudaCreateTextureObject(&texture, &resource, &how, wrong == "view" ? &view : nullptr);
  if (made != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorName(made));
    return 0;
  }
  if (wrong == "destroyed") cudaDestroyTextureObject(texture);
  if (wrong == "freed") cudaFree(values);
  if (wrong == "surface")
    store<<<1, 32>>>(texture);
  else
    fetch<<<1, 32>>>(texture, out);
  cudaDeviceSynchronize();
}
