#pragma once
// `gpulab run`: from a student's own file to Device::launch, in one place.
//
//   FILE.cu --compile()--> PTX --load_kernel_file()--> KernelFile --file_lab()--> Lab of one variant
//
// From there it is a lab like any other: CaseRunner (run_case.h) allocates, launches, measures, counts, and what is
// built on Device::launch (sanitizers, explain) serves labs and files alike. A KernelFile is plain data: the worker
// process of a GPU gets it over the wire and makes the same lab of it.

#include <optional>
#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/student_file/compile.h"
#include "runner/student_file/file_argument.h"

namespace gpulab {

/// What the user asks for, before anything is compiled.
struct FileRequest {
  std::string file, source;
  std::string kernel;  ///< empty: the only one
  std::string compiler = "auto";
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::string> arguments, expectations;
  double tolerance = 0;
  Isolation isolation{};
};

/// Compiles (a .cu file), finds the kernel and checks the arguments against its parameters. Throws Error.
[[nodiscard]] KernelFile load_kernel_file(const FileRequest& request, int compute_capability);

/// The lab "run": no parameters, one variant, buffers and expectations as `file` says.
[[nodiscard]] Lab file_lab(KernelFile file);

/// Arguments and expectations, checked as far as that goes without the kernel: form, names, values, sizes of files.
void check_specs(const FileRequest& request);

}  // namespace gpulab
