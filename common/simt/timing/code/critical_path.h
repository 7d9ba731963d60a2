#pragma once
// The order in which ptxas has instructions issue that wait for one another.

#include <vector>

#include "common/simt/timing/code/code.h"

namespace gpulab::simt {

/// Orders instructions such that those go first whose results most of the rest waits for, by latency, and that others
/// fill what they wait (list scheduling: Muchnick, "Advanced Compiler Design and Implementation", 1997, 17.1).
/// Memory instructions stay in the order in which they are. Time grows with the square of their number.
void fill_waits(std::vector<TimedInstruction>::iterator begin, std::vector<TimedInstruction>::iterator end);

}  // namespace gpulab::simt
