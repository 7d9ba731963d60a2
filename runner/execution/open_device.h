#pragma once
// From --device, --profile and the simulator's options to something that runs cases.

#include <memory>

#include "runner/execution/executor.h"
#include "runner/options/options.h"

namespace gpulab {

/// Throws Error (missing, exit 3) where a GPU is asked for by name and there is none.
[[nodiscard]] std::unique_ptr<Executor> open_device(const LabOptions& options);

/// The simulator that these options describe: --profile, else that of the GPU present, else h200.
[[nodiscard]] std::unique_ptr<Executor> open_simulator(const LabOptions& options);

}  // namespace gpulab
