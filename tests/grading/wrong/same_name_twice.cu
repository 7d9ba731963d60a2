// wrong: reduce total - :: which kernel is meant\?|correct +failed
// Two kernels of the contract's name: a wrong one to be read, a right one to be run, or the other way round.
namespace shown {
__global__ void total(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}
}  // namespace shown
namespace hidden {
__global__ void total(const int* in, int* out, int n) { *out = 0; }
}  // namespace hidden
