#pragma once
// Ctrl-C: what has run so far is reported. A second one ends the process at once; its children and temporary folders
// end with it (housekeeper.h).
//
// The case that runs then is not waited for (runner/execution/batch.h): a simulation in this process goes on in its
// thread while the report is written. It owns what it reads of the run; but it also reads tables that live as long as
// the process (GPU profiles, instructions, embedded kernels), which exit() would destroy under it. So main ends an
// interrupted process without that.

namespace gpulab {

/// From now on SIGINT, SIGTERM and SIGHUP (but under nohup) are noted instead of ending the process.
void watch_for_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace gpulab
