#pragma once
// A kernel in a file of the user's own, as plain data: what a Lab has instead of kernels in the binary. `gpulab run`
// makes it (runner/student_file) and gives it to a GPU's worker process.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/embedded.h"

namespace gpulab {

/// What `ptxas -v` says of one kernel.
struct KernelResources {
  int sm = 0;  ///< 90
  int registers = 0, static_shared_bytes = 0, stack_bytes = 0;
  bool operator==(const KernelResources&) const = default;
};

struct KernelFile {
  std::string file;         ///< as the user named it
  std::string source, ptx;  ///< source: of a .cu file; empty for .ptx
  int compute_capability = 0;
  std::string entry;  ///< mangled
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;            ///< its grid may wait for itself (grid sync)
  std::vector<std::string> arguments;  ///< SPECs of --arg, in the order of the kernel's parameters
  /// __device__ and __constant__ variables that are set before or read after the run: mangled name, SPEC.
  std::vector<std::pair<std::string, std::string>> variables;
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

}  // namespace gpulab
