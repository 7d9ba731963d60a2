#pragma once
// Which counters stand left of the source, under which headings.

#include <string>
#include <vector>

#include "common/counters.h"
#include "runner/report/explain_view.h"

namespace gpulab {

struct LineColumn {
  const CounterInfo* counter = nullptr;
  std::string heading, second;
  std::size_t width = 0;  ///< on a terminal
  bool stays = false;     ///< however narrow the page is
};

/// Those asked for; else all that have something to say of the launch.
[[nodiscard]] std::vector<LineColumn> line_columns(const ExplainView& view);

/// Has a line of source a part of it, or is it of the whole launch?
[[nodiscard]] bool is_of_lines(const CounterInfo& counter);

/// Does explain's column show, line by line, what a lab's subject is about?
[[nodiscard]] bool shows_subject(const CounterInfo& column, std::string_view subject);

}  // namespace gpulab
