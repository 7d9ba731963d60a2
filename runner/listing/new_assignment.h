#pragma once
// An assignment to begin with, for a contract of a lab: what it asks, a reference, a starter, and wrong solutions.
//
//   labs/NAME/solutions/CONTRACT.cu --new_assignment()--> assignment.json, reference.cu, starter.cu, wrong/*.cu
//
// That file is a solution, in which lines that begin with //! are marks:
//   //! item {"name": "frugal", …}       an item of the assignment beside `correct` (gpulab.assignment.v1)
//   //! ITEM MISTAKE: LINE               wrong/MISTAKE.cu, which fails ITEM: LINE, or nothing, stands for the line
//   above the marks
// `gpulab assignment lint` calls what comes of them sound, which a test holds for all labs.

#include <string>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

struct NewFile {
  std::string path;  ///< "wrong/no_barrier.cu"
  std::string text;
};

/// Throws Error: nobody has written a solution for this contract.
[[nodiscard]] std::vector<NewFile> new_assignment(const Lab& lab, const Contract& contract);

/// One of the kind "program": the worked one of configs/assignments/program. assignment.json comes first.
[[nodiscard]] std::vector<NewFile> new_program_assignment();

/// The same of a solution's text.
[[nodiscard]] std::vector<NewFile> assignment_of(const std::string& solution, const Lab& lab, const Contract& contract);

}  // namespace gpulab
