// wrong: reduce total - :: 2 of 9|of 9 classes of inputs: usual
template <typename T>
__global__ void total(const T* in, T* out, int n) {
  // your code
}
