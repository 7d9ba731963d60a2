// Observers of a launch: this file adds three, and touches no other.
#include "common/simt/machine/observer.h"

#include <atomic>
#include <bit>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "common/ptx/lines.h"
#include "common/simt/decode/program.h"
#include "common/simt/machine/block.h"
#include "tests/catch.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

constexpr std::uint16_t kEverything = simt::kWatchInstructions | simt::kWatchAccesses | simt::kWatchFences |
                                      simt::kWatchCollectives | simt::kWatchBarriers | simt::kWatchCompleted;

std::string opcode_at(const simt::Warp& w, const simt::MicroOp* op) {
  return std::string(w.program->sites[op->site].instruction->opcode);
}

/// Writes down all that it is told.
class Recorder final : public simt::Observer {
 public:
  using Observer::Observer;
  void allocated(const simt::Allocation& a) override { add("{} allocated", a.name); }
  void written(const simt::Allocation& a, std::uint64_t offset, std::uint64_t bytes) override {
    add("{} written from {}, {} bytes", a.name, offset, bytes);
  }
  void forgotten(const simt::Allocation& a, std::uint64_t offset, std::uint64_t bytes) override {
    add("{} forgotten from {}, {} bytes", a.name, offset, bytes);
  }
  void grid_started(const simt::LaunchState& launch) override { add("grid of {} blocks", launch.grid.volume()); }
  void grid_ended(const simt::LaunchState&) override { add("grid ended"); }
  void block_started(const simt::BlockContext& block) override { add("block {}", block.linear); }
  void block_ended(const simt::BlockContext& block) override { add("block {} ended", block.linear); }
  void instruction(simt::Warp& w, const simt::MicroOp* op, std::uint32_t lanes) override {
    add("{} by {} of {} lanes", opcode_at(w, op), std::popcount(lanes), std::popcount(w.mask));
  }
  void access(simt::Warp& w, const simt::MicroOp* op) override {
    add("access {} by {} lanes", opcode_at(w, op), std::popcount(w.mask));
  }
  void fence(simt::Warp& w) override { add("fence by {} lanes", std::popcount(w.mask)); }
  void collective(simt::Warp& w, const simt::MicroOp* op) override {
    add("collective {} by {} lanes", opcode_at(w, op), std::popcount(w.mask));
  }
  void warp_synchronised(simt::Warp& w, const simt::MicroOp* op, std::uint32_t lanes) override {
    add("{} lanes met at {}", std::popcount(lanes), opcode_at(w, op));
  }
  void barrier_reached(simt::Warp& w, std::uint32_t number, std::uint32_t lanes, std::uint32_t count) override {
    add("warp {}: {} lanes at barrier {} of {}", w.index, std::popcount(lanes), number, count);
  }
  void barrier_completed(const simt::BlockContext&, std::uint32_t number, bool everyone) override {
    add("barrier {} completed{}", number, everyone ? " by all" : "");
  }
  void faulted(simt::Warp&, const simt::MicroOp*, int lane, std::uint64_t, const std::string& what) override {
    add("lane {} faulted: {}", lane, what.substr(0, what.find(" at")));
  }
  void deadlocked(const simt::BlockContext& block, const std::string&) override { add("block {} stuck", block.linear); }

  std::vector<std::string> events;

 private:
  template <typename... T>
  void add(fmt::format_string<T...> text, T&&... values) {
    events.push_back(fmt::format(text, std::forward<T>(values)...));
  }
};

constexpr const char* kernel_text = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry watched(.param .u64 out)
{
  .reg .pred %p<3>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 tile[256];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  setp.lt.u32 %p1, %r1, 8;
  @%p1 ld.global.u32 %r2, [%rd3];
  bar.sync 0;
  @!%p1 bra BEHIND;
  bar.warp.sync 255;
BEHIND:
  membar.gl;
  st.global.u32 [%rd3], %r1;
  ret;
}
)";

struct Watched {
  std::unique_ptr<Device> device;
  DevicePointer out;
};
Watched watched_by(simt::Observer& observer, std::size_t words = 64) {
  SimulatorOptions options;
  options.observers = {&observer};
  auto device = simulator_with({"watched.cu", kernel_text, {}}, options);
  const DevicePointer out = device->allocate("out", 4 * words);
  return {std::move(device), out};
}

TEST_CASE("an observer is told what it asks for, in order") {
  Recorder recorder(kEverything);
  const auto [device, out] = watched_by(recorder);
  device->fill(out, std::byte{0}, 256);
  device->forget(out + 128, 128);
  launch(*device, "watched", one_warp, out);
  CHECK(recorder.events == std::vector<std::string>{"out allocated",
                                                    "out written from 0, 256 bytes",
                                                    "out forgotten from 128, 128 bytes",
                                                    "grid of 1 blocks",
                                                    "block 0",
                                                    "ld.param.u64 by 32 of 32 lanes",
                                                    "mov.u32 by 32 of 32 lanes",
                                                    "mul.wide.u32 by 32 of 32 lanes",
                                                    "add.u64 by 32 of 32 lanes",
                                                    "setp.lt.u32 by 32 of 32 lanes",
                                                    "ld.global.u32 by 8 of 32 lanes",
                                                    "access ld.global.u32 by 8 lanes",
                                                    "bar.sync by 32 of 32 lanes",
                                                    "warp 0: 32 lanes at barrier 0 of 0",
                                                    "barrier 0 completed by all",
                                                    "bra by 24 of 32 lanes",
                                                    "bar.warp.sync by 8 of 8 lanes",
                                                    "collective bar.warp.sync by 8 lanes",
                                                    "membar.gl by 32 of 32 lanes",
                                                    "fence by 32 lanes",
                                                    "st.global.u32 by 32 of 32 lanes",
                                                    "access st.global.u32 by 32 lanes",
                                                    "ret by 32 of 32 lanes",
                                                    "block 0 ended",
                                                    "grid ended"});
}

TEST_CASE("an observer that asks for nothing is told of the grid and its blocks, and of barriers once it asks") {
  Recorder recorder(0);
  const auto [device, out] = watched_by(recorder);
  launch(*device, "watched", {{2, 1, 1}, {64, 1, 1}, 0, false}, out);
  CHECK(recorder.events == std::vector<std::string>{"out allocated", "grid of 2 blocks", "block 0", "block 0 ended",
                                                    "block 1", "block 1 ended", "grid ended"});
  Recorder of_barriers(simt::kWatchCompleted);
  const auto [other, place] = watched_by(of_barriers);
  launch(*other, "watched", {{2, 1, 1}, {64, 1, 1}, 0, false}, place);
  CHECK(of_barriers.events == std::vector<std::string>{"out allocated", "grid of 2 blocks", "block 0",
                                                       "barrier 0 completed by all", "block 0 ended", "block 1",
                                                       "barrier 0 completed by all", "block 1 ended", "grid ended"});
}

TEST_CASE("an observer is told of the fault that ends a grid, and of its end") {
  Recorder recorder(0);
  const auto [device, out] = watched_by(recorder, 16);
  CHECK(launch_failure([&, &d = device, &o = out] { launch(*d, "watched", one_warp, o); }) == LaunchFailure::fault);
  CHECK(recorder.events == std::vector<std::string>{"out allocated", "grid of 1 blocks", "block 0",
                                                    "lane 16 faulted: out-of-bounds store of 4 bytes", "grid ended"});
}

/// How many lanes access memory in each line, as a tool of its own would count.
class AccessesByLine final : public simt::Observer {
 public:
  AccessesByLine() : Observer(simt::kWatchAccesses) {}
  void access(simt::Warp& w, const simt::MicroOp* op) override {
    const ptx::Lines lines(*w.program->module, w.program->module->name);
    lanes[lines.user_line(w.program->sites[op->site].instruction->location).line] += std::popcount(w.mask);
  }
  std::map<std::uint32_t, int> lanes;
};

TEST_CASE("accesses are counted by source line") {
  AccessesByLine observer;
  SimulatorOptions options;
  options.observers = {&observer};
  const auto device = simulator_with(simt_kernels, options);
  const auto out = device->allocate("out", 4 * 64);
  launch(*device, "early_return", {{1, 1, 1}, {64, 1, 1}, 0, false}, out, 40);
  REQUIRE(observer.lanes.size() == 2);  // s[t] = t, and out[t] = s[n - 1 - t]
  CHECK(observer.lanes.begin()->second == 40);
  CHECK(std::next(observer.lanes.begin())->second == 80);
}

/// Counts instructions as the simulator's own counters do, on however many CPU threads.
class Tally final : public simt::Observer {
 public:
  explicit Tally(std::uint8_t more = 0) : Observer(static_cast<std::uint8_t>(simt::kWatchInstructions | more)) {}
  void instruction(simt::Warp& w, const simt::MicroOp* op, std::uint32_t lanes) override {
    // A branch is executed by those too who do not take it.
    if (w.program->sites[op->site].row->meaning.traits & simt::kConditional) lanes = w.mask;
    if (lanes) ++warps;
    threads += static_cast<std::uint64_t>(std::popcount(lanes));
  }
  std::atomic<std::uint64_t> warps{0}, threads{0};
};

Counters counted(simt::Observer* observer, const char* kernel, int cpu_threads) {
  SimulatorOptions options;
  options.threads = cpu_threads;
  if (observer) options.observers = {observer};
  const auto device = simulator_with(simt_kernels, options);
  const LaunchConfig config{{16, 1, 1}, {64, 1, 1}, 0, false};
  const auto in = upload(*device, tests::counted(1024, 1)), out = device->allocate("out", 4096);
  if (std::string_view(kernel) == "collatz")
    launch(*device, kernel, config, in, out, 1000);
  else
    launch(*device, kernel, config, out);
  return *device->take_counters();
}

TEST_CASE("observers see each instruction that the counters count, and change none of them") {
  for (const char* kernel : {"nested_branches", "collatz"})
    for (const int cpu_threads : {1, 4}) {
      INFO(kernel << " on " << cpu_threads << " CPU threads");
      const Counters alone = counted(nullptr, kernel, cpu_threads);
      Tally one_thread, in_parallel(simt::kWatchInParallel);
      Recorder recorder(kEverything);
      for (simt::Observer* observer :
           {static_cast<simt::Observer*>(&one_thread), static_cast<simt::Observer*>(&in_parallel),
            static_cast<simt::Observer*>(&recorder)})
        CHECK(counted(observer, kernel, cpu_threads) == alone);
      for (const Tally* tally : {&one_thread, &in_parallel}) {
        CHECK(tally->warps == alone["warp_instructions"]);
        CHECK(tally->threads == alone["thread_instructions"]);
      }
    }
}

/// Has memory for so many events; says so once, and is told of more all the same.
class Forgetful final : public simt::Observer {
 public:
  Forgetful(int events, bool minds) : Observer(kEverything), left_(events), minds_(minds) {}
  void allocated(const simt::Allocation&) override { take(); }
  void block_started(const simt::BlockContext&) override { take(); }
  void access(simt::Warp&, const simt::MicroOp*) override { take(); }
  void lacks_memory() override {
    ++lacked;
    if (minds_) Observer::lacks_memory();
  }
  int lacked = 0;

 private:
  void take() {
    if (--left_ < 0) throw std::bad_alloc();
  }
  int left_;
  bool minds_;
};

TEST_CASE("a launch goes on without an observer that has no more memory, wherever that shows") {
  for (const int events : {0, 1, 2, 3}) {
    INFO(events);
    Forgetful observer(events, false);
    const auto [device, out] = watched_by(observer);
    launch(*device, "watched", one_warp, out);
    CHECK(read_values<std::uint32_t>(*device, out, 32)[31] == 31);
    CHECK(observer.lacked == 4 - events);
  }
}

TEST_CASE("where an observer cannot do without memory, the launch fails for it and says so") {
  Forgetful observer(1, true);
  const Watched watched = watched_by(observer);
  CHECK(
      launch_error([&] { launch(*watched.device, "watched", one_warp, watched.out); }) ==
      "out_of_memory: watched: this machine has no memory left for what the simulator keeps of the launch [] choose a "
      "smaller problem");
}

}  // namespace
}  // namespace gpulab::tests
