#pragma once
// Where cases run: in this process (the simulator) or in a worker process that survives faults (a GPU).

#include <memory>

#include "common/device/device.h"
#include "labs/lab.h"
#include "runner/case/result.h"
#include "runner/case/run_case.h"

namespace gpulab {

/// What an executor is to run.
struct CaseToRun {
  const Lab& lab;
  const Variant& variant;
  const Case& point;
  const RunOptions& options;
};

class Executor {
 public:
  virtual ~Executor() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual Capabilities capabilities() const = 0;
  /// Never throws for what a case does wrong; a worker that dies is a Result with status fault.
  [[nodiscard]] virtual Result run(const Lab& lab, const Variant& variant, const Case& point,
                                   const RunOptions& options) = 0;
  /// Both, their samples taken in turn (runner/case/measuring/in_turn.h), by the options of `a`. Nothing where that
  /// does not go well here, whatever the reason: they are to be run one after the other.
  [[nodiscard]] virtual std::optional<std::pair<Result, Result>> run_in_turn(const CaseToRun& /*a*/,
                                                                             const CaseToRun& /*b*/) {
    return std::nullopt;
  }
};

/// Runs cases on `device` in this process.
[[nodiscard]] std::unique_ptr<Executor> in_process(std::unique_ptr<Device> device);

}  // namespace gpulab
