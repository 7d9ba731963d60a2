#pragma once
// Cases in a child process: of a device whose faults end its process (a GPU), and of strangers' kernels on the
// simulator, where a defect of ours that they find must not end the sweep. A fault ends a CUDA context, and with it
// every later call of its process: so the process is replaced, and the sweep goes on. A kernel that never ends is ended
// with its process.
//
// The child is this binary, executed anew with a hidden argument, rather than a plain fork: CUDA does not survive a
// fork of a process that has initialised it (as listing the GPUs does), nor do the simulator's threads. It is asked
// one case per line and answers one result per line (wire.h), over a socket (child_process.h).

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/child/child.h"
#include "common/device/device.h"
#include "common/device/device_kind.h"
#include "labs/lab.h"
#include "runner/execution/executor.h"

namespace gpulab {

struct WorkerOptions {
  /// Of one case, the CPU's reference and all samples included; then its status is `timeout`.
  std::chrono::milliseconds timeout{180'000};
  std::function<bool()> interrupted;  ///< asked several times a second: the case ends as `interrupted`
  std::function<void()> waiting{};    ///< called as often, where somebody wants to know how far launches are
  std::vector<std::string> command;   ///< of the child; empty: this binary
  /// What the child does in place of the command, where it can be a copy of us: it then starts without delay.
  std::function<int()> body{};
  ChildLimits limits{};
  std::optional<Confinement> confinement{};
  bool copies_us = true;  ///< a copy of us may do for the command: it starts sooner, and has all that we know
  bool replaced_after_fault = true;  ///< what ran in it is of no use after a fault, as a CUDA context is
};

/// Runs cases on a device of `kind` in a worker process, started at the first case. Throws Error (missing) as the
/// kind's `describe` does.
[[nodiscard]] std::unique_ptr<Executor> device_worker(const DeviceKind& kind, const DeviceRequest& request,
                                                      WorkerOptions options = {});

/// The same for a kind whose cases are strangers' code: the child is started now, while the file is compiled, and stays
/// after a fault of a kernel.
[[nodiscard]] std::unique_ptr<Executor> confined_worker(const DeviceKind& kind, DeviceRequest request,
                                                        WorkerOptions options);

/// The same for any child that speaks the protocol. `starts_now`: not at the first case.
[[nodiscard]] std::unique_ptr<Executor> process_worker(DeviceInfo info, Capabilities capabilities,
                                                       WorkerOptions options, bool starts_now = false);

/// To be called first in main: where this process was started as a worker, serves its cases and returns the exit
/// code; nothing otherwise.
[[nodiscard]] std::optional<int> serve_if_worker(int argc, const char* const* argv);

/// Answers cases from `socket` until the other end closes. `start` makes the executor at the first case; an Error
/// that it throws is the answer to it.
void serve(int socket, std::span<const Lab> labs, const std::function<std::unique_ptr<Executor>()>& start);

}  // namespace gpulab
