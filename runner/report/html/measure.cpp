#include "runner/report/html/measure.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulab::html {

std::string measure(const Measure& shown) {
  const auto percent = [](double share) { return 100 * std::clamp(share, 0.0, 1.0); };
  std::string out = fmt::format(
      "<svg class=\"measure\" aria-hidden=\"true\"><rect class=\"whole\" width=\"100%\" height=\"100%\" rx=\"2\"/>"
      "<rect class=\"fill s{}\" width=\"{:.2f}%\" height=\"100%\" rx=\"2\"/>",
      shown.series, percent(shown.value));
  if (shown.low >= 0 && shown.high >= 0)
    out += fmt::format("<line class=\"range\" x1=\"{:.2f}%\" x2=\"{:.2f}%\" y1=\"50%\" y2=\"50%\"/>",
                       percent(shown.low), percent(shown.high));
  return out + "</svg>";
}

}  // namespace gpulab::html
