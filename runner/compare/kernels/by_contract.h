#pragma once
// Kernels that a contract launches: a user's own against a rung of the lab, or against another of the user's.

#include <array>
#include <string>
#include <vector>

#include "runner/compare/kernels/ran_pairs.h"
#include "runner/judge/judge.h"
#include "runner/judge/trials.h"

namespace gpulab {

/// A file's kernel, or a rung.
struct ContractSide {
  std::string rung{};      ///< empty: a file's
  JudgeRequest request{};  ///< of a file
};

struct ByContract {
  const Lab* lab = nullptr;
  const Contract* contract = nullptr;
  std::array<ContractSide, 2> sides{};
  std::vector<TrialPoint> points{};  ///< sizes
  MachineOptions machine{};
};

/// Files are judged first, as `gpulab check` does: one that is not right on every class of inputs is wrong here. Then
/// both run at each size. Simulator only.
[[nodiscard]] RanPairs run_by_contract(const ByContract& request);

/// Sizes of the contract: as given for the parameters of its reference; where none is, its `n`, an eighth and a 64th of
/// it. Throws usage_error.
[[nodiscard]] std::vector<TrialPoint> contract_points(const Contract& contract, const Given& given);

}  // namespace gpulab
