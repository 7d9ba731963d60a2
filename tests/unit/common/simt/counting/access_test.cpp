// What accesses of scattered lanes count, against the rules in their plainest form.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/on_simulator.h"

using namespace gpulab;

namespace {

constexpr int kWarps = 64;
constexpr std::int32_t kOff = -1;
using Offsets = std::array<std::int32_t, 32>;  ///< of a warp's lanes, in bytes; kOff: the lane is not active

/// Each warp is a block, whose lanes access the offsets that they are given of `space`, which has `bytes` bytes.
std::string kernel(const std::string& space, const std::string& access, int bytes) {
  const std::string array =
      space == "global" ? std::string() : fmt::format(".{} .align 16 .b8 array[{}];", space, bytes);
  const std::string base = space == "global" ? "ld.param.u64 %rd5, [data];" : "mov.u64 %rd5, array;";
  return fmt::format(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 offsets, .param .u64 data) {{
  .reg .pred %p1; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b64 %d<5>;
  {}
  ld.param.u64 %rd1, [offsets];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r1, 32, %r2;
  mul.wide.s32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r4, [%rd3];
  {}
  setp.lt.s32 %p1, %r4, 0;
  @%p1 bra done;
  cvt.u64.u32 %rd6, %r4; add.s64 %rd7, %rd5, %rd6;
  {};
done: ret;
}})",
                     array, base, access);
}

/// Sums of all warps.
Counters counted(const std::string& space, const std::string& access, int bytes, const std::vector<Offsets>& warps) {
  const std::string text = kernel(space, access, bytes);
  const auto device = tests::simulator_with({"scattered.ptx", text, {}}, {.threads = 1});
  const auto offsets = device->allocate("offsets", warps.size() * sizeof(Offsets));
  device->write(offsets, std::as_bytes(std::span(warps)));
  const auto data = device->allocate("data", static_cast<std::uint64_t>(bytes));
  const LaunchConfig config{{static_cast<std::uint32_t>(warps.size()), 1, 1}, {32, 1, 1}, 0, false};
  const std::array arguments{KernelArgument::of(offsets), KernelArgument::of(data)};
  device->launch(device->kernel("k"), config, arguments);
  return *device->take_counters();
}

/// Warps of all kinds: some lanes or all, many on one place or none, side by side or far apart.
std::vector<Offsets> many_warps(int bytes, int width, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int places = bytes / width;
  std::vector<Offsets> warps(kWarps);
  for (Offsets& warp : warps) {
    const int range = std::min(places, 1 << (1 + below(16))), start = below(places - range + 1);
    const int stride = 1 << below(7), kind = below(4), on = below(3);
    for (int lane = 0; lane < 32; ++lane) {
      const int place = kind == 0 ? (lane / 2 * stride) % range : kind == 1 ? (lane * stride) % range : below(range);
      const bool active = on == 0 || (on == 1 ? below(2) != 0 : below(8) == 0);
      warp[static_cast<std::size_t>(lane)] = active ? (start + place) * width : kOff;
    }
  }
  return warps;
}

struct Plain {
  std::uint64_t wavefronts = 0, passes = 0, sectors = 0, bytes = 0, local_sectors = 0, most = 0;
};

/// counting/access.cpp: which lanes a pass serves.
int lanes_of_pass(const Offsets& warp, int width, bool load) {
  if (width <= 4) return 32;
  const auto paired = [&](std::size_t distance) {
    for (std::size_t i = 0; i < 32; ++i)
      if (warp[i] != kOff && warp[i ^ distance] != kOff && warp[i] != warp[i ^ distance]) return false;
    return true;
  };
  return (load && (paired(1) || paired(2)) ? 2 : 1) * (width == 8 ? 16 : 8);
}

Plain plain(const std::vector<Offsets>& warps, int width, bool load) {
  Plain all;
  for (const Offsets& warp : warps) {
    std::set<int> sectors, bytes, local;
    std::map<int, std::uint64_t> lanes_at;
    const int of_pass = lanes_of_pass(warp, width, load);
    for (int first = 0; first < 32; first += of_pass) {
      std::map<int, std::set<int>> words_of_bank;
      for (int lane = first; lane < first + of_pass; ++lane) {
        const int at = warp[static_cast<std::size_t>(lane)];
        if (at == kOff) continue;
        all.most = std::max(all.most, ++lanes_at[at]);
        for (int byte = at; byte < at + width; ++byte) {
          words_of_bank[byte / 4 % 32].insert(byte / 4);
          sectors.insert(byte / 32);
          bytes.insert(byte);
          local.insert((byte / 4 * 128 + 4 * lane) / 32);
        }
      }
      std::size_t wavefronts = 0;
      for (const auto& [bank, words] : words_of_bank) wavefronts = std::max(wavefronts, words.size());
      all.wavefronts += wavefronts;
      all.passes += wavefronts != 0;
    }
    all.sectors += sectors.size();
    all.bytes += bytes.size();
    all.local_sectors += local.size();
  }
  return all;
}

struct Shape {
  int width;
  std::string load, store;
};
const std::vector<Shape> shapes{{1, "ld.{}.u8 %r5, [%rd7]", "st.{}.u8 [%rd7], %r4"},
                                {4, "ld.{}.u32 %r5, [%rd7]", "st.{}.u32 [%rd7], %r4"},
                                {8, "ld.{}.u64 %d1, [%rd7]", "st.{}.u64 [%rd7], %rd6"},
                                {16, "ld.{}.v2.u64 {{%d1,%d2}}, [%rd7]", "st.{}.v2.u64 [%rd7], {{%rd6,%rd6}}"}};

}  // namespace

TEST_CASE("scattered lanes in shared memory take as many wavefronts as the worst bank has words") {
  for (const int bytes : {512, 4096, 8192, 20000 / 16 * 16, 49152})
    for (const Shape& shape : shapes) {
      const auto warps = many_warps(bytes, shape.width, static_cast<unsigned>(bytes + shape.width));
      CAPTURE(bytes, shape.width);
      const auto loads = counted("shared", fmt::format(fmt::runtime(shape.load), "shared"), bytes, warps);
      const Plain load = plain(warps, shape.width, true), store = plain(warps, shape.width, false);
      CHECK(loads["shared_load_wavefronts"] == load.wavefronts);
      CHECK(loads["shared_load_bank_conflicts"] == load.wavefronts - load.passes);
      const auto stores = counted("shared", fmt::format(fmt::runtime(shape.store), "shared"), bytes, warps);
      CHECK(stores["shared_store_wavefronts"] == store.wavefronts);
      CHECK(stores["shared_store_bank_conflicts"] == store.wavefronts - store.passes);
    }
}

TEST_CASE("scattered lanes in global memory load the sectors and bytes that they touch, each once") {
  for (const int bytes : {512, 8192, 1 << 22})
    for (const Shape& shape : shapes) {
      const auto warps = many_warps(bytes, shape.width, static_cast<unsigned>(bytes * 3 + shape.width));
      CAPTURE(bytes, shape.width);
      const auto loads = counted("global", fmt::format(fmt::runtime(shape.load), "global"), bytes, warps);
      const Plain load = plain(warps, shape.width, true);
      CHECK(loads["global_load_sectors"] == load.sectors + kWarps * 4);  // and the offsets, 4 sectors a warp
      CHECK(loads["global_distinct_bytes_loaded"] == load.bytes + kWarps * 128);
      const auto stores = counted("global", fmt::format(fmt::runtime(shape.store), "global"), bytes, warps);
      CHECK(stores["global_store_sectors"] == load.sectors);
      CHECK(stores["global_distinct_bytes_stored"] == load.bytes);
    }
}

TEST_CASE("lanes at different places of their local arrays touch the sectors of the words that they are at") {
  for (const Shape& shape : shapes) {
    const auto warps = many_warps(512, shape.width, static_cast<unsigned>(shape.width));
    CAPTURE(shape.width);
    const std::uint64_t sectors = plain(warps, shape.width, true).local_sectors;
    CHECK(counted("local", fmt::format(fmt::runtime(shape.load), "local"), 512, warps)["local_load_sectors"] ==
          sectors);
    CHECK(counted("local", fmt::format(fmt::runtime(shape.store), "local"), 512, warps)["local_store_sectors"] ==
          sectors);
  }
}

/// An array of 16 words in local memory, accessed as `body` says.
Counters counted_of_local(const std::string& body) {
  const std::string text = fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 m)
{{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<12>;
  .local .align 16 .b8 a[64];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [m];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  mad.lo.u32 %r3, %r2, %r1, 1;
  and.b32 %r3, %r3, 15;
  mul.wide.u32 %rd4, %r3, 4;
  mov.u64 %rd5, a;
  cvta.local.u64 %rd6, %rd5;
  add.u64 %rd7, %rd6, %rd4;
{}
  ret;
}})",
                                       body);
  const auto device = tests::simulator_with({"local.ptx", text, {}});
  const auto out = device->allocate("out", 1024);
  tests::launch(*device, "k", {{1, 1, 1}, {256, 1, 1}, 0, false}, out, 1);
  return *device->take_counters();
}

TEST_CASE("of a load that the compiler has widened, the words that are used are loaded: ptxas takes no others") {
  const auto sectors = [](const char* mask, const char* load) {
    return counted_of_local(fmt::format("  .pragma \"used_bytes_mask {}\";\n  {}", mask, load))["local_load_sectors"];
  };
  const std::uint64_t word = 8 * 4;  // of 8 warps
  CHECK(sectors("255", "ld.local.v4.u32 {%r4, %r5, %r6, %r7}, [a];") == 2 * word);
  CHECK(sectors("4095", "ld.local.v4.u32 {%r4, %r5, %r6, %r7}, [a];") == 3 * word);
  CHECK(sectors("15", "ld.local.v2.u32 {%r4, %r5}, [a+8];") == word);
  CHECK(sectors("240", "ld.local.v2.u32 {%r4, %r5}, [a+8];") == word);
  CHECK(sectors("1", "ld.local.u32 %r4, [a];") == word);
  CHECK(sectors("65535", "ld.local.v4.u32 {%r4, %r5, %r6, %r7}, [a];") == 4 * word);
  // It is of the next instruction alone.
  CHECK(sectors("15", "mov.u32 %r8, 0; ld.local.v2.u32 {%r4, %r5}, [a];") == 2 * word);
}

TEST_CASE("generic accesses to local memory are local ones, sector by sector, as an H100 counts them") {
  const Counters c = counted_of_local("  st.u32 [%rd7], %r2;\n  ld.u32 %r4, [%rd7];\n  st.global.u32 [%rd3], %r4;");
  CHECK(c["local_store_sectors"] == 8 * 32);  // eight lanes at eight words, for each
  CHECK(c["local_load_sectors"] == 8 * 32);
  CHECK(c["global_load_requests"] == 0);
  CHECK(c["global_store_requests"] == 8);
}

TEST_CASE("atomics of scattered lanes tell how many lanes meet on one address at most") {
  for (unsigned seed = 0; seed < 4; ++seed)
    for (auto warps = many_warps(8192, 4, seed); warps.size() > 40; warps.resize(warps.size() - 12)) {
      const std::uint64_t most = plain(warps, 4, true).most;
      CHECK(counted("shared", "atom.shared.add.u32 %r5, [%rd7], 1", 8192, warps)["shared_atomic_max_lanes"] == most);
      CHECK(counted("global", "atom.global.add.u32 %r5, [%rd7], 1", 8192, warps)["global_atomic_max_lanes"] == most);
    }
}

TEST_CASE("a lane beyond its local array, or between its words, is named") {
  std::vector<Offsets> warps(1);
  warps[0].fill(8);
  warps[0][7] = 512;
  const auto error = [&] {
    return tests::launch_error([&] { counted("local", "ld.local.u32 %r5, [%rd7]", 512, warps); });
  };
  CHECK_THAT(error(), ContainsSubstring("at byte 512 of local memory, of which the thread has 512"));
  CHECK_THAT(error(), ContainsSubstring("thread (7,0,0)"));
  warps[0][5] = 10;
  CHECK_THAT(error(), ContainsSubstring("thread (5,0,0)"));
}
