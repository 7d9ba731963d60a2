// An access that nobody counts moves, and faults, as a counted one does, though by shorter ways.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "common/simt/isa/instruction_set.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

constexpr std::size_t kBytes = 2048;

/// n values of `bits` bits, `stride` bytes apart from lane to lane, from byte `start` on, by the lanes of `mask`.
struct Shape {
  std::uint32_t bits, n, stride, start, mask;
  [[nodiscard]] std::string text() const {
    return fmt::format("{} of {} bits, stride {}, start {}, mask {:x}", n, bits, stride, start, mask);
  }
};

/// Copies through registers: what is loaded from an array is stored at the same place of another.
std::string copying_kernel(const Shape& shape) {
  const char* reg = shape.bits == 64 ? "d" : shape.bits == 32 ? "r" : "h";
  std::string list = fmt::format("%{}0", reg), vector;
  if (shape.n > 1) {
    for (std::uint32_t k = 1; k < shape.n; ++k) list += fmt::format(", %{}{}", reg, k);
    list = "{" + list + "}";
    vector = fmt::format(".v{}", shape.n);
  }
  return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {{
  .reg .pred %p1; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b32 %t<4>; .reg .b64 %d<4>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %t0, %tid.x;
  mov.u32 %t1, {};
  shr.u32 %t1, %t1, %t0;
  and.b32 %t1, %t1, 1;
  setp.eq.u32 %p1, %t1, 0;
  @%p1 bra DONE;
  mad.wide.u32 %rd3, %t0, {}, {};
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  ld.global{}.u{} {}, [%rd4];
  ld.global{}.u{} {}, [%rd4];
  st.global{}.u{} [%rd5], {};
DONE:
  ret;
}}
)",
                     shape.mask, shape.stride, shape.start, vector, shape.bits, list, vector, shape.bits, list, vector,
                     shape.bits, list);
}

/// The output of two launches (the second finds what the first has learnt), or what ended them.
std::string result(const std::string& ptx, bool counters) {
  SimulatorOptions options;
  options.counters = counters;
  const auto device = simulator_with({"copy.ptx", ptx, {}}, options);
  std::vector<unsigned char> values(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) values[i] = static_cast<unsigned char>(i * 7 + i / 256);
  const auto in = upload(*device, values, "in"), out = upload(*device, std::vector<unsigned char>(kBytes), "out");
  const std::string error = launch_error([&] {
    launch(*device, "k", one_warp, in, out);
    launch(*device, "k", one_warp, in, out);
  });
  const auto copied = read_values<unsigned char>(*device, out, kBytes);
  return error + std::string(copied.begin(), copied.end());
}

TEST_CASE("an access that nobody counts moves what a counted one does, and faults where that does") {
  const std::string_view natural = simt::cpu_level();
  for (const auto level : simt::cpu_levels()) {
    simt::use_cpu_level(level);
    for (const std::uint32_t bits : {8u, 16u, 32u, 64u})
      for (const std::uint32_t n : {1u, 2u, 4u}) {
        const std::uint32_t width = bits / 8 * n;
        if (width > 16) continue;
        const auto end = static_cast<std::uint32_t>(kBytes) - 32 * width;
        for (const std::uint32_t stride : {0u, width, 2 * width})
          for (const std::uint32_t start : {0u, width, end, end + width, 1u})
            for (const std::uint32_t mask : {0xffffffffu, 0x0000ffffu, 0xfffffffdu, 0x80000000u}) {
              const Shape shape{bits, n, stride, start, mask};
              const std::string ptx = copying_kernel(shape);
              INFO(shape.text() << ", level " << level);
              REQUIRE((result(ptx, true) == result(ptx, false)));
            }
      }
  }
  simt::use_cpu_level(natural);
}

TEST_CASE("a copy of lanes side by side is one") {  // so that the comparison above is of something
  const std::string copied = result(copying_kernel({32, 1, 4, 0, simt::kFullMask}), false);
  REQUIRE(copied.size() == 4 + kBytes);
  CHECK(copied.substr(0, 4) == "none");
  for (std::size_t i = 0; i < 128; ++i)
    CHECK(static_cast<unsigned char>(copied[4 + i]) == static_cast<unsigned char>(i * 7));
  CHECK(copied.substr(4 + 128) == std::string(kBytes - 128, '\0'));
}

}  // namespace
}  // namespace gpulab::tests
