#pragma once
// For the build alone: programs that are about to become code are written down instead, as objects.

#include <functional>
#include <string>

#include "common/simt/compiled/ahead/ready_code.h"
#include "common/simt/compiled/llvm/library.h"

namespace gpulab::simt::compiled {

/// A program, and what writes its code, as a function of that name, into a file; what is wrong, or nothing.
struct Kept {
  const Program& program;
  Outline outline;
  Digest digest;
  std::span<const ReadyRow> rows;
  std::size_t size;  ///< of the module: LLVM's instructions, about
  std::function<std::string(const std::string& function, const std::string& path)> write;
};
using Keeper = std::function<void(const Kept& kept)>;

/// From then on no program of this process becomes code: `keeper` gets it.
void keep_code(Keeper keeper);
/// Empty: nobody does.
[[nodiscard]] const Keeper& code_keeper();

/// The module as an object for all CPUs of the level in use; its code is that function. What is wrong, or nothing.
[[nodiscard]] std::string write_object(const Library& llvm, Context context, Module module, const std::string& function,
                                       const std::string& path);

}  // namespace gpulab::simt::compiled
