#pragma once
// Samples of two kernels in turn: A B B A A B …. A clock that drifts while they are taken hits both alike, and what
// lies between the two of a pair is a few hundred microseconds.

#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "runner/case/measuring/measure.h"
#include "runner/case/run_case.h"

namespace gpulab {

/// At least so many of each, a whole number of A B B A.
constexpr std::size_t kFewestInTurn = 32;

/// As for measure(); each on a device of its own, for kernels of two files may have one name.
struct Turn {
  Device& device;
  const std::function<void()>& restore;
  const std::function<void()>& work;
};

/// As many samples of one as of the other; where one is taken again, so is the other of its pair.
[[nodiscard]] std::array<Timing, 2> measure_in_turn(const Turn& a, const Turn& b, const MeasureOptions& options);

/// Runs a case with another way to take its samples.
using RunMeasuring = std::function<Result(const Measuring& measuring)>;

/// Both cases at once, each verified before it is measured. Nothing where either did not end well, one that does not
/// fit into memory beside the other included: they are to be run one after the other.
[[nodiscard]] std::optional<std::pair<Result, Result>> run_in_turn(const RunMeasuring& a, const RunMeasuring& b,
                                                                   const MeasureOptions& options);

}  // namespace gpulab
