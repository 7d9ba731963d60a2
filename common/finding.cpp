#include "common/finding.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gpulab {

bool is_one_mistake(const Finding& a, const Finding& b) {
  const auto lines = [](const Finding& f) {
    auto first = std::tie(f.at.front().file, f.at.front().line), second = std::tie(f.at.back().file, f.at.back().line);
    return second < first ? std::pair(second, first) : std::pair(first, second);
  };
  return a.reach != 0 && b.reach != 0 && a.tool == b.tool && a.kernel == b.kernel && !a.at.empty() && !b.at.empty() &&
         lines(a) == lines(b);
}

Finding* known_mistake(std::vector<Finding>& known, const Finding& finding) {
  const auto same = std::ranges::find_if(known, [&](const Finding& one) { return is_one_mistake(one, finding); });
  return same == known.end() ? nullptr : &*same;
}

void join(Finding& known, Finding other) {
  const std::uint64_t count = known.count + other.count;
  if (other.reach > known.reach) known = std::move(other);
  known.count = count;
}

}  // namespace gpulab
