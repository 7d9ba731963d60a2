// A texture read through its filter, and a surface written: arguments of kernels that are run by themselves.
__global__ void k(cudaTextureObject_t t, float* x) { x[threadIdx.x] = tex2D<float>(t, threadIdx.x + 1.0f, 0.5f); }
__global__ void s(cudaSurfaceObject_t to) { surf2Dwrite((unsigned char)(threadIdx.x + 40), to, threadIdx.x, 1); }
