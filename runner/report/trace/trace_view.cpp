#include "runner/report/trace/trace_view.h"

#include <fmt/format.h>

#include "common/embedded.h"
#include "labs/kernel_file.h"

namespace gpulab {

void add_texts(const Lab& lab, const Variant& variant, TraceView& view) {
  if (lab.file) {
    view.source = lab.file->file.source;
    view.ptx = lab.file->file.ptx;
    view.source_name = lab.file->file.file;
    return;
  }
  for (const auto& kernels : embedded_kernels()) {
    if (kernels.lab != lab.name || kernels.file != variant.file) continue;
    view.source = kernels.source;
    view.ptx = kernels.ptx;
    view.source_name = fmt::format("{}/{}", lab.name, kernels.source_file);
  }
}

}  // namespace gpulab
