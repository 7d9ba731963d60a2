#pragma once
// Places in a program's code as lines of its files, where it has debug information.

#include <string>

#include "common/cuda_api/record.h"

namespace gpulab {

/// Replaces "program+0x12f4" in the record by file and line, as far as addr2line (of binutils, which nvcc's host
/// compiler needs, too) can say. It reads a stranger's file: confined where the program was.
void name_host_lines(cuda_api::Record& record, const std::string& program, bool isolated);

}  // namespace gpulab
