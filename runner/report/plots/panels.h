#pragma once
// Which numbers of a run are worth a picture: time where there is one, then the counters in which its results differ.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/case/result.h"

namespace gpulab {

struct Panel {
  std::string name;
  bool more_is_better = false;
  bool share = false;  ///< 0 to 1
  std::function<std::optional<double>(const Result&)> value;
  std::function<std::string(double)> text;
};

/// At most `most`: time, measured or else modelled, SMs used where rungs leave many idle, then what the lab is about,
/// then the counters that differ most. Of results that are right.
[[nodiscard]] std::vector<Panel> panels(const Run& run, std::size_t most);

/// "warp", or "warp, block 64" where a sweep has several of it.
[[nodiscard]] std::string label_of(const Run& run, const Result& result);

/// Of an axis: large powers of two as they are typed ("16Ki", "1Mi"), else three digits ("131 k").
[[nodiscard]] std::string typed_size(double value);

}  // namespace gpulab
