#pragma once
// Ctrl-C: what has run so far is reported. A second one ends the process at once.

namespace gpulab {

/// From now on SIGINT and SIGTERM are noted instead of ending the process.
void watch_for_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace gpulab
