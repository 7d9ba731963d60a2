#pragma once
// The kernel of a student's file that a contract means: by its name, else the only one that fits.

#include <optional>
#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/judge/inspection/inspection.h"
#include "runner/judge/kernel_search/signature_fit.h"

namespace gpulab {

/// Instances of template kernels that a compiler is to make, one a line ("total<int>\ntotal<float>"): of those named as
/// asked for or as a contract, else of all that have as many parameters as a contract asks for. Empty: none.
[[nodiscard]] std::string wanted_instances(const std::string& source, const std::vector<Contract>& contracts,
                                           const std::string& asked);

struct FoundKernel {
  std::string entry;
  KernelSignature signature;
  std::optional<Scalar> type;  ///< what T is
  std::vector<std::string> constructs{};
};

struct KernelSearch {
  const Contract* contract = nullptr;  ///< that the kernels are of
  std::vector<FoundKernel> found{};    ///< one for each T
  std::string problem{};               ///< why there is none, with both signatures
  std::string note{};                  ///< that the kernel has another contract's name
};

/// `contracts`: all that may be meant; the one that a kernel is named after, where there are several. Throws
/// usage_error where it is open which of several is meant. `asked`: --kernel; empty: none.
[[nodiscard]] KernelSearch find_kernel(const std::vector<InspectedKernel>& all, const Lab& lab,
                                       const std::vector<Contract>& contracts, const std::string& asked);

}  // namespace gpulab
