#pragma once
// The operations of the scans. Each is associative, so that neighbours may be combined in any grouping, and has a
// neutral element, which pads what is not there. None of the kernels swaps operands: they scan operations that do not
// commute, too.

#include <limits>
#include <type_traits>

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
  // Signed overflow is undefined in C++; unsigned arithmetic wraps, modulo 2^32.
  __device__ int operator()(int a, int b) const { return unsigned(a) + unsigned(b); }
};
struct Product {
  __device__ float operator()(float a, float b) const { return a * b; }
  __device__ int operator()(int a, int b) const { return unsigned(a) * unsigned(b); }
};
struct Max {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

template <typename T, typename Op>
constexpr T neutral = 0;
template <typename T>
constexpr T neutral<T, Product> = 1;
template <>
constexpr int neutral<int, Max> = std::numeric_limits<int>::min();
template <>
constexpr float neutral<float, Max> = -std::numeric_limits<float>::infinity();

// Which elements count for out[i]: in[0] … in[i], or those before in[i] alone.
struct Inclusive {};
struct Exclusive {};
template <typename Kind>
constexpr bool is_inclusive = std::is_same_v<Kind, Inclusive>;
