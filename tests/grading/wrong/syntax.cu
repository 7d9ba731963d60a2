// wrong: reduce total - :: compile failed syntax.cu:4: .*expected a ";"
__global__ void total(const int* in, int* out, int n) {
  int i = threadIdx.x
  if (i < n) atomicAdd(out, in[i]);
}
