#pragma once
// How far the .approx instructions are from the exact value: the PTX manual's bound, and the largest error seen, over a
// dense sample of the range. The simulator's column is checked by tests/unit/instructions/approximation_test.cpp;
// scripts/gpu_test.sh prints a GPU's beside it. Those of sin, cos, lg2, ex2, rsqrt, sqrt, rcp and quotients of floats
// are a GPU's own (special_functions.h), which goes beyond the manual's bound by a little for cos and ex2: there its
// own error counts.
//
//     instruction           range             error        manual   simulator
//     rcp.approx.f32        2^-126 … 2^126    ulp        1.00 ulp    0.94 ulp
//     div.approx.f32        2^-126 … 2^126    ulp        2.00 ulp    1.98 ulp
//     div.full.f32          2^-126 … 2^127    ulp        2.00 ulp    1.98 ulp
//     sqrt.approx.f32       2^-126 … 2^127    relative   2^-23.00    2^-23.26
//     rsqrt.approx.f32      2^-126 … 2^127    relative   2^-22.90    2^-22.94
//     sin.approx.f32        -2 pi … 2 pi      absolute   2^-20.50    2^-20.60
//     sin.approx.f32        -100 pi … 100 pi  absolute   2^-14.70    2^-14.75
//     cos.approx.f32        -2 pi … 2 pi      absolute   2^-20.50    2^-20.48
//     cos.approx.f32        -100 pi … 100 pi  absolute   2^-14.70    2^-14.76
//     lg2.approx.f32        0.5 … 2           absolute   2^-22.00    2^-22.30
//     lg2.approx.f32        2 … 2^127         relative   2^-22.00    2^-23.02
//     lg2.approx.f32        2^-126 … 0.5      relative   2^-22.00    2^-22.19
//     ex2.approx.f32        -126 … 127.99     ulp        2.00 ulp    2.05 ulp
//     tanh.approx.f32       -20 … 20          relative   2^-11.00    2^-22.65
//     ex2.approx.f16        -14 … 15.99       relative    2^-9.90    2^-11.00
//     tanh.approx.f16       all               absolute   2^-10.99    2^-12.00
//     ex2.approx.ftz.bf16   -126 … 127        relative    2^-7.00     2^-8.01
//     tanh.approx.bf16      all               absolute    2^-8.00     2^-9.01
//     rsqrt.approx.f64      2^-126 … 2^127    relative       none    2^-52.43
//     rcp.approx.ftz.f64    2^-126 … 2^126    relative       none    2^-20.00
//     rsqrt.approx.ftz.f64  2^-126 … 2^127    relative       none    2^-20.00

#include <cstddef>
#include <span>
#include <string>

#include "tests/instructions/float_opcode.h"

namespace gpulab::simt {

enum class ErrorIn { ulp, relative, absolute };

struct Approximation {
  const char* opcode;
  const char* range;  ///< of the operand, for tables
  double low, high;
  ErrorIn unit;
  double documented;  ///< the manual's bound; 0: it gives none
  double simulator;   ///< no more than this is seen on the simulator
  long double (*exact)(long double a, long double b);
};
[[nodiscard]] std::span<const Approximation> approximations();

/// The opcode as float_opcode.h runs it.
[[nodiscard]] FloatOpcode opcode_of(const Approximation& approximation);
/// Operands all over the range: `count` of them, or every one of a 16-bit type.
[[nodiscard]] Columns range_operands(const Approximation& approximation, std::size_t count);

struct LargestError {
  double error = 0;
  std::string where;  ///< "sin.approx.f32 0x3f800000 (1)"
};
[[nodiscard]] LargestError largest_error(const Approximation& approximation, const Columns& columns,
                                         const Results& results);
/// "2^-22.90", "1 ulp".
[[nodiscard]] std::string shown_error(const Approximation& approximation, double error);

}  // namespace gpulab::simt
