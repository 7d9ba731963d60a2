#pragma once
// The server: it reads requests, starts calls, and writes answers, in one thread and one loop.
//
//   standard input --json_line.h--> message --protocol.h--> method --> answer on standard output
//                                                     tools/call --> a process (call_process.h), a few at once
//
// A request that comes while it waits is answered; one that was cancelled is not; at the end of standard input all
// ends.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "common/error.h"
#include "runner/command.h"

namespace gpulab::mcp {

struct ServerOptions {
  std::vector<std::string> roots;  ///< folders whose files requests may name; none: the current one
  std::size_t answer_bytes = 24'000;
  std::size_t jobs = 2;  ///< calls that run at once; the others wait
  std::chrono::seconds call_limit{120};
};

/// Calls that may wait beside those that run.
inline constexpr std::size_t most_waiting = 16;

[[nodiscard]] ExitCode serve(const ServerOptions& options, const Labs& labs);

}  // namespace gpulab::mcp
