// Conversions to and from 8 and 16 bits against those that NVIDIA's own headers do on the host.

#if __has_include(<cuda_fp8.h>)

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "tests/catch.h"
#include "tests/instructions/float_opcode.h"

using namespace gpulab::simt;

namespace {

using u64 = std::uint64_t;

float single(u64 bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
u64 bits_of(__half x) { return __half_raw(x).x; }
u64 bits_of(__nv_bfloat16 x) { return __nv_bfloat16_raw(x).x; }

FloatOpcode opcode_named(const std::string& name) {
  for (const auto& entry : instruction_set().find(name)) return float_opcode(*entry.row, name);
  throw std::runtime_error("no row for " + name);
}

/// f(columns, i): the bits of the i-th try.
template <typename F>
void compare(const std::string& name, F f) {
  const auto opcode = opcode_named(name);
  Columns columns = random_operands(opcode, 50000, 5);
  const Columns edges = edge_operands(opcode);
  for (std::size_t k = 0; k < columns.size(); ++k)
    columns[k].insert(columns[k].end(), edges[k].begin(), edges[k].end());
  const auto results = simulate(opcode, columns);
  std::string difference;
  for (std::size_t i = 0; i < results.size() && difference.empty(); ++i)
    if (const u64 expected = f(columns, i); results[i] != expected)
      difference =
          fmt::format("{}: the header gives {:#x}, got {:#x}", shown_try(opcode, columns, i), expected, results[i]);
  CHECK(difference == "");
}

}  // namespace

TEST_CASE("8-bit floating point is converted as cuda_fp8.h does it") {
  for (const auto format : {__NV_E4M3, __NV_E5M2}) {
    const std::string type = format == __NV_E4M3 ? "e4m3x2" : "e5m2x2";
    compare("cvt.rn.satfinite." + type + ".f32", [&](const Columns& in, std::size_t i) -> u64 {
      return __nv_cvt_float2_to_fp8x2(float2{single(in[1][i]), single(in[0][i])}, __NV_SATFINITE, format);
    });
    compare("cvt.rn.satfinite." + type + ".f16x2", [&](const Columns& in, std::size_t i) -> u64 {
      __half2_raw pair;
      pair.x = static_cast<unsigned short>(in[0][i]);
      pair.y = static_cast<unsigned short>(in[0][i] >> 16);
      return __nv_cvt_halfraw2_to_fp8x2(pair, __NV_SATFINITE, format);
    });
    compare("cvt.rn.f16x2." + type, [&](const Columns& in, std::size_t i) -> u64 {
      const auto pair = __nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(in[0][i]), format);
      return pair.x | static_cast<u64>(pair.y) << 16;
    });
  }
}

TEST_CASE("single precision becomes half precision and bfloat16 as cuda_fp16.h and cuda_bf16.h do it") {
  using In = const Columns&;
  compare("cvt.rn.f16.f32", [](In in, std::size_t i) { return bits_of(__float2half_rn(single(in[0][i]))); });
  compare("cvt.rz.f16.f32", [](In in, std::size_t i) { return bits_of(__float2half_rz(single(in[0][i]))); });
  compare("cvt.rm.f16.f32", [](In in, std::size_t i) { return bits_of(__float2half_rd(single(in[0][i]))); });
  compare("cvt.rp.f16.f32", [](In in, std::size_t i) { return bits_of(__float2half_ru(single(in[0][i]))); });
  compare("cvt.rn.bf16.f32", [](In in, std::size_t i) { return bits_of(__float2bfloat16_rn(single(in[0][i]))); });
  compare("cvt.rz.bf16.f32", [](In in, std::size_t i) { return bits_of(__float2bfloat16_rz(single(in[0][i]))); });
  compare("cvt.rm.bf16.f32", [](In in, std::size_t i) { return bits_of(__float2bfloat16_rd(single(in[0][i]))); });
  compare("cvt.rp.bf16.f32", [](In in, std::size_t i) { return bits_of(__float2bfloat16_ru(single(in[0][i]))); });
}

#endif
