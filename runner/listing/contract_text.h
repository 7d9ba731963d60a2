#pragma once
// A contract in words, and the file that a student begins with.

#include <string>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

/// "32x8", "32x8 for 32x32": the words for it in lists, and in an assignment's "blocks".
[[nodiscard]] std::string launch_text(const ContractLaunch& launch);

/// The signature first, then what is to be done, how it is launched, what is right.
[[nodiscard]] std::vector<std::string> contract_lines(const Contract& contract);

/// A .cu file that compiles and does nothing: the contract as a comment, and an empty kernel.
[[nodiscard]] std::string starter_text(const Lab& lab, const Contract& contract);

}  // namespace gpulab
