#pragma once
// One case on one device: inputs, launch plan, run, verification, measurement, counters -> Result.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "common/device/device.h"
#include "labs/lab.h"
#include "runner/case/measuring/measure.h"
#include "runner/case/plan.h"
#include "runner/case/problem_cache.h"
#include "runner/case/result.h"

namespace gpulab {

/// Elements [first, end) of a buffer, to be shown after the run.
struct Slice {
  std::string buffer;
  std::uint64_t first = 0, end = 0;
};

/// Takes the samples of a case that was right: `restore` and `work` as for measure(). In its place another may be
/// asked.
using Measuring =
    std::function<Timing(Device&, const std::function<void()>& restore, const std::function<void()>& work)>;

/// How every case of a sweep is run.
struct RunOptions {
  std::optional<Dim3> grid;  ///< absent: automatic
  bool counters = true;      ///< take counters where the device counts
  MeasureOptions measure;
  std::map<std::string, std::string> dumps{};  ///< buffer -> file for its bytes after the first run
  std::vector<Slice> shows{};
  PrintSink printed{};    ///< gets what kernels of the verified run print, as it comes
  Measuring measuring{};  ///< in place of measure() with `measure`
};

/// Runs cases on one device; keeps what cases share: loaded modules and the last problem.
/// Keep one per device (a GPU worker process: one for its life).
class CaseRunner {
 public:
  explicit CaseRunner(Device& device) : device_(device) {}
  /// Never throws for what a case does wrong: faults, hangs, wrong answers and refusals are in the Result.
  [[nodiscard]] Result run(const Lab& lab, const Variant& variant, const Case& point, const RunOptions& options);

 private:
  void run_on_device(const Lab& lab, const Variant& variant, const Plan& plan, const Problem& problem,
                     const RunOptions& options, Result& result);
  void load(const Lab& lab, const Variant& variant);

  Device& device_;
  /// What findings call a loaded file, by lab and file: "reduce/kernels.cu".
  std::map<std::string, std::string, std::less<>> loaded_;
  ProblemCache problems_;
};

/// One case by itself (tests, a worker that serves a single case).
[[nodiscard]] Result run_case(Device& device, const Lab& lab, const Variant& variant, const Case& point,
                              const RunOptions& options);

}  // namespace gpulab
