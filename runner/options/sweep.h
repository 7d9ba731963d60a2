#pragma once
// Lists of options as a product of cases: parameters outermost, then blocks, then variants, so that neighbours
// share their problem and a ladder is read from top to bottom.

#include <string>
#include <vector>

#include "common/device/device.h"
#include "runner/options/sweep_options.h"

namespace gpulab {

/// One variant with one set of settings, as a sweep runs it.
struct SweepCase {
  const Variant* variant = nullptr;
  Case settings;      ///< grid not resolved yet
  std::string skip;   ///< why it cannot run here; empty: it can
  bool named = true;  ///< asked for by name (a skip then costs exit code 3), not by --variant all
};

/// What a sweep needs to know of the device.
struct Host {
  DeviceInfo device;
  Capabilities capabilities;
  int max_threads_per_sm = 2048;
};

/// Every case, each planned so that it complains before anything runs. What a named variant cannot do is thrown (usage:
/// exit 2; nothing of what was named can run here: exit 3), under --variant all it is a reason to skip. The plans are
/// not kept: CaseRunner makes them again, perhaps in a worker process; they take microseconds, and those of long
/// sweeps with thousands of launches a case would fill the memory.
[[nodiscard]] std::vector<SweepCase> sweep(const SweepOptions& options, const Host& host);

/// The sweep's cases without regard to any device.
[[nodiscard]] std::vector<SweepCase> product(const SweepOptions& options);

}  // namespace gpulab
