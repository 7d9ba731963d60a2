#pragma once
// `--metrics a,b`: what a report is to show, by our names or the profilers'.

#include <span>
#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/options/machine_options.h"
#include "runner/options/option.h"

namespace gpulab {

[[nodiscard]] OptionList metric_options(const Lab* lab = nullptr);

/// Our names, in the order asked for; empty: the report shows what it sees fit. Turns the model on where one of them
/// follows from it. `lab`: nullptr for a file's kernels. Throws usage_error for a name that nobody knows, and for a
/// profiler's metric that the model has no answer for.
[[nodiscard]] std::vector<std::string> parse_metrics(const Given& given, const Lab* lab, MachineOptions& machine);

/// Of them the counters that lines of source have a part of. Modelled time, which `explain` shows in any case, is
/// passed over. Throws usage_error, too, for what is of a whole launch or run.
[[nodiscard]] std::vector<std::string> parse_line_metrics(const Given& given, const Lab* lab, MachineOptions& machine);

}  // namespace gpulab
