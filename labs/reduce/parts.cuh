#pragma once
// What the rungs share and none of them is about: a block's elements, its shared memory, a warp's values to one.

// The elements [first, first + count) belong to this block, at most `capacity` of them.
struct Part {
  long first;
  unsigned count;
};
__device__ Part part_of_block(int n, unsigned capacity) {
  const long first = long(blockIdx.x) * capacity;
  const long left = first < n ? n - first : 0;
  return {first, left < capacity ? unsigned(left) : capacity};
}

// The block's dynamic shared memory as an array of T. (An extern array has one type in a file.)
template <typename T>
__device__ T* shared_array() {
  extern __shared__ __align__(16) unsigned char s[];
  return reinterpret_cast<T*>(s);
}

// The 32 values of a warp to one, in lane 0. Shuffle-down hands lane l the register of lane l + offset: no memory, no
// barrier, five steps. Lanes whose partner lies beyond lane 31 get their own value back; lane 0 never sees theirs.
template <typename T, typename Op>
__device__ T reduce_lanes(T value, Op op) {
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2) {
    value = op(value, __shfl_down_sync(0xffffffff, value, offset));
  }
  return value;
}
