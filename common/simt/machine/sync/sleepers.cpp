// Threads that sleep because a test of theirs failed (mbarrier, cluster barrier), and who goes on where nobody else
// can.

#include "common/simt/machine/block.h"
#include "common/simt/machine/divergence.h"

namespace gpulab::simt {

void BlockContext::wake_sleepers() {
  for (Warp& w : warps)
    for (Split& split : w.splits)
      if (split.state == Split::State::asleep) split.state = Split::State::ready;
}

bool BlockContext::give_up_sleeping() {
  bool any = false;
  for (Warp& w : warps)
    for (Split& split : w.splits)
      if (split.state == Split::State::asleep && split.may_give_up) {
        split.state = Split::State::ready;
        ++split.resume;
        any = true;
      }
  return any;
}

bool BlockContext::resume_someone() {
  bool released = false;
  for (Warp& w : warps) released = release_for_sleepers(w) || released;
  return released || give_up_sleeping();
}

bool BlockContext::let_someone_on() {
  bool released = false;
  for (Warp& w : warps) released = release_for_sleepers(w) || released;
  return released || release_diverged();
}

bool BlockContext::release_diverged() {
  bool any = false;
  for (Warp& w : warps) any = simt::release_diverged(w) || any;
  return any;
}

}  // namespace gpulab::simt
