#pragma once
// The right answer of a reduction, and how far a floating-point one may be from it.

#include <vector>

#include "labs/lab.h"

namespace gpulab::labs::reduce {

/// Inputs for which every operation has something to show (see reference.cpp).
[[nodiscard]] std::vector<std::byte> inputs(const Case& c);
/// The operation's neutral element: what an accumulator starts with, and the answer for n = 0.
[[nodiscard]] std::vector<std::byte> neutral(const Case& c);
/// Exact for integers, min and max; sums and products of floats in higher precision, `tolerance` still to be set.
[[nodiscard]] Expected answer(const Case& c, const std::vector<std::byte>& in);
/// Largest error of a floating-point answer whose elements pass through at most `depth` operations each.
[[nodiscard]] double tolerance(const Case& c, double depth, double answer);
/// The serial fold, left to right, in the element type: what a loop on a CPU gives.
void fold_on_host(const HostCall& call);

}  // namespace gpulab::labs::reduce
