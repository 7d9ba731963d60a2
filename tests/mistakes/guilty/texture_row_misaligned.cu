// mistake: a 2D texture over a plain cudaMalloc buffer whose rows are 20 floats, 80 bytes.
// happens: a row's pitch must be a multiple of texturePitchAlignment (32); the texture is not created, nobody looks.
// to say: cudaCreateTextureObject at BUG failed: pitch 80, alignment 32; cudaMallocPitch.
#include <cstdio>

// how: plain
// says: pitch|align
__global__ void sample(cudaTextureObject_t picture, float* out) {
  out[threadIdx.x] = tex2D<float>(picture, threadIdx.x + 0.5f, 1.5f);
}

int main() {
  const int width = 20, height = 8;
  float host[width * height], *pixels, *out;
  for (int i = 0; i < width * height; ++i) host[i] = i;
  cudaMalloc(&pixels, sizeof(host));
  cudaMalloc(&out, width * sizeof(float));
  cudaMemcpy(pixels, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pixels;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = width * sizeof(float);
  cudaTextureDesc description = {};
  cudaTextureObject_t picture = 0;
  cudaCreateTextureObject(&picture, &resource, &description, nullptr);  // BUG
  if (picture) sample<<<1, width>>>(picture, out);
  cudaMemcpy(host, out, width * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g (20 is right)\n", host[0]);
  cudaFree(pixels);
  cudaFree(out);
}
