#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "common/ptx/module.h"

namespace gpulab::simt {

/// The loads of a function that wait for their words.
class PollingLoads {
 public:
  explicit PollingLoads(const ptx::Function& function);

  /// Does the load wait for its word? It stands in a loop (of up to 96 instructions), asks for the same address each
  /// time, and what it has read decides about every way out: `while (*flag == 0) {}`, also by a vote, or with a pause
  /// that grows. Of a function with thousands of such loads the last are taken for loads that do not wait: what looks
  /// at a stranger's code must not take long.
  [[nodiscard]] bool contains(const ptx::Instruction& load);

 private:
  bool waits_in_a_loop(std::size_t load);

  const ptx::Function* function_;
  std::unordered_map<std::string_view, std::size_t> labels_;  ///< the instruction behind each
  int loops_left_ = 4096;                                     ///< to be looked at
};

}  // namespace gpulab::simt
