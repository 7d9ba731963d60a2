#pragma once
// Which of a contract's launches a kernel is judged with: those that its source asks for, else those that the contract
// asks of everybody.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "labs/lab.h"
#include "runner/student_file/arguments/kernel_signature.h"

namespace gpulab {

/// A launch, and the classes of inputs on which a kernel has to be right with it.
struct AskedLaunch {
  ContractLaunch launch;
  bool every_class = true;  ///< false: on `few_classes` (labs/contract_parts.h) alone
};

struct LaunchChoice {
  std::vector<AskedLaunch> launches{};  ///< empty: there is none that may be judged
  bool one_is_enough = false;           ///< alternatives, in the order in which they are tried; else right with each
  std::string because{};                ///< "which its source asks for"; empty: the contract asks everybody for them
  std::string problem{};                ///< why there is none
};

/// `asked`: as launches_in_comments gives it.
[[nodiscard]] LaunchChoice choose_launches(const Contract& contract, const KernelSignature& kernel,
                                           const std::vector<std::string>& asked);

/// The place of the launch that somebody's words mean: "32x8 for 32x32"; "32x8", too, where there is one such block.
[[nodiscard]] std::optional<std::size_t> launch_named(const std::vector<ContractLaunch>& launches, std::string text);

/// The contract with the launches that an assignment chooses, by their places; none: all. It may choose blocks of one
/// warp.
[[nodiscard]] Contract with_launches(const Contract& contract, const std::vector<std::size_t>& chosen,
                                     bool every_launch);

}  // namespace gpulab
