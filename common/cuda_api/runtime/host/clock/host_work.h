#pragma once
// How long the program's own code has worked between two calls of the runtime, for the timeline of modelled time: a
// device has nothing to do meanwhile, and events around such work tell it. Little of it counts as nothing: what a
// program prints or adds up between two launches takes another time in each run, and modelled times are to be the same
// in all.

namespace gpulab::cuda_api::host_work {

/// What lies between the last call and the one that begins, in ms. `is_work`: it is worth telling; false: it is time
/// of the host's all the same.
struct Gap {
  double ms = 0;
  bool is_work = false;
};
/// Within a Stopped of host_clock.h.
[[nodiscard]] Gap before_call();
void after_call();

}  // namespace gpulab::cuda_api::host_work
