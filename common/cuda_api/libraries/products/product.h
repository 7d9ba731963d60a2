#pragma once
// c += sign * a * b, in double, or in long double where there is little of it.

#include <cstdint>

#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::libraries {

/// Element (i, j) is data[i * down + j * right].
struct View {
  const double* data = nullptr;
  i64 down = 1, right = 0;
};
struct Target {
  double* data = nullptr;
  i64 down = 1, right = 0;
};

void add_product(i64 m, i64 n, i64 k, const View& a, const View& b, double sign, const Target& c);

/// Of 8-bit integers the vendor's library has no kernel for every shape: as on an H100 (CUDA 13.0), where 184,512
/// shapes were tried with leading dimensions in fours. `single`: one product, or several by pointers, not at a stride.
[[nodiscard]] bool byte_product_exists(bool transposed_a, bool transposed_b, i64 m, i64 n, i64 k, bool single);

/// The same of numbers that may be complex, conjugated where asked for.
template <typename W>
struct Factor {
  const W* data = nullptr;
  i64 down = 1, right = 0;  ///< in numbers
  bool conjugated = false;
};
void add_product(i64 m, i64 n, i64 k, const Factor<double>& a, const Factor<double>& b, double sign, double* c,
                 i64 c_right);
void add_product(i64 m, i64 n, i64 k, const Factor<Complex>& a, const Factor<Complex>& b, double sign, Complex* c,
                 i64 c_right);
/// In long double, one element after the other: for products that take a moment.
void add_product(i64 m, i64 n, i64 k, const Factor<Precise>& a, const Factor<Precise>& b, double sign, Precise* c,
                 i64 c_right);
void add_product(i64 m, i64 n, i64 k, const Factor<PreciseComplex>& a, const Factor<PreciseComplex>& b, double sign,
                 PreciseComplex* c, i64 c_right);

}  // namespace gpulab::libraries
