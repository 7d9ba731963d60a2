#pragma once
// One launch of a file's kernel as a contract makes it: what `gpulab check` counts, for whoever looks closer.

#include <string>

#include "runner/judge/judge.h"
#include "runner/judge/kernel_search/find_kernel.h"
#include "runner/judge/trials.h"
#include "runner/student_file/kernel_file.h"

namespace gpulab {

struct ContractRun {
  const Contract* contract = nullptr;  ///< of the request's lab
  FoundKernel kernel;                  ///< of a template the instance of the first T
  PosedTrial posed;                    ///< at the contract's reference size
  Lab lab;                             ///< the file's, with this launch
  Case number;                         ///< to be run
};

/// "NAME", or "LAB/NAME" where several labs have one of that name, into `request`: lab and contract. Throws
/// usage_error.
void choose_contract(const std::string& name, const std::vector<Lab>& labs, JudgeRequest& request);
/// The same for a file's kernel, by the contract that is called `name`.
[[nodiscard]] JudgeRequest contract_request(const std::string& name, const std::vector<Lab>& labs,
                                            const FileRequest& file, std::uint64_t seed);

/// The block is the first of the contract's with which the kernel is right on everyday inputs; where there is none, the
/// usual one. `device`: the simulator that will run it. `at`: another size than the contract's reference; empty: that
/// one. Throws Error: the file does not compile, or has no such kernel.
[[nodiscard]] ContractRun contract_run(const JudgeRequest& request, const DeviceInfo& device,
                                       const TrialPoint& at = {});
/// Everyday inputs of a few blocks: what a class `check` begins with.
[[nodiscard]] TrialPoint everyday_point(const Contract& contract);

}  // namespace gpulab
