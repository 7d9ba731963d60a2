#pragma once
// In which format a report is written, and where to.

#include <string>

#include "runner/options/option.h"
#include "runner/report/report.h"

namespace gpulab {

struct ReportOptions {
  const Format* format = nullptr;
  std::string output;  ///< file, empty: standard output
};

/// `able`: the formats that can write what the command reports, as in formats_for(&Format::run).
[[nodiscard]] OptionList report_options(const Formats& able);
/// Throws usage_error. `command` is what its words call the command.
[[nodiscard]] ReportOptions parse_report_options(std::string_view command, const Given& given, const Formats& able);

/// The format that a command line names, whatever else may be wrong with it: errors are reported in it too, where it
/// can. Null where it names none that there is.
[[nodiscard]] const Format* format_asked_for(const std::vector<std::string>& arguments);

}  // namespace gpulab
