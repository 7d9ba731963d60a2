#pragma once
// Report formats. Each lives in one file runner/report/NAME.cpp, which defines `const Format report::NAME`;
// the build finds it there. A format sees the Run and nothing else.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/case/result.h"

namespace gpulab {

/// How the reader shows text: colours only on a terminal without NO_COLOR.
struct Style {
  bool color = false;
  bool printed_seen = false;  ///< the reader has seen on the same terminal what kernels printed, as it came
};

struct Format {
  std::string_view name, summary;
  std::string (*write)(const Run& run, const Style& style);
};

/// Every format; the table first, then by name.
[[nodiscard]] std::span<const Format* const> formats();
[[nodiscard]] std::vector<std::string> format_names();
/// Throws usage_error with a did-you-mean hint.
[[nodiscard]] const Format& find_format(std::string_view name);

}  // namespace gpulab
