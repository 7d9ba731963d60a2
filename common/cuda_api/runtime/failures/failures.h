#pragma once
// Calls that gave an error: which, why, and whether the program asked for it (cudaGetLastError). Whether it looked at
// what the call returned is known by its source: `gpulab exec` judges (runner/program/results).

#include <driver_types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "common/cuda_api/record.h"

namespace gpulab::cuda_api {

/// Why a call fails, in numbers, and what to do: sentences without the function's name and without a full stop.
struct Reason {
  std::string why, remedy{};
  bool certain = false, follows = false;  ///< as CallFailure's
};

/// Under the session's lock.
class Failures {
 public:
  /// Around what a function of the runtime does; one may call another, and the outer one is the program's.
  void begin() {
    if (depth_++ == 0) reason_ = {}, told_ = false;
  }
  /// `error`: what the function gives.
  void end(Record& record, const char* function, cudaError_t error, const void* caller);

  /// Around a function of the program's that a call runs: its own calls are the program's, too. Returns, and takes, how
  /// deep calls were before.
  int suspend() { return std::exchange(depth_, 0); }
  void resume(int depth) { depth_ = depth; }

  /// The call that runs fails with this error because of that. Returns the error.
  cudaError_t because(cudaError_t error, Reason reason) {
    reason_ = std::move(reason);
    return error;
  }
  /// The call that runs succeeds here, and may fail so on a GPU.
  void may_fail(Record& record, const char* function, cudaError_t error, Reason reason, const void* caller);
  /// The call that runs fails, and that is told already: as a fault.
  void is_told() { told_ = true; }
  /// The same, and it would not have failed on a GPU: what comes of it is no fault of the program's.
  void is_ours() { told_ = ours_ = true; }
  /// The launch of a kernel whose attribute the program could not set before fails, too.
  void attribute_was_needed(Record& record);
  /// The program has asked for the last error of this thread.
  static void looked(Record& record);

 private:
  /// The record of failures at this place; a new one, or null: there are too many.
  CallFailure* failure_at(Record& record, const char* function, const void* caller);

  std::map<std::string, std::size_t> known_;  ///< by function and place: where in the record
  std::map<std::pair<std::string, const void*>, std::size_t> by_address_;
  std::uint64_t chains_ = 0, walks_ = 0;
  int depth_ = 0;
  Reason reason_;
  bool told_ = false;
  bool ours_ = false;  ///< some call failed for want of this machine's memory
};

}  // namespace gpulab::cuda_api
