#pragma once
// `gpulab LAB …`, the command that every lab is; and what it shares with `gpulab run FILE`: a sweep from its options to
// its report and exit code.

#include <map>
#include <memory>
#include <string>

#include "runner/case/run_case.h"
#include "runner/command.h"
#include "runner/execution/executor.h"
#include "runner/options/file_options.h"
#include "runner/options/machine_options.h"
#include "runner/options/report_options.h"
#include "runner/options/sweep_options.h"

namespace gpulab {

/// Its name, its one line of help and its options are the lab's.
extern const Command lab_command;

struct LabRun {
  SweepOptions sweep;
  MachineOptions machine;
  MeasureOptions measure;
  ReportOptions report;
  std::map<std::string, std::string> dumps{};  ///< buffer -> file
  std::vector<Slice> shows{};                  ///< elements to be shown
  FileAccess file_access{};                    ///< of a file's kernel
  const Variant* baseline = nullptr;           ///< of the speed-ups; null: the first that was measured
  std::vector<std::string> metrics{};          ///< that are to be shown; empty: as reports see fit
  std::string image{};                         ///< file for what the run drew; empty: none
};

/// The results, what they say of each other, and the exit code that they stand for.
struct Ran {
  Run run;
  ExitCode code = ExitCode::ok;
};
[[nodiscard]] Ran run_cases(const LabRun& run, const std::shared_ptr<Executor>& executor);

/// Runs, reports, and returns the exit code.
[[nodiscard]] ExitCode run_and_report(const LabRun& run, const std::shared_ptr<Executor>& executor);

}  // namespace gpulab
