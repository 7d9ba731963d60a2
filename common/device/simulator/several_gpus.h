#pragma once
// Several simulated GPUs of one kind: which is in use, and whose kernels reach whose memory. All of it is one memory
// with one space of addresses, so that tools see all; what a GPU may not reach is hidden while its kernels run.

#include <set>
#include <utility>

#include "common/simt/machine/memory/memory.h"

namespace gpulab {

class SeveralGpus {
 public:
  void use(int gpu) {
    gpu_ = gpu;
    several_ |= gpu != 0;
  }
  void reach(int peer, bool may) {
    if (may)
      reached_.emplace(gpu_, peer);
    else
      reached_.erase({gpu_, peer});
  }
  /// More than the first has been used.
  [[nodiscard]] bool several() const { return several_; }
  [[nodiscard]] bool reaches(int gpu, int peer) const { return reached_.contains({gpu, peer}); }

 private:
  int gpu_ = 0;
  bool several_ = false;
  std::set<std::pair<int, int>> reached_;  ///< who reaches whom
};

/// While it lives, the memory is as one GPU's kernels see it.
class SeenByOne {
 public:
  SeenByOne(simt::GlobalMemory& memory, const SeveralGpus& gpus, int gpu) : memory_(memory), hides_(gpus.several()) {
    if (hides_) memory_.hide_from(gpu, [&gpus, gpu](int peer) { return gpus.reaches(gpu, peer); });
  }
  ~SeenByOne() {
    if (hides_) memory_.show_all();
  }
  SeenByOne(const SeenByOne&) = delete;
  SeenByOne& operator=(const SeenByOne&) = delete;

 private:
  simt::GlobalMemory& memory_;
  const bool hides_;
};

}  // namespace gpulab
