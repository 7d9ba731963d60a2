#pragma once
// Why a split's turn ended, and what the scheduler has to know of that. Whoever ends a turn, a handler or enter(), sets
// Warp::stop by one of the functions below warp.h's Warp and returns nullptr to the inner loop; the scheduler
// (warp_scheduler.cpp) does the rest.

#include <cstdint>

#include "common/simt/isa/op.h"

namespace gpulab::simt {

/// The lanes have come to a barrier of the block.
struct BarrierStop {
  const MicroOp* resume;  ///< the micro-op behind it
  std::uint32_t number;
  std::uint32_t threads;  ///< that it waits for; 0: all of the block
  std::uint32_t votes;    ///< bar.red: lanes whose predicate holds
  bool waits;             ///< false: bar.arrive goes on at once
};

/// A .sync instruction whose other members have not come yet. It is executed once they are all there.
struct CollectiveStop {
  const MicroOp* resume;       ///< the instruction itself
  std::uint32_t members;       ///< of every lane's mask
  const std::uint32_t* masks;  ///< the member mask of each lane, where they differ; else nullptr
};

/// A test failed of what other threads will change. It is repeated when that has changed: any arrival, at whatever,
/// wakes all sleepers of the block.
struct SleepStop {
  const MicroOp* resume;  ///< the test
  bool may_give_up;       ///< the instruction may come back with "false" (mbarrier.try_wait): then behind it
  const char* awaited;    ///< what a deadlock's message calls it, a literal: "mbarrier"
};

/// The time slice is used up before a basic block.
struct SliceStop {
  std::uint32_t block;
};

struct Stop {
  enum class Kind : std::uint8_t {
    none,
    reconverged,  ///< the lanes are where they wait for others of their warp
    slice_ended,
    barrier,
    collective,
    asleep,
    returned,  ///< ret
    exited     ///< exit
  };
  Kind kind = Kind::none;
  union {  // the one that `kind` names
    SliceStop slice;
    BarrierStop barrier;
    CollectiveStop collective;
    SleepStop sleep;
  };
};

}  // namespace gpulab::simt
