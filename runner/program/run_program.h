#pragma once
// A program on the simulator: our runtime in its process, in a confinement, with the streams of ours.

#include <string>
#include <vector>

#include "common/cuda_api/program_run.h"
#include "common/cuda_api/record.h"
#include "runner/program/lent_libraries.h"
#include "runner/program/process/program_limits.h"

namespace gpulab {

struct ProgramRequest {
  std::string program;  ///< a path
  std::string name;     ///< what the user calls it
  std::vector<std::string> arguments;
  cuda_api::Options options;
  bool isolated = true;
  LibraryNeeds needs{};
  std::vector<std::string> readable{};  ///< places beyond those that every program may read
  std::vector<std::string> given_back;  ///< names of the environment that hold secrets, and that it gets all the same
  ProgramLimits limits;
};

/// What the loader and the C library look at, and what programs ask of the machine.
[[nodiscard]] std::vector<std::string> places_of_programs();

/// Runs it to its end.
[[nodiscard]] ProgramRun run_program(const ProgramRequest& request);

}  // namespace gpulab
