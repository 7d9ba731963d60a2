#pragma once
// The problem of the last case: variants of one case share inputs and answer instead of making them again.

#include <string>
#include <utility>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

class ProblemCache {
 public:
  /// The lab's problem for `point`, adjusted for `variant`. Valid until the next call. Inputs are shared: an
  /// adjust() may read them but change only answers, outputs and scratch; and a problem sees no grid (1 x 1 x 1).
  [[nodiscard]] const Problem& get(const Lab& lab, const Variant& variant, const Case& point);
  void clear();

 private:
  std::string key_;
  Problem problem_;
  /// What an adjust() may have changed: answers, and buffers that are not inputs (by index).
  std::vector<Expected> expected_;
  std::vector<std::pair<std::size_t, Buffer>> buffers_;
  bool adjusted_ = false;
};

}  // namespace gpulab
