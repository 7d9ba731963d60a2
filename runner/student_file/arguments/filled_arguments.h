#pragma once
// Arguments that the user leaves out, made up from the kernel's signature, so that a kernel runs before its reader
// knows what it takes: integers are the number of threads, real numbers 1, arrays that the kernel cannot write 0 1 2 …,
// other arrays zeros, each with an element for each thread, and structs zeros.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runner/student_file/arguments/kernel_signature.h"

namespace gpulab {

/// SPECs of all parameters behind the `given` ones. Throws usage_error for a parameter that nothing can be made up for.
[[nodiscard]] std::vector<std::string> filled_arguments(const KernelSignature& kernel,
                                                        std::span<const FileArgument> given, std::uint64_t threads);

}  // namespace gpulab
