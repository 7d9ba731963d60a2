// What opcodes say beyond their rows.
#include "common/simt/isa/facts.h"

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

TEST_CASE("modifiers are read wherever they stand, also with what follows their ::") {
  CHECK(facts_of("ld.volatile.global.u32") == (kVolatile | kInGlobal));
  CHECK(facts_of("st.release.gpu.shared::cta.u32") == (kStrong | kReleases | kInShared));
  CHECK(facts_of("atom.add.acq_rel.gpu.u32") == (kStrong | kAcquires | kReleases));
  CHECK(facts_of("ld.relaxed.gpu.local.v2.u32") == (kStrong | kRelaxed | kInLocal));
  CHECK(facts_of("add.u32") == 0);
}

TEST_CASE("an instruction's kind is read from whole words") {
  CHECK(facts_of("ret") == kReturn);
  CHECK(facts_of("ret.uni") == kReturn);
  CHECK(facts_of("red.add.u32") == 0);
  CHECK(facts_of("exit") == kExit);
  CHECK(facts_of("brx.idx") == kTableBranch);
  CHECK(facts_of("bra.uni") == 0);
  CHECK(facts_of("bar.sync") == kAligned);
  CHECK(facts_of("barrier.cta.sync.aligned") == kAligned);
  CHECK(facts_of("barrier.cta.sync") == 0);
  CHECK((facts_of("bar.warp.sync") & kWarpBarrier) != 0);
  CHECK((facts_of("fence.acq_rel.gpu") & kFence) != 0);
  CHECK(facts_of("membar.gl") == kFence);
  CHECK((facts_of("mbarrier.try_wait.parity.acquire.cta.shared::cta.b64") & kMbarrier) != 0);
  CHECK((facts_of("cp.async.mbarrier.arrive.noinc.shared.b64") & (kMbarrier | kBulkCopy)) == 0);
  CHECK((facts_of("cp.async.bulk.global.shared::cta.bulk_group") & kBulkCopy) != 0);
  CHECK((facts_of("cp.async.bulk.global.shared::cta.bulk_group") & kAsyncStore) == 0);
  CHECK((facts_of("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32") & kAsyncStore) != 0);
  CHECK((facts_of("red.async.relaxed.cluster.add.u32") & (kAsyncStore | kRelaxed)) == (kAsyncStore | kRelaxed));
  CHECK(facts_of("div.rn.f32") == kQuotient);
  CHECK(facts_of("sqrt.rn.f64") == kQuotient);
  CHECK(facts_of("div.full.f32") == 0);
  CHECK(facts_of("shfl.sync.idx.b32") == kShuffle);
  CHECK(facts_of("shfl.sync.up.b32") == (kShuffle | kShuffleUp));
  CHECK(facts_of("shfl.sync.down.b32") == (kShuffle | kShuffleDown));
  CHECK(facts_of("shfl.sync.bfly.b32") == (kShuffle | kShuffleXor));
}

}  // namespace
}  // namespace gpulab::simt
