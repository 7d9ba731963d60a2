// Local memory against a plain model: each thread's bytes in a row, as a program sees them.

#include "common/simt/machine/memory/local_memory.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <random>
#include <set>

#include "common/simt/isa/instruction_set.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

using simt::kLanes;

constexpr std::size_t kBytes = 64;  ///< of each lane
using Model = std::array<std::array<unsigned char, kBytes>, kLanes>;

unsigned char first_value(std::size_t lane, std::size_t byte) {
  return static_cast<unsigned char>(lane * 7 + byte * 3 + 1);
}
Model filled() {
  Model model;
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    for (std::size_t byte = 0; byte < kBytes; ++byte) model[lane][byte] = first_value(lane, byte);
  return model;
}

TEST_CASE("no two bytes of a warp's local memory share a place, and a word's lie side by side") {
  std::set<std::size_t> places;
  for (int lane = 0; lane < kLanes; ++lane)
    for (std::uint64_t at = 0; at < kBytes; ++at) places.insert(simt::local_place(lane, at));
  CHECK(places.size() == kLanes * kBytes);
  CHECK(*places.rbegin() == kLanes * kBytes - 1);
  CHECK(simt::local_place(5, 11) == simt::local_place(5, 8) + 3);
  CHECK(simt::local_place(5, 8) == 2 * 128 + 5 * 4);  // metrics of local sectors count on it
}

TEST_CASE("bytes of any place and length are read, written and copied lane by lane") {
  std::array<std::byte, kLanes * kBytes> memory{};
  simt::Warp warp;
  warp.local = memory.data();
  warp.local_bytes = kBytes;
  Model model = filled();
  for (int lane = 0; lane < kLanes; ++lane) simt::write_local(warp, lane, 0, model[lane].data(), kBytes);
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return std::size_t{random() % n}; };
  for (int turn = 0; turn < 2000; ++turn) {
    const std::size_t bytes = below(kBytes / 2 + 1);
    // The halves do not overlap; every fourth turn copies whole words of all lanes.
    const std::size_t whole = turn % 4 == 0 ? 4 : 1;
    const std::size_t count = bytes / whole * whole;
    const std::size_t from = below(kBytes / 2 - count + 1) / whole * whole;
    const std::size_t to = kBytes / 2 + below(kBytes / 2 - count + 1) / whole * whole;
    const std::uint32_t lanes = whole == 4 ? simt::kFullMask : static_cast<std::uint32_t>(random());
    simt::copy_local(warp, lanes, to, from, count);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      if (lanes >> lane & 1) std::memcpy(model[lane].data() + to, model[lane].data() + from, count);
    const auto lane = static_cast<int>(below(kLanes));
    std::array<unsigned char, kBytes> some{};
    simt::read_local(warp, lane, to, some.data(), count);
    REQUIRE(std::memcmp(some.data(), model[static_cast<std::size_t>(lane)].data() + to, count) == 0);
    some.fill(static_cast<unsigned char>(turn));
    simt::write_local(warp, lane, from, some.data(), count);
    std::memcpy(model[static_cast<std::size_t>(lane)].data() + from, some.data(), count);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    std::array<unsigned char, kBytes> all{};
    simt::read_local(warp, lane, 0, all.data(), kBytes);
    CHECK(all == model[static_cast<std::size_t>(lane)]);
  }
}

/// An access to local memory: n values of `bits` bits, at byte `start` in lane 0 and `stride` bytes further in each
/// later one (in turns, where the box ends), by the lanes of `mask`.
struct Shape {
  std::uint32_t bits, n, start, stride, mask;
  [[nodiscard]] std::size_t width() const { return std::size_t{bits} / 8 * n; }
  [[nodiscard]] std::size_t at(std::size_t lane) const { return (start + stride * lane) % kBytes; }
  [[nodiscard]] std::string opcode(const char* name, const char* space) const {
    return fmt::format("{}{}{}.u{}", name, space, n == 1 ? "" : fmt::format(".v{}", n), bits);
  }
  [[nodiscard]] std::string registers(const char* of) const {
    std::string list;
    for (std::uint32_t k = 0; k < n; ++k) list += fmt::format("{}%{}{}", k ? ", " : "", of, k);
    return n == 1 ? list : "{" + list + "}";
  }
};

/// Fills a box of 64 bytes, stores into it what each byte's number and the lane say, loads it again, and writes what
/// was loaded and the whole box into the output: 32 bytes and 64 for each lane.
std::string kernel_of(const Shape& shape, bool generic) {
  const char* space = generic ? "" : ".local";
  const char* reg = shape.bits == 64 ? "d" : shape.bits == 32 ? "r" : "h";
  std::string text = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .pred %p<4>;
  .reg .b16 %h<8>;
  .reg .b32 %r<16>;
  .reg .b64 %d<8>;
  .reg .b64 %rd<16>;
  .reg .b32 %t<8>;
  .local .align 16 .b8 box[64];
  ld.param.u64 %rd1, [out];
  mov.u32 %t0, %tid.x;
  mad.wide.u32 %rd1, %t0, 96, %rd1;
  mov.u64 %rd2, box;
)";
  if (generic) text += "  cvta.local.u64 %rd2, %rd2;\n";
  for (std::size_t byte = 0; byte < kBytes; ++byte)
    text += fmt::format("  mad.lo.u32 %t1, %t0, 7, {};\n  st{}.u8 [%rd2+{}], %t1;\n", byte * 3 + 1, space, byte);
  text += fmt::format(
      "  mad.lo.u32 %t2, %t0, {}, {};\n  and.b32 %t2, %t2, 63;\n  cvt.u64.u32 %rd3, %t2;\n"
      "  add.u64 %rd3, %rd2, %rd3;\n  mov.u32 %t3, {};\n  shr.u32 %t3, %t3, %t0;\n"
      "  and.b32 %t3, %t3, 1;\n  setp.eq.u32 %p1, %t3, 0;\n  @%p1 bra DONE;\n",
      shape.stride, shape.start, shape.mask);
  for (std::uint32_t k = 0; k < shape.n; ++k) {
    const std::uint64_t value = 0x8192a3b4c5d6e7f8u + k * 0x0101010101010101u;
    text += fmt::format("  cvt.u64.u32 %rd4, %t0;\n  add.u64 %rd4, %rd4, {:#x};\n  cvt.u{}.u64 %{}{}, %rd4;\n", value,
                        shape.bits < 16 ? 16 : shape.bits, reg, k);
  }
  text += fmt::format("  {} [%rd3], {};\n  {} {}, [%rd3];\n", shape.opcode("st", space), shape.registers(reg),
                      shape.opcode("ld", space), shape.registers(reg));
  for (std::uint32_t k = 0; k < shape.n; ++k)
    text += fmt::format("  st.global.u{} [%rd1+{}], %{}{};\n", shape.bits, k * shape.bits / 8, reg, k);
  text += "DONE:\n";
  for (std::size_t byte = 0; byte < kBytes; ++byte)
    text += fmt::format("  ld{}.u8 %t1, [%rd2+{}];\n  st.global.u8 [%rd1+{}], %t1;\n", space, byte, 32 + byte);
  return text + "  ret;\n}\n";
}

std::vector<unsigned char> expected(const Shape& shape) {
  std::vector<unsigned char> all;
  Model model = filled();
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::array<unsigned char, 32> loaded{};
    if (shape.mask >> lane & 1) {
      for (std::uint32_t k = 0; k < shape.n; ++k) {
        const std::uint64_t value = 0x8192a3b4c5d6e7f8u + k * 0x0101010101010101u + lane;
        std::memcpy(model[lane].data() + shape.at(lane) + k * shape.bits / 8, &value, shape.bits / 8);
      }
      std::memcpy(loaded.data(), model[lane].data() + shape.at(lane), shape.width());
    }
    all.insert(all.end(), loaded.begin(), loaded.end());
    all.insert(all.end(), model[lane].begin(), model[lane].end());
  }
  return all;
}

TEST_CASE("lanes at one place and at any place of their local memory find what they stored, whatever its width") {
  const std::string_view natural = simt::cpu_level();
  for (const auto level : simt::cpu_levels()) {
    simt::use_cpu_level(level);
    for (const std::uint32_t bits : {8u, 16u, 32u, 64u})
      for (const std::uint32_t n : {1u, 2u, 4u}) {
        const std::uint32_t width = bits / 8 * n;
        if (width > 16) continue;
        for (const std::uint32_t stride : {0u, width, 16u})
          for (const std::uint32_t mask : {0xffffffffu, 0x0000ffffu, 0x80000001u, 0x00f0f00eu})
            for (const bool generic : {false, true}) {
              const Shape shape{bits, n, 16 + (width < 16 ? width : 0), stride, mask};
              const std::string text = kernel_of(shape, generic);
              const auto device = simulator_with({"local.ptx", text, {}});
              const auto out = upload(*device, std::vector<unsigned char>(kLanes * 96), "out");
              launch(*device, "k", one_warp, out);
              INFO(fmt::format("{} of stride {} and mask {:x}, generic {}, level {}", shape.opcode("st", ".local"),
                               stride, mask, generic, level));
              REQUIRE(read_values<unsigned char>(*device, out, kLanes * 96) == expected(shape));
            }
      }
  }
  simt::use_cpu_level(natural);
}

}  // namespace
}  // namespace gpulab::tests
