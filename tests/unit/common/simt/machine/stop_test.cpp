#include "common/simt/machine/stop.h"

#include <vector>

#include "common/simt/machine/warp.h"
#include "tests/catch.h"

using namespace gpulab::simt;

TEST_CASE("a branch's three blocks come out of its micro-op as they went in, also beyond 16 bits") {
  MicroOp op;
  op.r[0] = 7;
  set_branch_blocks(op, 0x12345, 0xabcdef, kNoBlock);
  CHECK(op.r[0] == 7);
  CHECK(taken_block(&op) == 0x12345);
  CHECK(fall_through_block(&op) == 0xabcdef);
  CHECK(post_dominator_block(&op) == kNoBlock);
}

TEST_CASE("whoever ends a turn leaves the scheduler what its kind of stop needs, and nothing of the stop before") {
  Warp warp;
  const MicroOp op;
  CHECK(stop(warp, BarrierStop{&op, 3, 64, 0xf0, false}) == nullptr);
  CHECK(warp.stop.kind == Stop::Kind::barrier);
  CHECK(warp.stop.barrier.resume == &op);
  CHECK(warp.stop.barrier.number == 3);
  CHECK(warp.stop.barrier.threads == 64);
  CHECK(warp.stop.barrier.votes == 0xf0);
  CHECK_FALSE(warp.stop.barrier.waits);
  stop(warp, CollectiveStop{&op, 0xff, nullptr});
  CHECK(warp.stop.kind == Stop::Kind::collective);
  CHECK(warp.stop.collective.members == 0xff);
  CHECK(warp.stop.collective.masks == nullptr);
  stop(warp, SleepStop{.resume = &op, .may_give_up = true, .awaited = "mbarrier"});
  CHECK(warp.stop.kind == Stop::Kind::asleep);
  CHECK(warp.stop.sleep.resume == &op);
  CHECK(warp.stop.sleep.may_give_up);
  stop(warp, Stop::Kind::exited);
  CHECK(warp.stop.kind == Stop::Kind::exited);
}

TEST_CASE("entering a block ends the turn where other lanes wait, or where the time slice is over") {
  const MicroOp op;
  std::vector<BasicBlock> blocks(3);
  for (auto& block : blocks) block.first = &op;
  blocks[1].instructions = 5;
  std::vector<BlockCount> counts(3);
  Warp warp;
  warp.blocks = blocks.data();
  warp.block_counts = counts.data();
  warp.stop_block = 2;
  warp.fuel = 3;
  set_mask(warp, 0x7);
  CHECK(enter(warp, 1) == &op);
  CHECK(counts[1].warps == 1);
  CHECK(counts[1].lanes == 3);
  CHECK(enter(warp, 2) == nullptr);
  CHECK(warp.stop.kind == Stop::Kind::reconverged);
  CHECK(enter(warp, 1) == nullptr);  // the five instructions were more than the fuel
  CHECK(warp.stop.kind == Stop::Kind::slice_ended);
  CHECK(warp.stop.slice.block == 1);
  CHECK(counts[1].warps == 1);
}
