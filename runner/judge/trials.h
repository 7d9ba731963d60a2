#pragma once
// From a contract's class of inputs to launches, and from what they left to what is right and wrong.
//
// Each size is launched twice: the second time on other data at the same addresses, so that what a kernel keeps from
// launch to launch is of no use to it. No two sizes share an address: the simulator never gives one twice, and what is
// between buffers is not there, so that each access beside one is a fault. Outputs start as poison.

#include <cstdint>
#include <memory>
#include <string>

#include "labs/lab.h"
#include "runner/case/judgement.h"
#include "runner/case/result.h"
#include "runner/judge/kernel_search/find_kernel.h"

namespace gpulab {

/// Where trials run: what contracts may know of the GPU.
struct TrialPlace {
  int sm_count = 1;
  const GpuProfile* gpu = nullptr;
};

/// A size of a class, with answers. These stay here: the trial alone goes to the process that simulates.
struct PosedTrial {
  Case point;
  Values values = Values::ordinary;
  Problem first, second;  ///< second: without buffers where there is one launch
  std::shared_ptr<const Trial> trial;
  bool one_per_thread = false;  ///< the launch gives each thread an element of the index space
};

using TrialPoint = std::map<std::string, ParamValue, std::less<>>;

/// Parameters of the lab as the contract, a point and T set them.
[[nodiscard]] Case contract_case(const Lab& lab, const Contract& contract, const TrialPoint& point,
                                 std::optional<Scalar> type, std::uint64_t seed, const TrialPlace& place);

/// `number`: of the trial, and no other's. `twice`: with the second launch.
[[nodiscard]] PosedTrial pose(const Lab& lab, const Contract& contract, const FoundKernel& kernel, Case point,
                              Values values, const ContractLaunch& launch, std::uint64_t number, bool twice);

/// What the trial's result says: a fault, or what its buffers hold against what they must.
[[nodiscard]] JudgedShape judged(const Contract& contract, const FoundKernel& kernel, const PosedTrial& posed,
                                 const Result& result);

}  // namespace gpulab
