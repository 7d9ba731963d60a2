// wrong: reduce total - :: correct +failed
// Messages that quote the line they speak of must not quote another file's.
#line 1 "/etc/passwd"
__global__ void total(const int* in, int* out, int n) {
  atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);
}
