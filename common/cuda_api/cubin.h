#pragma once
// What ptxas has left in machine code of a fat binary: registers and stack of its kernels. NVIDIA does not document the
// section; its entries are those that ptxas -v says, too. Strangers' bytes: every place is checked.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gpulab::cuda_api {

struct KernelUse {
  std::string name;  ///< mangled; also of functions that are no kernels
  int registers = 0, stack_bytes = 0;
};

/// What a function takes of a thread's stack, by the section .debug_frame (DWARF's call frame information).
struct FrameUse {
  std::string kernel, function;  ///< mangled; of a kernel itself the same
  std::uint32_t bytes = 0;
};

/// Empty where it is no cubin, or says nothing.
[[nodiscard]] std::vector<FrameUse> frames_in_cubin(std::span<const std::byte> cubin);

/// Empty where it is no cubin, or says nothing.
[[nodiscard]] std::vector<KernelUse> uses_in_cubin(std::span<const std::byte> cubin);

}  // namespace gpulab::cuda_api
