#pragma once
// What a program's time goes into for nothing, in one list: kernels' lines, launches, copies, clocks. Advice for
// people; nothing of it is wrong, and no exit code depends on it.

#include <string>
#include <vector>

#include "common/cuda_api/program_run.h"

namespace gpulab {

struct Advice {
  std::string kind{};    ///< "needless_copy", "low_occupancy" …; a kernel's line: its mark's (explain/explanation.h)
  std::string where{};   ///< "main.cu:16"; empty: of no line
  std::string kernel{};  ///< empty: of none
  double ms = 0;         ///< modelled, that it costs, about
  bool beside = false;   ///< of time that is none of kernels and copies
  double share = 0;      ///< of the program's modelled time
  double least_share = 0.05;  ///< with less it is not told
  std::string text{};         ///< what is the matter, in numbers
  std::string remedy{};       ///< "copy once, before the loop"
};

struct AdviceList {
  double total_ms = 0;          ///< modelled, of all kernels and copies; 0: nothing is modelled
  std::vector<Advice> advices;  ///< the dearest first
};

/// Of a program whose lines were counted; else nothing.
[[nodiscard]] AdviceList advice_of(const ProgramRun& run);

}  // namespace gpulab
