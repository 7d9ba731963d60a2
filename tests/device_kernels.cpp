#include "tests/device_kernels.h"

// The build names the PTX files; the assembler embeds them.
#define EMBED(symbol, path)                                                      \
  asm(".pushsection .rodata\n.global " #symbol "\n" #symbol ":\n.incbin \"" path \
      "\"\n.byte 0\n"                                                            \
      ".popsection\n");                                                          \
  extern "C" const char symbol[];

EMBED(gpulab_test_device_ptx, GPULAB_DEVICE_PTX)
EMBED(gpulab_test_variable_ptx, GPULAB_VARIABLE_PTX)
EMBED(gpulab_test_simt_ptx, GPULAB_SIMT_PTX)
EMBED(gpulab_test_cooperative_ptx, GPULAB_COOPERATIVE_PTX)
EMBED(gpulab_test_nested_ptx, GPULAB_NESTED_PTX)
EMBED(gpulab_test_forward_ptx, GPULAB_FORWARD_PTX)
EMBED(gpulab_test_schedule_ptx, GPULAB_SCHEDULE_PTX)
EMBED(gpulab_test_runtime_ptx, GPULAB_RUNTIME_PTX)
EMBED(gpulab_test_asynchronous_80_ptx, GPULAB_DEVICE_PTX_DIR "asynchronous_80.ptx")
EMBED(gpulab_test_asynchronous_90_ptx, GPULAB_DEVICE_PTX_DIR "asynchronous_90.ptx")
EMBED(gpulab_test_groups_75_ptx, GPULAB_DEVICE_PTX_DIR "groups_75.ptx")
EMBED(gpulab_test_groups_90_ptx, GPULAB_DEVICE_PTX_DIR "groups_90.ptx")
EMBED(gpulab_test_matrix_ptx, GPULAB_DEVICE_PTX_DIR "matrix_75.ptx")

namespace gpulab::tests {

const ModuleImage device_kernels{"tests/device/kernels.cu", gpulab_test_device_ptx, {}};
const ModuleImage simt_kernels{"tests/device/simt.cu", gpulab_test_simt_ptx, {}};
const ModuleImage cooperative_kernels{"tests/device/cooperative.cu", gpulab_test_cooperative_ptx, {}};
const ModuleImage nested_kernels{"tests/device/nested_rdc.cu", gpulab_test_nested_ptx, {}};
const ModuleImage forward_kernels{"tests/device/forward.cu", gpulab_test_forward_ptx, {}};
const ModuleImage schedule_kernels{"tests/device/schedule.cu", gpulab_test_schedule_ptx, {}};
const ModuleImage runtime_kernels{"tests/device/runtime.cu", gpulab_test_runtime_ptx, {}};
const ModuleImage variable_kernels{"tests/device/variable.cu", gpulab_test_variable_ptx, {}};
const ModuleImage asynchronous_kernels_sm80{"tests/device/asynchronous.cu", gpulab_test_asynchronous_80_ptx, {}};
const ModuleImage asynchronous_kernels_sm90{"tests/device/asynchronous.cu", gpulab_test_asynchronous_90_ptx, {}};
const ModuleImage groups_kernels_sm75{"tests/device/groups.cu", gpulab_test_groups_75_ptx, {}};
const ModuleImage groups_kernels_sm90{"tests/device/groups.cu", gpulab_test_groups_90_ptx, {}};
const ModuleImage matrix_kernels_sm75{"tests/device/matrix.cu", gpulab_test_matrix_ptx, {}};

}  // namespace gpulab::tests
