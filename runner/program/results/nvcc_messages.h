#pragma once
// What nvcc says, without the warnings that our header brings (watched_functions.h), which say where results are
// dropped.

#include <string>
#include <string_view>
#include <vector>

#include "runner/program/results/dropped_results.h"

namespace gpulab {

class NvccMessages {
 public:
  /// A line with its end: what of all so far is now known to be for the user.
  [[nodiscard]] std::string take(std::string_view line);
  /// The same at the end of all lines.
  [[nodiscard]] std::string rest();
  [[nodiscard]] const std::vector<DroppedResult>& dropped() const { return dropped_; }
  /// The compiler could not read our header.
  [[nodiscard]] bool is_lost() const { return lost_; }

 private:
  std::string context_;           ///< lines that lead to a message: "main.cu: In function …"
  bool context_is_ours_ = false;  ///< it led to a warning of ours; it may lead to one of the user's, too
  bool ours_ = false;             ///< the message whose lines come is ours
  bool lost_ = false;
  bool is_void_ = false;  ///< our header has an error: who builds again without it hears all of the user's then
  std::vector<DroppedResult> dropped_;
};

}  // namespace gpulab
