#pragma once
// A program on the simulator: our runtime in its process, in a confinement, with the streams of ours.

#include <string>
#include <vector>

#include "common/cuda_api/program_run.h"
#include "common/cuda_api/record.h"
#include "runner/program/process/program_limits.h"

namespace gpulab {

struct ProgramRequest {
  std::string program;  ///< a path
  std::string name;     ///< what the user calls it
  std::vector<std::string> arguments;
  cuda_api::Options options;
  bool isolated = true;
  std::vector<std::string> given_back;  ///< names of the environment that hold secrets, and that it gets all the same
  ProgramLimits limits;
};

/// Throws Error (missing) where it cannot run here: no program, linked statically, another runtime, a closed library.
void check_program(const std::string& path, const std::string& name);

/// Runs it to its end.
[[nodiscard]] ProgramRun run_program(const ProgramRequest& request);

/// The library that stands for NVIDIA's, as bytes, and its name: "libcudart.so.13".
[[nodiscard]] std::string_view runtime_library();
[[nodiscard]] std::string runtime_library_name();

}  // namespace gpulab
