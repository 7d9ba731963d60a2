__global__ void broken(float* x) {
  const int i = threadIdx.x;
  x[i] = undefined_name;
}
