#pragma once
#include <string>

#include "tests/differential/program.h"

namespace gpulab::differential {

/// A module of the program's functions and its kernel, "k<seed>", which takes five buffers (.u64): the registers'
/// first values, the input, the threads' own bytes, the shared counters, the registers' last values.
[[nodiscard]] std::string write_ptx(const Program& program, const InstructionPool& pool);
/// The same without the module's directives.
[[nodiscard]] std::string write_kernel(const Program& program, const InstructionPool& pool);
/// .version, .target: bfloat16, redux and the like need them.
inline constexpr const char* kModuleHead = ".version 8.6\n.target sm_90\n.address_size 64\n";

}  // namespace gpulab::differential
