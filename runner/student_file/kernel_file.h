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
#include <vector>

#include "common/embedded.h"
#include "labs/lab.h"
#include "runner/student_file/argument_spec.h"
#include "runner/student_file/compile.h"

namespace gpulab {

struct KernelFile {
  std::string file;         ///< as the user named it
  std::string source, ptx;  ///< source: of a .cu file; empty for .ptx
  int compute_capability = 0;
  std::string entry;  ///< mangled
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::string> arguments;     ///< SPECs of --arg, in the order of the kernel's parameters
  std::vector<std::string> expectations;  ///< NAME=INIT of --expect
  double tolerance = 0;                   ///< of floating-point expectations, absolute
  std::optional<KernelResources> resources;
  bool operator==(const KernelFile&) const = default;
};

/// A KernelFile and, in the form in which this build's own kernels come, views of it.
struct LoadedKernelFile {
  explicit LoadedKernelFile(KernelFile from);
  LoadedKernelFile(const LoadedKernelFile&) = delete;
  LoadedKernelFile& operator=(const LoadedKernelFile&) = delete;

  KernelFile file;
  std::vector<PtxasRow> rows;
  EmbeddedKernels kernels{};
};

/// What the user asks for, before anything is compiled.
struct FileRequest {
  std::string file, source;
  std::string kernel;  ///< empty: the only one
  std::string compiler = "auto";
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::string> arguments, expectations;
  double tolerance = 0;
};

/// Compiles (a .cu file), finds the kernel and checks the arguments against its parameters. Throws Error.
[[nodiscard]] KernelFile load_kernel_file(const FileRequest& request, int compute_capability);

/// The lab "run": no parameters, one variant, buffers and expectations as `file` says.
[[nodiscard]] Lab file_lab(KernelFile file);

/// Arguments and expectations, checked as far as that goes without the kernel: form, names, values, sizes of files.
void check_specs(const FileRequest& request);

}  // namespace gpulab
