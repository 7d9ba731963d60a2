#pragma once
// What kernels a stranger's PTX holds. It is parsed in a confined child, which is this program again: whoever finds a
// defect of the parser finds no answer, no key and no other file there.

#include <string>
#include <vector>

#include "runner/student_file/arguments/kernel_signature.h"

namespace gpulab {

struct InspectionRequest {
  std::string ptx, source;
  std::vector<std::string> names;  ///< kernels that are looked at first; nobody looks at more than a few
  bool isolated = true;
};

struct InspectedKernel {
  std::string entry;
  KernelSignature signature;
  std::vector<std::string> constructs;  ///< runner/judge/inspection/constructs.h
};

struct Inspection {
  std::vector<InspectedKernel> kernels{};
  std::string problem{};  ///< why the child came to no end; empty: it did
};

/// Throws Error where the child cannot be started, or after Ctrl-C.
[[nodiscard]] Inspection inspect(const InspectionRequest& request);

/// To be called first in main: where this process was started as such a child, inspects and ends it.
void inspect_if_asked(int argc, const char* const* argv);

/// Is a kernel ("mine::total<float>") the one that somebody calls `asked`: "total", "mine::total<float>"?
[[nodiscard]] bool is_named(const std::string& kernel, const std::string& asked);
/// "total" of "mine::total<float>".
[[nodiscard]] std::string bare_name(const std::string& kernel);

}  // namespace gpulab
