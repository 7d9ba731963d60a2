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
