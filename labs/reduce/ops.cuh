#pragma once
// The operations of the reductions. Each is associative and commutative, so that elements may be combined in any
// order, and has a neutral element, which pads what is not there: neutral combined with x is x.

#include <limits>
#include <type_traits>

struct Sum {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
  // Signed overflow is undefined in C++; unsigned arithmetic wraps, modulo 2^32 and 2^64.
  __device__ int operator()(int a, int b) const { return unsigned(a) + unsigned(b); }
  __device__ long operator()(long a, long b) const { return (unsigned long)a + (unsigned long)b; }
};
struct Product {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a * b;
  }
  __device__ int operator()(int a, int b) const { return unsigned(a) * unsigned(b); }
  __device__ long operator()(long a, long b) const { return (unsigned long)a * (unsigned long)b; }
};
struct Min {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Max {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

template <typename T, typename Limits = std::numeric_limits<T>>
constexpr T highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
template <typename T, typename Limits = std::numeric_limits<T>>
constexpr T lowest = Limits::has_infinity ? -Limits::infinity() : Limits::min();

template <typename T, typename Op>
constexpr T neutral = 0;
template <typename T>
constexpr T neutral<T, Product> = 1;
template <typename T>
constexpr T neutral<T, Min> = highest<T>;
template <typename T>
constexpr T neutral<T, Max> = lowest<T>;

// *address = op(*address, value), as one indivisible step, for every type and operation: the hardware has
// compare-and-swap on 32 and 64 bits, and anything can be built from it. Read what is there, compute what shall be
// there, swap if nobody came in between; else again with what the other thread left. `seen` starts as a guess (the
// accumulator's first value), so that the first swap does the first read.
template <typename T, typename Op>
__device__ void compare_and_swap(T* address, T value, Op op) {
  using Bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  union Word {
    T value;
    Bits bits;
  };
  Word seen, wanted;
  seen.value = neutral<T, Op>;
  while (true) {
    wanted.value = op(seen.value, value);
    if (wanted.bits == seen.bits) return;  // nothing to change: a minimum that is already as small
    const Bits found = atomicCAS(reinterpret_cast<Bits*>(address), seen.bits, wanted.bits);
    if (found == seen.bits) return;
    seen.bits = found;
  }
}

template <typename T, typename Op>
__device__ void combine_atomically(T* address, T value, Op op) {
  compare_and_swap(address, value, op);
}
// Where the hardware has the whole operation, it does it beside the L2 cache, without a loop.
__device__ inline void combine_atomically(int* address, int value, Sum) { atomicAdd(address, value); }
__device__ inline void combine_atomically(int* address, int value, Min) { atomicMin(address, value); }
__device__ inline void combine_atomically(int* address, int value, Max) { atomicMax(address, value); }
__device__ inline void combine_atomically(long* address, long value, Sum) {
  atomicAdd(reinterpret_cast<unsigned long long*>(address), (unsigned long long)value);  // two's complement: the same
}
__device__ inline void combine_atomically(long* address, long value, Min) {
  atomicMin(reinterpret_cast<long long*>(address), (long long)value);
}
__device__ inline void combine_atomically(long* address, long value, Max) {
  atomicMax(reinterpret_cast<long long*>(address), (long long)value);
}
__device__ inline void combine_atomically(float* address, float value, Sum) { atomicAdd(address, value); }
__device__ inline void combine_atomically(double* address, double value, Sum op) {
#if __CUDA_ARCH__ >= 600
  atomicAdd(address, value);
#else
  compare_and_swap(address, value, op);
#endif
}
