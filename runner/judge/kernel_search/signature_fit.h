#pragma once
// Does a kernel have the signature of a contract? Names of parameters, const of what is only read, __restrict__ and the
// width of integers that go by value make no difference.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "labs/lab.h"
#include "runner/student_file/arguments/kernel_signature.h"

namespace gpulab {

struct ContractParameter {
  std::string type;  ///< "T", "float", "int4"
  bool pointer = false, constant = false;
  std::string name;
};

/// "(const T* in, T* out, int n)".
[[nodiscard]] std::vector<ContractParameter> parameters_of(std::string_view signature);

struct Fit {
  std::optional<Scalar> type;  ///< what T is
};
/// Nothing where it does not fit.
[[nodiscard]] std::optional<Fit> fit(const Contract& contract, const KernelSignature& kernel);

/// The contract's arguments as this kernel takes them: integers and reals of the width of its parameters.
[[nodiscard]] std::vector<Argument> adapted(const std::vector<Argument>& arguments, const KernelSignature& kernel);

}  // namespace gpulab
