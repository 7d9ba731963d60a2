#pragma once
// Two kernels that ran on the same inputs: from their results to a comparison.

#include <memory>
#include <string>
#include <vector>

#include "common/device/device.h"
#include "runner/case/result.h"
#include "runner/compare/odds.h"
#include "runner/options/machine_options.h"
#include "runner/report/comparison.h"

namespace gpulab {

/// One case that both ran.
struct RanPair {
  Result a{}, b{};
  std::string apart{};  ///< how their answers differ, where nobody knows which is right; empty: they do not
  std::string notes{};  ///< "answers differ by rounding alone, …"
};

struct RanPairs {
  std::string a{}, b{}, of{};  ///< names; of which lab or contract
  DeviceInfo device{};
  PairKind kind = PairKind::foreign;
  std::vector<RanPair> pairs{};
  /// Whose source the lines of the last pairs are of: those of all before have none.
  std::vector<std::shared_ptr<const void>> owners{};

  /// Pairs of one size. Lines are kept of the last ones alone.
  void add(std::vector<RanPair> more, std::vector<std::shared_ptr<const void>> more_owners);
};

/// Verdicts, and of the last pair in which both are right the lines that changed.
[[nodiscard]] Comparison comparison_of(RanPairs ran, double threshold);

/// The simulator counts by source line for whoever compares; a GPU only measures.
[[nodiscard]] MachineOptions comparing(MachineOptions machine);
/// Runs on a GPU where --device says so, or where there is one and nothing says otherwise.
[[nodiscard]] bool measures(const MachineOptions& machine);

}  // namespace gpulab
