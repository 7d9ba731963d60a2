// bfloat16 (PTX ISA: Half Precision Floating Point Instructions): alone and two at once. Subnormal numbers are kept.

#include "common/simt/isa/arithmetic/half_arithmetic.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

using namespace by_double;

const Row rows[] = {
    {"add{.rn}.bf16 d, a, b", Unit::fp32, alone<Bfloat16, add>()},
    {"add{.rn}.bf16x2 d, a, b", Unit::fp32, in_pairs<Bfloat16, add>()},
    {"sub{.rn}.bf16 d, a, b", Unit::fp32, alone<Bfloat16, sub>()},
    {"sub{.rn}.bf16x2 d, a, b", Unit::fp32, in_pairs<Bfloat16, sub>()},
    {"mul{.rn}.bf16 d, a, b", Unit::fp32, alone<Bfloat16, mul>()},
    {"mul{.rn}.bf16x2 d, a, b", Unit::fp32, in_pairs<Bfloat16, mul>()},
    {"fma.rn.bf16 d, a, b, c", Unit::fp32, alone<Bfloat16, fused>()},
    {"fma.rn.bf16x2 d, a, b, c", Unit::fp32, in_pairs<Bfloat16, fused>()},
    {"%fma.bf16 d, a, b, c", Unit::fp32, alone<Bfloat16, fused>()},
    {"%fma.bf16x2 d, a, b, c", Unit::fp32, in_pairs<Bfloat16, fused>()},
    {"%fms.bf16 d, a, b, c", Unit::fp32, alone<Bfloat16, less_addend>()},
    {"%fms.bf16x2 d, a, b, c", Unit::fp32, in_pairs<Bfloat16, less_addend>()},
    {"%fnma.bf16 d, a, b, c", Unit::fp32, alone<Bfloat16, less_product>()},
    {"%fnma.bf16x2 d, a, b, c", Unit::fp32, in_pairs<Bfloat16, less_product>()},
    {"%fnms.bf16 d, a, b, c", Unit::fp32, alone<Bfloat16, less_both>()},
    {"%fnms.bf16x2 d, a, b, c", Unit::fp32, in_pairs<Bfloat16, less_both>()},
    {"fma.rn.relu.bf16 d, a, b, c", Unit::fp32, alone<Bfloat16, fused_relu>()},
    {"fma.rn.relu.bf16x2 d, a, b, c", Unit::fp32, in_pairs<Bfloat16, fused_relu>()},
    {"min.bf16 d, a, b", Unit::fp32, alone<Bfloat16, min>()},
    {"min.bf16x2 d, a, b", Unit::fp32, in_pairs<Bfloat16, min>()},
    {"min.NaN.bf16 d, a, b", Unit::fp32, alone<Bfloat16, min_nan>()},
    {"min.NaN.bf16x2 d, a, b", Unit::fp32, in_pairs<Bfloat16, min_nan>()},
    {"min.xorsign.abs.bf16 d, a, b", Unit::fp32, alone<Bfloat16, by_magnitude<min>>()},
    {"min.xorsign.abs.bf16x2 d, a, b", Unit::fp32, in_pairs<Bfloat16, by_magnitude<min>>()},
    {"min.NaN.xorsign.abs.bf16 d, a, b", Unit::fp32, alone<Bfloat16, by_magnitude<min_nan>>()},
    {"min.NaN.xorsign.abs.bf16x2 d, a, b", Unit::fp32, in_pairs<Bfloat16, by_magnitude<min_nan>>()},
    {"max.bf16 d, a, b", Unit::fp32, alone<Bfloat16, max>()},
    {"max.bf16x2 d, a, b", Unit::fp32, in_pairs<Bfloat16, max>()},
    {"max.NaN.bf16 d, a, b", Unit::fp32, alone<Bfloat16, max_nan>()},
    {"max.NaN.bf16x2 d, a, b", Unit::fp32, in_pairs<Bfloat16, max_nan>()},
    {"max.xorsign.abs.bf16 d, a, b", Unit::fp32, alone<Bfloat16, by_magnitude<max>>()},
    {"max.xorsign.abs.bf16x2 d, a, b", Unit::fp32, in_pairs<Bfloat16, by_magnitude<max>>()},
    {"max.NaN.xorsign.abs.bf16 d, a, b", Unit::fp32, alone<Bfloat16, by_magnitude<max_nan>>()},
    {"max.NaN.xorsign.abs.bf16x2 d, a, b", Unit::fp32, in_pairs<Bfloat16, by_magnitude<max_nan>>()},
    {"ex2.approx(.ftz).bf16 d, a", Unit::sfu, alone<Bfloat16, exp2, Cost::costly>()},
    {"ex2.approx(.ftz).bf16x2 d, a", Unit::sfu, in_pairs<Bfloat16, exp2, Cost::costly>()},
    {"tanh.approx.bf16 d, a", Unit::sfu, alone<Bfloat16, tangent_hyperbolic, Cost::costly>()},
    {"tanh.approx.bf16x2 d, a", Unit::sfu, in_pairs<Bfloat16, tangent_hyperbolic, Cost::costly>()},
    {"neg.bf16 d, a", Unit::fp32, lane<negated<Bfloat16>>()},
    {"neg.bf16x2 d, a", Unit::fp32, lane<both<Bfloat16, negated<Bfloat16>>>()},
    {"abs.bf16 d, a", Unit::fp32, lane<absolute<Bfloat16>>()},
    {"abs.bf16x2 d, a", Unit::fp32, lane<both<Bfloat16, absolute<Bfloat16>>>()},
};

}  // namespace

std::span<const Row> bfloat16_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
