#include "labs/kernel_file.h"

#include <utility>

namespace gpulab {

LoadedKernelFile::LoadedKernelFile(KernelFile from) : file(std::move(from)) {
  if (const auto& r = file.resources) {
    rows.push_back({file.entry, r->sm, r->registers, r->static_shared_bytes, r->stack_bytes, 0, 0, 0, 0});
  }
  kernels = {{}, file.file, file.compute_capability, file.ptx, file.source, file.file, rows, {}};
}

}  // namespace gpulab
