#pragma once
// What becomes of a module before LLVM makes code of it.

#include <string>

#include "common/simt/compiled/llvm/library.h"

namespace gpulab::simt::compiled {

struct TargetCpu {
  std::string name, features;
};

/// All functions are code for this CPU; rows go into their caller.
void set_attributes(const Library& llvm, Context context, Module module, const TargetCpu& cpu);
/// What keeps it from that, or nothing.
[[nodiscard]] std::string optimise(const Library& llvm, Module module, LLVMMachine* machine);
/// A function that nobody defines: LLVM would end the process when it does not find it. Empty: there is none.
[[nodiscard]] std::string missing_function(const Library& llvm, Module module);

}  // namespace gpulab::simt::compiled
