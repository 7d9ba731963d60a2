#pragma once
// `gpulab run`: from a student's own file to Device::launch, in one place.
//
//   FILE.cu --compile()--> PTX --load_kernel_file()--> KernelFile --file_lab()--> Lab of one variant
//
// From there it is a lab like any other: CaseRunner (run_case.h) allocates, launches, measures, counts, and what is
// built on Device::launch (sanitizers, explain) serves labs and files alike. A KernelFile is plain data: the worker
// process of a GPU gets it over the wire and makes the same lab of it.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/dim3.h"
#include "labs/lab.h"
#include "runner/student_file/arguments/file_argument.h"
#include "runner/student_file/compile.h"

namespace gpulab {

/// What the user asks for, before anything is compiled.
struct FileRequest {
  std::string file, source;
  std::string kernel{};  ///< empty: the only one
  std::string compiler = "auto";
  CompileOptions compile{};
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::string> arguments, variables, expectations;  ///< of --arg, --set, --expect
  /// What --dump and --show want (option, name) and is no argument that was given and not set: an argument that is made
  /// up, or a variable.
  std::vector<std::pair<std::string, std::string>> reads;
  /// The launch, for arguments that are left out. Blocks empty: 256 threads; no grid: one that covers the buffers.
  std::vector<Dim3> blocks;
  std::optional<Dim3> grid;
  std::vector<std::string> words;  ///< all that was typed but --arg, to be shown with the arguments that are made up
  double tolerance = 0;
  Isolation isolation{};
};

/// Compiles (a .cu file), finds the kernel and its variables, checks the arguments against its parameters, and makes up
/// those that are left out. Throws Error.
[[nodiscard]] KernelFile load_kernel_file(const FileRequest& request, int compute_capability);

/// The lab "run": no parameters, one variant, buffers and expectations as `file` says.
[[nodiscard]] Lab file_lab(KernelFile file);

/// The same lab with the launches of a trial in place of its own.
[[nodiscard]] Lab trial_lab(const Lab& of_file, std::shared_ptr<const Trial> trial);

/// Arguments, variables and expectations, checked as far as that goes without the kernel: form, names, values, sizes of
/// files.
void check_specs(const FileRequest& request);

}  // namespace gpulab
