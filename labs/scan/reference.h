#pragma once
// The right answer of a scan, and how far a floating-point one may be from it.

#include <functional>
#include <vector>

#include "labs/lab.h"

namespace gpulab::labs::scan {

/// Inputs that every element's loss shows in (see reference.cpp), and the answer: exact for integers and maxima, of
/// sums and products of floats in higher precision.
[[nodiscard]] Problem problem(const Case& c);
/// The operation's neutral element.
[[nodiscard]] std::vector<std::byte> neutral(const Case& c);

/// How many operations an element passes through at most, on its way into a result.
using Depth = std::function<double(const Case&)>;
/// The bound on rounding errors of such a scan into the tolerance of the answer.
[[nodiscard]] std::function<void(const Case&, Problem&)> within(Depth depth);

}  // namespace gpulab::labs::scan
