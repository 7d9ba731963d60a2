#pragma once
// `gpulab run FILE …` from its options to its report: kernel_file.h makes a lab of the file, run_lab.h runs it.

#include <string>

#include "common/error.h"
#include "runner/options/options.h"
#include "runner/student_file/kernel_file.h"

namespace gpulab {

/// The file's own options, of `command` (run, explain); the rest is as for labs. Reads FILE. Throws usage_error.
[[nodiscard]] FileRequest parse_file_request(std::string_view command, const std::string& file, const Given& given);

/// Those that labs have too; the lab itself is still to be made (load_kernel_file).
[[nodiscard]] LabOptions parse_file_options(const FileRequest& request, const Given& given);

/// Compiles, runs, reports, and returns the exit code, as run_lab does.
[[nodiscard]] ExitCode run_file(const std::string& file, const Given& given);

}  // namespace gpulab
