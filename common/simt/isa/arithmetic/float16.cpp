// Half precision (PTX ISA: Half Precision Floating Point Instructions): alone and two at once.

#include "common/simt/isa/arithmetic/half_in_floats.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

using namespace by_double;

const Row rows[] = {
    {"add{.rn}{.ftz}{.sat}.f16 d, a, b", Unit::fp32, half_alone<by_single::add>()},
    {"add{.rn}{.ftz}{.sat}.f16x2 d, a, b", Unit::fp32, half_in_pairs<by_single::add>()},
    {"sub{.rn}{.ftz}{.sat}.f16 d, a, b", Unit::fp32, half_alone<by_single::sub>()},
    {"sub{.rn}{.ftz}{.sat}.f16x2 d, a, b", Unit::fp32, half_in_pairs<by_single::sub>()},
    {"mul{.rn}{.ftz}{.sat}.f16 d, a, b", Unit::fp32, half_alone<by_single::mul>()},
    {"mul{.rn}{.ftz}{.sat}.f16x2 d, a, b", Unit::fp32, half_in_pairs<by_single::mul>()},
    {"fma.rn{.ftz}{.sat}.f16 d, a, b, c", Unit::fp32, half_alone<by_single::fused>()},
    {"fma.rn{.ftz}{.sat}.f16x2 d, a, b, c", Unit::fp32, half_in_pairs<by_single::fused>()},
    {"%fma{.ftz}.f16 d, a, b, c", Unit::fp32, half_alone<by_single::fused>()},
    {"%fma{.ftz}.f16x2 d, a, b, c", Unit::fp32, half_in_pairs<by_single::fused>()},
    {"%fms{.ftz}.f16 d, a, b, c", Unit::fp32, half_alone<by_single::less_addend>()},
    {"%fms{.ftz}.f16x2 d, a, b, c", Unit::fp32, half_in_pairs<by_single::less_addend>()},
    {"%fnma{.ftz}.f16 d, a, b, c", Unit::fp32, half_alone<by_single::less_product>()},
    {"%fnma{.ftz}.f16x2 d, a, b, c", Unit::fp32, half_in_pairs<by_single::less_product>()},
    {"%fnms{.ftz}.f16 d, a, b, c", Unit::fp32, half_alone<by_single::less_both>()},
    {"%fnms{.ftz}.f16x2 d, a, b, c", Unit::fp32, half_in_pairs<by_single::less_both>()},
    {"fma.rn{.ftz}.relu.f16 d, a, b, c", Unit::fp32, half_alone<by_single::fused_relu>()},
    {"fma.rn{.ftz}.relu.f16x2 d, a, b, c", Unit::fp32, half_in_pairs<by_single::fused_relu>()},
    {"min{.ftz}.f16 d, a, b", Unit::fp32, alone<Half, min>()},
    {"min{.ftz}.f16x2 d, a, b", Unit::fp32, in_pairs<Half, min>()},
    {"min{.ftz}.NaN.f16 d, a, b", Unit::fp32, alone<Half, min_nan>()},
    {"min{.ftz}.NaN.f16x2 d, a, b", Unit::fp32, in_pairs<Half, min_nan>()},
    {"min{.ftz}.xorsign.abs.f16 d, a, b", Unit::fp32, alone<Half, by_magnitude<min>>()},
    {"min{.ftz}.xorsign.abs.f16x2 d, a, b", Unit::fp32, in_pairs<Half, by_magnitude<min>>()},
    {"min{.ftz}.NaN.xorsign.abs.f16 d, a, b", Unit::fp32, alone<Half, by_magnitude<min_nan>>()},
    {"min{.ftz}.NaN.xorsign.abs.f16x2 d, a, b", Unit::fp32, in_pairs<Half, by_magnitude<min_nan>>()},
    {"max{.ftz}.f16 d, a, b", Unit::fp32, alone<Half, max>()},
    {"max{.ftz}.f16x2 d, a, b", Unit::fp32, in_pairs<Half, max>()},
    {"max{.ftz}.NaN.f16 d, a, b", Unit::fp32, alone<Half, max_nan>()},
    {"max{.ftz}.NaN.f16x2 d, a, b", Unit::fp32, in_pairs<Half, max_nan>()},
    {"max{.ftz}.xorsign.abs.f16 d, a, b", Unit::fp32, alone<Half, by_magnitude<max>>()},
    {"max{.ftz}.xorsign.abs.f16x2 d, a, b", Unit::fp32, in_pairs<Half, by_magnitude<max>>()},
    {"max{.ftz}.NaN.xorsign.abs.f16 d, a, b", Unit::fp32, alone<Half, by_magnitude<max_nan>>()},
    {"max{.ftz}.NaN.xorsign.abs.f16x2 d, a, b", Unit::fp32, in_pairs<Half, by_magnitude<max_nan>>()},
    {"ex2.approx.f16 d, a", Unit::sfu, alone<Half, exp2, Cost::costly>()},
    {"ex2.approx.f16x2 d, a", Unit::sfu, in_pairs<Half, exp2, Cost::costly>()},
    {"tanh.approx.f16 d, a", Unit::sfu, alone<Half, tangent_hyperbolic, Cost::costly>()},
    {"tanh.approx.f16x2 d, a", Unit::sfu, in_pairs<Half, tangent_hyperbolic, Cost::costly>()},
    {"neg.f16 d, a", Unit::fp32, lane<negated<Half>>()},
    {"neg.f16x2 d, a", Unit::fp32, lane<both<Half, negated<Half>>>()},
    {"neg.ftz.f16 d, a", Unit::fp32, lane<negated_ftz<Half>>()},
    {"neg.ftz.f16x2 d, a", Unit::fp32, lane<both<Half, negated_ftz<Half>>>()},
    {"abs.f16 d, a", Unit::fp32, lane<absolute<Half>>()},
    {"abs.f16x2 d, a", Unit::fp32, lane<both<Half, absolute<Half>>>()},
    {"abs.ftz.f16 d, a", Unit::fp32, lane<absolute_ftz<Half>>()},
    {"abs.ftz.f16x2 d, a", Unit::fp32, lane<both<Half, absolute_ftz<Half>>>()},
};

}  // namespace

std::span<const Row> float16_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
