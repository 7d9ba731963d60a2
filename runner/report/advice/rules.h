#pragma once
// Rules: each looks for one mistake in what was recorded of a program.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runner/report/advice/advice.h"
#include "runner/report/advice/explained_kernel.h"
#include "runner/report/advice/source_words.h"

namespace gpulab::advice {

/// A kernel that was explained, with what rules ask of it again and again.
struct KernelFacts {
  const ExplainedKernel* kernel = nullptr;
  std::string name;               ///< for people
  std::string file;               ///< of its lines, without folders
  std::vector<std::string> code;  ///< code_lines() of its text
  FunctionLines lines;            ///< of its source; none where that is not shown
  /// Of all launches beside the dearest.
  double scale = 1;
  [[nodiscard]] std::string at(std::uint32_t line) const { return file + ":" + std::to_string(line); }
};

struct Facts {
  const ProgramRun* run = nullptr;
  double total_ms = 0;
  std::vector<KernelFacts> kernels;
};

/// Advice without its share, in any order; what costs too little is left out by whoever asks.
using Rule = std::vector<Advice> (*)(const Facts&);
[[nodiscard]] std::span<const Rule> kernel_rules();
[[nodiscard]] std::span<const Rule> host_rules();

}  // namespace gpulab::advice
