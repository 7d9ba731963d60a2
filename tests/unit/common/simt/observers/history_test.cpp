#include "common/simt/observers/history.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

/// Whether `knower` of one block knows that what `known` does now is over.
bool knows(const BlockHistory& history, std::uint32_t knower, std::uint32_t known, Clock clock) {
  return history.knows(knower, 0, known, clock);
}

TEST_CASE("a thread knows what it did itself, and nothing of others") {
  const BlockHistory history(0, 64);
  CHECK(knows(history, 3, 3, history.clock(3)));
  CHECK_FALSE(knows(history, 3, 4, history.clock(4)));
  CHECK_FALSE(knows(history, 3, 40, history.clock(40)));
}

TEST_CASE("behind a barrier all know what was before it, nobody what comes after") {
  BlockHistory history(0, 64);
  const Clock before = history.clock(40);
  history.barrier();
  CHECK(knows(history, 3, 40, before));
  CHECK_FALSE(knows(history, 3, 40, history.clock(40)));
}

TEST_CASE("a block's history says nothing of another block's threads") {
  BlockHistory history(0, 64);
  history.barrier();
  CHECK_FALSE(history.knows(3, 1, 3, 1));
}

TEST_CASE("a warp that synchronises orders its own lanes, not another warp's") {
  BlockHistory history(0, 64);
  const Clock before = history.clock(5);
  history.warp_sync(0, ~0u, ~0u);
  CHECK(knows(history, 3, 5, before));
  CHECK_FALSE(knows(history, 40, 5, before));
}

TEST_CASE("lanes that synchronise alone know of each other, and of what the others had learned") {
  BlockHistory history(0, 32);
  const Clock of_0 = history.clock(0), of_9 = history.clock(9);
  history.warp_sync(0, 0x3, ~0u);  // lanes 0, 1
  CHECK(knows(history, 1, 0, of_0));
  CHECK_FALSE(knows(history, 2, 0, of_0));
  CHECK_FALSE(knows(history, 1, 9, of_9));
  history.warp_sync(0, 0x6, ~0u);  // lanes 1, 2
  CHECK(knows(history, 2, 0, of_0));
  CHECK_FALSE(knows(history, 3, 0, of_0));
}

TEST_CASE("one lane that synchronises with itself learns nothing") {
  BlockHistory history(0, 32);
  const Clock before = history.clock(1);
  history.warp_sync(0, 0x1, ~0u);
  CHECK_FALSE(knows(history, 0, 1, before));
}

TEST_CASE("a release tells what was before the fence, not what came between") {
  BlockHistory writer(0, 32), reader(1, 32);
  SyncObject flag;
  const Clock before = writer.clock(7);
  writer.fence(7);
  const Clock after = writer.clock(7);
  flag.release(writer.release(7, false));
  reader.acquire(2, flag.acquire());
  CHECK(reader.knows(2, 0, 7, before));
  CHECK_FALSE(reader.knows(2, 0, 7, after));
  CHECK_FALSE(reader.knows(3, 0, 7, before));  // thread 3 acquired nothing
}

TEST_CASE("a release operation needs no fence") {
  BlockHistory writer(0, 32), reader(1, 32);
  SyncObject flag;
  const Clock before = writer.clock(7);
  flag.release(writer.release(7, true));
  reader.acquire(2, flag.acquire());
  CHECK(reader.knows(2, 0, 7, before));
  CHECK_FALSE(reader.knows(2, 0, 7, writer.clock(7)));
  CHECK_FALSE(writer.has_fenced(7));  // nor is it one: a store behind it tells nothing
}

TEST_CASE("what was released after the acquisition is not known") {
  BlockHistory writer(0, 32), reader(1, 32);
  SyncObject flag;
  const Acquired early = flag.acquire();
  const Clock before = writer.clock(7);
  flag.release(writer.release(7, true));
  reader.acquire(2, early);
  CHECK_FALSE(reader.knows(2, 0, 7, before));
}

TEST_CASE("a fence behind a barrier covers the whole block") {
  BlockHistory writer(0, 64), reader(1, 64);
  SyncObject flag;
  const Clock before = writer.clock(40);
  writer.barrier();
  writer.fence(0);
  flag.release(writer.release(0, false));
  reader.acquire(2, flag.acquire());
  CHECK(reader.knows(2, 0, 40, before));
}

TEST_CASE("a barrier carries the fences before it on, and only what they covered") {
  BlockHistory writer(0, 64), reader(1, 64);
  SyncObject flag;
  const Clock fenced = writer.clock(40), not_fenced = writer.clock(41);
  writer.fence(40);
  const Clock after = writer.clock(40);
  writer.barrier();
  CHECK(writer.has_fenced(0));
  flag.release(writer.release(0, false));
  reader.acquire(2, flag.acquire());
  CHECK(reader.knows(2, 0, 40, fenced));
  CHECK_FALSE(reader.knows(2, 0, 40, after));
  CHECK_FALSE(reader.knows(2, 0, 41, not_fenced));
}

TEST_CASE("a barrier shares what one thread of the block acquired") {
  BlockHistory writer(0, 64), reader(1, 64);
  SyncObject flag;
  const Clock before = writer.clock(7);
  flag.release(writer.release(7, true));
  reader.acquire(2, flag.acquire());
  CHECK_FALSE(reader.knows(50, 0, 7, before));
  reader.barrier();
  CHECK(reader.knows(50, 0, 7, before));
}

TEST_CASE("what was learned is passed on with the next release") {
  BlockHistory first(0, 32), second(1, 32), third(2, 32);
  SyncObject flag, other;
  const Clock before = first.clock(7);
  flag.release(first.release(7, true));
  second.acquire(0, flag.acquire());
  other.release(second.release(0, true));
  third.acquire(0, other.acquire());
  CHECK(third.knows(0, 0, 7, before));
}

TEST_CASE("many paths to one answer are no more work than one: blocks that each look back at 32 others") {
  std::vector<SyncObject> flags(200);
  for (std::uint32_t b = 0; b < flags.size(); ++b) {
    BlockHistory block(b, 32);
    for (std::uint32_t earlier = b < 32 ? 0 : b - 32; earlier < b; ++earlier)
      block.acquire(0, flags[earlier].acquire());
    flags[b].release(block.release(0, true));
  }
  BlockHistory reader(200, 32);
  reader.acquire(0, flags.back().acquire());
  CHECK(reader.knows(0, 199, 0, 1));
  CHECK(reader.knows(0, 20, 0, 1));         // six locations back
  CHECK_FALSE(reader.knows(0, 20, 0, 2));   // what it did after its release
  CHECK_FALSE(reader.knows(0, 300, 0, 1));  // no path leads there: all are searched
}

TEST_CASE("a volatile load counts from the next fence on") {
  BlockHistory writer(0, 32), reader(1, 32);
  SyncObject flag;
  const Clock before = writer.clock(7);
  flag.release(writer.release(7, true));
  reader.acquire_at_fence(2, flag.acquire());
  CHECK_FALSE(reader.knows(2, 0, 7, before));
  reader.fence(2);
  CHECK(reader.knows(2, 0, 7, before));
}

TEST_CASE("a history that starts again has forgotten all") {
  BlockHistory history(0, 64), writer(1, 64);
  SyncObject flag;
  const Clock before = writer.clock(7);
  flag.release(writer.release(7, true));
  history.acquire(2, flag.acquire());
  history.fence(2);
  history.barrier();
  history.restart(5);
  CHECK_FALSE(history.has_fenced(2));
  CHECK_FALSE(history.knows(2, 1, 7, before));
  CHECK_FALSE(history.knows(2, 5, 3, history.clock(3)));
}

/// Blocks that release, acquire, fence and meet at random; after each step some questions, answered both ways.
struct RandomLaunch {
  static constexpr std::uint32_t kThreads = 64;

  RandomLaunch(std::uint32_t seed, std::uint32_t blocks, std::uint32_t locations) : random(seed) {
    for (std::uint32_t b = 0; b < blocks; ++b) histories.emplace_back(b, kThreads);
    for (std::uint32_t i = 0; i < locations; ++i) flags.emplace_back(&searches);
  }
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); }
  void step() {
    BlockHistory& history = histories[below(static_cast<std::uint32_t>(histories.size()))];
    SyncObject& flag = flags[below(static_cast<std::uint32_t>(flags.size()))];
    const std::uint32_t thread = below(4) ? below(4) : below(kThreads);
    switch (below(16)) {
      case 0:
        return history.barrier();
      case 1:
        return history.warp_sync(thread / kLanes, kFullMask, kFullMask);
      case 2:
        return history.warp_sync(thread / kLanes, static_cast<std::uint32_t>(random()), kFullMask);
      case 3:
      case 4:
        return history.fence(thread);
      case 5:
        return history.acquire_at_fence(thread, flag.acquire());
      case 6:
        return flag.release(history.release(thread, false));
      case 7:
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) history.acquire(lane, flag.acquire());
        return;
      case 8:
      case 9:
      case 10:
      case 11:
        return history.acquire(thread, flag.acquire());
      default:
        return flag.release(history.release(thread, true));
    }
  }
  /// How many of the questions had another answer by the search.
  int ask(int questions) {
    int wrong = 0;
    for (int i = 0; i < questions; ++i) {
      const std::uint32_t asker = below(static_cast<std::uint32_t>(histories.size()));
      const std::uint32_t block = below(static_cast<std::uint32_t>(histories.size()));
      const std::uint32_t thread = below(4) ? below(4) : below(kThreads);
      const std::uint32_t other = below(4) ? below(4) : below(kThreads);
      if (asker == block) continue;
      const Clock clock = below(histories[block].clock(other) + 1);
      const bool searched = histories[asker].knows_by_search(thread, block, other, clock);
      yes += searched;
      no += !searched;
      wrong += histories[asker].knows(thread, block, other, clock) != searched;
    }
    return wrong;
  }

  std::mt19937 random;
  SearchesOfLaunch searches;
  std::vector<BlockHistory> histories;
  std::deque<SyncObject> flags;
  int yes = 0, no = 0;
};

TEST_CASE("what a block keeps of its searches says the same as each search") {
  int yes = 0, no = 0;
  std::uint64_t forgotten = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    RandomLaunch launch(seed, 2 + seed % 12, 1 + seed % 17);
    int wrong = 0;
    for (int step = 0; step < 5000; ++step) {
      launch.step();
      wrong += launch.ask(3);
    }
    CAPTURE(seed);
    CHECK(wrong == 0);
    yes += launch.yes;
    no += launch.no;
    forgotten += launch.searches.forgotten;
  }
  CHECK(yes > 10000);
  CHECK(no > 10000);
  CHECK(forgotten > 100);
}

TEST_CASE("what a block keeps of its searches has an end, and each is asked once") {
  constexpr std::uint32_t kBlocks = 3000, kThreads = 1024;
  SearchesOfLaunch searches;
  std::deque<SyncObject> flags;
  for (std::uint32_t b = 0; b < kBlocks; ++b) {
    flags.emplace_back(&searches);
    BlockHistory block(b, 32);
    for (std::uint32_t back = 1; back <= std::min(b, 32u); ++back) block.acquire(0, flags[b - back].acquire());
    flags[b].release(block.release(0, true));
  }
  BlockHistory reader(kBlocks, kThreads);
  reader.acquire(0, flags.back().acquire());
  reader.barrier();
  for (int i = 0; i < 10000; ++i) CHECK_FALSE(reader.knows(static_cast<std::uint32_t>(i) % kThreads, 7, 0, 1));
  CHECK(reader.take_work() < 20000);  // a search: 7000 and more
  // All threads have acquired something else, and ask about all blocks.
  for (std::uint32_t t = 0; t < kThreads; ++t)
    for (std::uint32_t back = 0; back < 3; ++back) reader.acquire(t, flags[(t * 7 + back * 400) % kBlocks].acquire());
  std::size_t most = 0;
  for (std::uint32_t t = 0; t < 200; ++t)
    for (std::uint32_t b = 0; b < kBlocks; b += 10) {
      (void)reader.knows(t, b, 0, 2);
      most = std::max(most, reader.reached());
    }
  CHECK(most > ReachedSets::kMostEntries / 2);
  CHECK(most <= ReachedSets::kMostEntries);
  CHECK(searches.kept == reader.reached());
  // Of a launch's blocks together, too: the last ones keep nothing, until one that keeps much has ended.
  std::deque<ReachedSets> others;
  const std::vector<Acquired> reached(1000, flags.back().acquire());
  bool kept = true;
  for (int b = 0; b < 200; ++b) {
    ReachedSets& other = others.emplace_back(searches);
    for (std::uint64_t version = 1; version <= ReachedSets::kSets; ++version) kept = other.keep({version, 0}, reached);
    most = std::max(most, searches.kept);
  }
  CHECK_FALSE(kept);
  CHECK(most > ReachedSets::kMostOfLaunch - reached.size());
  CHECK(most <= ReachedSets::kMostOfLaunch);
  others.pop_front();
  CHECK(others.back().keep({1, 0}, reached));
  others.clear();
  reader.end();
  CHECK(searches.kept == 0);
}

}  // namespace
}  // namespace gpulab::simt
