#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/calibrate/profile_document.h"
#include "runner/report/grid_text.h"

namespace gpulab::calibrate {

std::string profile_text(const Profile& profile, std::size_t width) {
  std::vector<TextColumn> table(4);
  table[0] = {{"number"}, {}, false};
  table[1] = {{"value"}, {}, true};
  table[2] = {{"unit"}, {}, false};
  table[3] = {{"from"}, {}, false};
  std::size_t measured = 0;
  for (const Value& one : profile.timing) {
    const std::string cells[] = {one.field, fmt::format("{:.4g}", one.value), one.unit, one.origin};
    for (std::size_t i = 0; i < table.size(); ++i) table[i].cells.push_back(cells[i]);
    measured += one.origin == "measured" ? 1 : 0;
  }
  std::string text = fmt::format("{}, compute capability {}.{}\n\n", visible(profile.name), profile.compute_major,
                                 profile.compute_minor);
  std::vector<std::string> left_out;
  text += aligned(std::move(table), width, left_out);
  text += hanging("", 0,
                  fmt::format("{} of {} numbers were measured here. The others are of data sheets, or another GPU's "
                              "that was measured, carried over.",
                              measured, profile.timing.size()),
                  width);
  for (const auto& problem : profile.measurements.problems) text += hanging("", 2, "not measured: " + problem, width);
  return text;
}

}  // namespace gpulab::calibrate
