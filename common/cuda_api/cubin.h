#pragma once
// What ptxas has left in machine code of a fat binary: registers and stack of its kernels. NVIDIA does not document the
// section; its entries are those that ptxas -v says, too. Strangers' bytes: every place is checked.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gpulab::cuda_api {

struct KernelUse {
  std::string name;  ///< mangled; also of functions that are no kernels
  int registers = 0, stack_bytes = 0;
};

/// Empty where it is no cubin, or says nothing.
[[nodiscard]] std::vector<KernelUse> uses_in_cubin(std::span<const std::byte> cubin);

}  // namespace gpulab::cuda_api
