#pragma once
// Clocks of the host that the program reads, and the launches between two readings: a launch comes back before its
// kernel has run, so that what lies between is no kernel's time unless somebody waited. For the advice of
// `gpulab exec --explain`.

#include <string>

namespace gpulab::cuda_api::clocks {

/// From now on; until then a clock is only read.
void watch();
/// By this thread, from `caller`; `ms` of modelled time.
void launched(const std::string& kernel, const void* caller, double ms);
/// A clock is read by the code that goes on at `caller`.
void read_by(const void* caller);
/// A function of the runtime that waits for the device was called by this thread.
void waited(const char* function);

}  // namespace gpulab::cuda_api::clocks
