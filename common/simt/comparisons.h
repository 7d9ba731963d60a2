#pragma once
// Comparisons of two lanes, shared by setp (isa/compare.cpp) and set (isa/set.cpp). Only for isa/*.cpp.

#include "common/simt/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <typename T>
constexpr auto equal = [](T a, T b) { return a == b; };
template <typename T>
constexpr auto not_equal = [](T a, T b) { return a != b; };  // floating point: neu
template <typename T>
constexpr auto less = [](T a, T b) { return a < b; };
template <typename T>
constexpr auto less_equal = [](T a, T b) { return a <= b; };
template <typename T>
constexpr auto greater = [](T a, T b) { return a > b; };
template <typename T>
constexpr auto greater_equal = [](T a, T b) { return a >= b; };
template <typename T>
constexpr auto ordered_not_equal = [](T a, T b) { return __builtin_islessgreater(a, b) != 0; };
template <typename T>
constexpr auto unordered_equal = [](T a, T b) { return !__builtin_islessgreater(a, b); };
template <typename T>
constexpr auto unordered_less = [](T a, T b) { return !(a >= b); };
template <typename T>
constexpr auto unordered_less_equal = [](T a, T b) { return !(a > b); };
template <typename T>
constexpr auto unordered_greater = [](T a, T b) { return !(a <= b); };
template <typename T>
constexpr auto unordered_greater_equal = [](T a, T b) { return !(a < b); };
template <typename T>
constexpr auto both_numbers = [](T a, T b) { return !__builtin_isunordered(a, b); };
template <typename T>
constexpr auto any_nan = [](T a, T b) { return __builtin_isunordered(a, b) != 0; };

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
