#include "runner/roofline/ceiling_kernels.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace gpulab {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint32_t threads = 256, blocks_per_sm = 8;  // all threads that an SM has room for
constexpr std::uint64_t memory_bytes = 512 * mebibyte;     ///< several times any L2
constexpr std::uint64_t l2_bytes = 4 * mebibyte;           ///< less than half of any L2 of the last ten years

std::string module(std::string_view version, std::string_view target, std::string_view entry,
                   std::string_view parameters, std::string_view body, std::string_view bounds = {}) {
  return fmt::format(".version {}\n.target {}\n.address_size 64\n\n.visible .entry {}({}){}\n{{\n{}  ret;\n}}\n",
                     version, target, entry, parameters, bounds, body);
}

constexpr std::string_view plain_version = "6.0", plain_target = "sm_53";

/// %r0: the thread's number in the grid; %rd0: the buffer; %rd1: where the thread's first 16 bytes lie.
constexpr std::string_view place = R"(  .reg .pred %p<2>;
  .reg .b32 %r<40>;
  .reg .b64 %rd<8>;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r0, %r0, %r1, %r2;
  ld.param.u64 %rd0, [data];
  cvta.to.global.u64 %rd0, %rd0;
  mul.wide.u32 %rd1, %r0, 16;
  add.u64 %rd1, %rd0, %rd1;
)";

std::string buffer(std::string_view name, std::uint64_t bytes) {
  return fmt::format("{}:u32[{}]=none", name, bytes / 4);
}

/// Four loads under way at a time, a grid apart. Used by a store that no thread comes to, so that they stay.
CeilingKernel read_memory() {
  constexpr std::uint32_t loads = 4;
  const std::uint64_t apart = memory_bytes / loads;
  std::string body(place);
  for (std::uint32_t i = 0; i < loads; ++i)
    body += fmt::format("  ld.global.nc.v4.u32 {{%r{}, %r{}, %r{}, %r{}}}, [%rd1+{}];\n", 4 * i + 4, 4 * i + 5,
                        4 * i + 6, 4 * i + 7, i * apart);
  for (std::uint32_t i = 5; i < 4 + 4 * loads; ++i) body += fmt::format("  xor.b32 %r4, %r4, %r{};\n", i);
  body += "  setp.eq.u32 %p0, %r4, 305419896;\n  @%p0 st.global.u32 [%rd1], %r4;\n";
  return {"memory",
          "GB/s",
          "reads 512 MiB, 64 bytes a thread",
          module(plain_version, plain_target, "read", ".param .u64 data", body),
          "read",
          {buffer("data", memory_bytes)},
          {std::uint32_t(memory_bytes / 16 / loads / threads)},
          {threads},
          double(memory_bytes)};
}

CeilingKernel copy_memory() {
  std::string body(place);
  body += R"(  ld.param.u64 %rd2, [to];
  cvta.to.global.u64 %rd2, %rd2;
  mul.wide.u32 %rd3, %r0, 16;
  add.u64 %rd2, %rd2, %rd3;
  ld.global.nc.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1];
  st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7};
)";
  return {"memory copy",
          "GB/s",
          "copies 512 MiB, 16 bytes a thread",
          module(plain_version, plain_target, "copy", ".param .u64 data, .param .u64 to", body),
          "copy",
          {buffer("data", memory_bytes), buffer("to", memory_bytes)},
          {std::uint32_t(memory_bytes / 16 / threads)},
          {threads},
          2.0 * memory_bytes};
}

/// Every block reads the same few megabytes, past L1.
CeilingKernel read_l2(std::uint32_t blocks) {
  constexpr std::uint32_t rounds = 128, loads = 4;
  const std::uint64_t pass = threads * 16 * loads;  // of a block
  std::string body(place);
  // Blocks start apart from each other, and go round.
  body += fmt::format(R"(  mov.u32 %r3, %ctaid.x;
  mul.lo.u32 %r3, %r3, {0};
  mad.lo.u32 %r3, %r2, 16, %r3;
  mov.u32 %r30, 0;
  mov.u32 %r31, 0;
round:
  and.b32 %r32, %r3, {1};
  cvt.u64.u32 %rd2, %r32;
  add.u64 %rd2, %rd0, %rd2;
)",
                      pass, l2_bytes - 1);
  for (std::uint32_t i = 0; i < loads; ++i)
    body += fmt::format("  ld.global.cg.v4.u32 {{%r{}, %r{}, %r{}, %r{}}}, [%rd2+{}];\n", 4 * i + 4, 4 * i + 5,
                        4 * i + 6, 4 * i + 7, i * threads * 16);
  for (std::uint32_t i = 4; i < 4 + 4 * loads; ++i) body += fmt::format("  xor.b32 %r31, %r31, %r{};\n", i);
  body += fmt::format(R"(  add.u32 %r3, %r3, {};
  add.u32 %r30, %r30, 1;
  setp.lt.u32 %p0, %r30, {};
  @%p0 bra round;
  setp.eq.u32 %p1, %r31, 305419896;
  @%p1 st.global.u32 [%rd0], %r31;
)",
                      pass, rounds);
  return {"L2",
          "GB/s",
          fmt::format("reads {} MiB again and again, past L1", l2_bytes / mebibyte),
          module(plain_version, plain_target, "read_l2", ".param .u64 data", body),
          "read_l2",
          {buffer("data", l2_bytes + pass)},
          {blocks},
          {threads},
          double(blocks) * double(pass) * rounds};
}

/// 16 bytes a lane without conflicts: four wavefronts of 128 bytes. Volatile, and each of a round from words of its
/// own: of two volatile loads of one word in a round ptxas drops one.
CeilingKernel read_shared(std::uint32_t blocks) {
  constexpr std::uint32_t rounds = 2048, loads = 4;
  std::string body = "  .shared .align 16 .b8 words[16384];\n" + std::string(place);
  body += "  mov.u32 %r3, words;\n  mad.lo.u32 %r3, %r2, 16, %r3;\n  mov.u32 %r30, 0;\nround:\n";
  for (std::uint32_t i = 0; i < loads; ++i)
    body += fmt::format("  ld.volatile.shared.v4.u32 {{%r{}, %r{}, %r{}, %r{}}}, [%r3+{}];\n", 4 * i + 4, 4 * i + 5,
                        4 * i + 6, 4 * i + 7, i * threads * 16);
  body += fmt::format("  add.u32 %r30, %r30, 1;\n  setp.lt.u32 %p0, %r30, {};\n  @%p0 bra round;\n", rounds);
  return {"shared",
          "GB/s",
          "reads shared memory, 16 bytes a lane",
          module(plain_version, plain_target, "read_shared", ".param .u64 data", body, " .maxnreg 64"),
          "read_shared",
          {buffer("data", 4096)},
          {blocks},
          {threads},
          double(blocks) * threads * rounds * loads * 16};
}

/// How a multiply-add of one type is written.
struct Arithmetic {
  const char *ceiling, *what, *type, *bits, *half;
  const char* from_u32;  ///< what makes a start of a chain
  int lanes;             ///< results of one instruction
  std::uint32_t rounds;
};

/// Sixteen chains a thread, so that each has its result before it goes on.
CeilingKernel multiply_add(const Arithmetic& of, std::uint32_t blocks) {
  constexpr std::uint32_t chains = 16, unrolled = 4;
  std::string body(place);
  body += fmt::format("  .reg .{0} %a<{1}>, %b;\n  mov.{0} %b, {2};\n", of.bits, chains, of.half);
  // Two pipes of an SM multiply pairs of halves, and ptxas gives work to both where it does not know the factor: the
  // thread's number is below 2^31.
  if (of.lanes == 2) body += "  shr.u32 %r4, %r0, 31;\n  xor.b32 %b, %b, %r4;\n";
  // Each chain starts elsewhere, or a compiler would make one of all.
  for (std::uint32_t i = 0; i < chains; ++i)
    body += fmt::format("  add.u32 %r4, %r0, {};\n  {} %a{}, %r4;\n", i + 1, of.from_u32, i);
  body += "  mov.u32 %r30, 0;\nround:\n";
  for (std::uint32_t i = 0; i < chains * unrolled; ++i)
    body += fmt::format("  fma.rn.{0} %a{1}, %a{1}, %b, %b;\n", of.type, i % chains);
  body += fmt::format("  add.u32 %r30, %r30, 1;\n  setp.lt.u32 %p0, %r30, {};\n  @%p0 bra round;\n", of.rounds);
  for (std::uint32_t i = 1; i < chains; ++i) body += fmt::format("  fma.rn.{0} %a0, %a0, %b, %a{1};\n", of.type, i);
  // The sums are never all zeros.
  const bool is_wide = std::string_view(of.bits) == "b64";
  body += fmt::format("  setp.eq.{0} %p1, %a0, 0;\n  @%p1 st.global.{1} [%rd0], %a0;\n", is_wide ? "b64" : "b32",
                      is_wide ? "b64" : "b32");
  return {of.ceiling,
          "GFLOP/s",
          of.what,
          module(plain_version, plain_target, "multiply_add", ".param .u64 data", body),
          "multiply_add",
          {buffer("data", 4096)},
          {blocks},
          {threads},
          2.0 * of.lanes * double(blocks) * threads * of.rounds * chains * unrolled};
}

/// Tensor cores by a warp's own instruction: 16 x 8 x 16 in bf16, sums in floats.
CeilingKernel tensor_by_warps(std::uint32_t blocks) {
  constexpr std::uint32_t rounds = 2048, chains = 6, warps = threads / 32;
  std::string body(place);
  body += fmt::format("  .reg .b32 %s<{}>;\n", 4 * chains);
  for (std::uint32_t i = 0; i < 4 * chains; ++i) body += fmt::format("  mov.b32 %s{}, 0;\n", i);
  for (std::uint32_t i = 4; i < 10; ++i) body += fmt::format("  mov.b32 %r{}, 0;\n", i);
  body += "  mov.u32 %r30, 0;\nround:\n";
  for (std::uint32_t i = 0; i < chains; ++i)
    body += fmt::format(
        "  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {{%s{0}, %s{1}, %s{2}, %s{3}}}, {{%r4, %r5, %r6, %r7}}, "
        "{{%r8, %r9}}, {{%s{0}, %s{1}, %s{2}, %s{3}}};\n",
        4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
  body += fmt::format("  add.u32 %r30, %r30, 1;\n  setp.lt.u32 %p0, %r30, {};\n  @%p0 bra round;\n", rounds);
  for (std::uint32_t i = 1; i < 4 * chains; ++i) body += fmt::format("  or.b32 %s0, %s0, %s{};\n", i);
  body += "  setp.eq.u32 %p1, %s0, 305419896;\n  @%p1 st.global.u32 [%rd0], %s0;\n";
  return {"tensor bf16",
          "GFLOP/s",
          "multiplies 16 x 8 x 16 in bf16, a warp each (mma)",
          module("7.0", "sm_80", "tensor", ".param .u64 data", body),
          "tensor",
          {buffer("data", 4096)},
          {blocks},
          {threads},
          2.0 * 16 * 8 * 16 * double(blocks) * warps * rounds * chains};
}

/// Tensor cores of compute capability 9.0: four warps multiply 64 x 256 x 16 in bf16 that lie in shared memory.
CeilingKernel tensor_by_warp_groups(std::uint32_t sms) {
  constexpr std::uint32_t rounds = 512, sums = 128;
  std::string body = "  .shared .align 1024 .b8 tiles[40960];\n" + std::string(place);
  body += fmt::format("  .reg .b32 %s<{}>;\n", sums);
  for (std::uint32_t i = 0; i < sums; ++i) body += fmt::format("  mov.b32 %s{}, 0;\n", i);
  // Zeros in both operands: what a tile holds is no matter, but that it is no NaN.
  body += R"(  mov.u32 %r3, tiles;
  mad.lo.u32 %r4, %r2, 4, %r3;
  mov.u32 %r30, 0;
clear:
  st.shared.u32 [%r4], 0;
  add.u32 %r4, %r4, 1024;
  add.u32 %r30, %r30, 1;
  setp.lt.u32 %p0, %r30, 40;
  @%p0 bra clear;
  bar.sync 0;
  fence.proxy.async;
  cvt.u64.u32 %rd2, %r3;
  shr.u64 %rd2, %rd2, 4;
  and.b64 %rd2, %rd2, 16383;
  or.b64 %rd2, %rd2, 4611686293305360384;
  add.u64 %rd3, %rd2, 512;
  mov.u32 %r30, 0;
  wgmma.fence.sync.aligned;
round:
)";
  std::string list;
  for (std::uint32_t i = 0; i < sums; ++i) list += fmt::format("{}%s{}", i == 0 ? "" : ", ", i);
  for (int i = 0; i < 8; ++i)
    body += fmt::format("  wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {{{}}}, %rd2, %rd3, 1, 1, 1, 0, 0;\n",
                        list);
  body += fmt::format(R"(  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  add.u32 %r30, %r30, 1;
  setp.lt.u32 %p0, %r30, {};
  @%p0 bra round;
)",
                      rounds);
  for (std::uint32_t i = 1; i < sums; ++i) body += fmt::format("  or.b32 %s0, %s0, %s{};\n", i);
  body += "  setp.eq.u32 %p1, %s0, 305419896;\n  @%p1 st.global.u32 [%rd0], %s0;\n";
  constexpr std::uint32_t group = 128, groups = 2;
  return {"tensor bf16",
          "GFLOP/s",
          "multiplies 64 x 256 x 16 in bf16, four warps each (wgmma)",
          module("8.0", "sm_90a", "tensor", ".param .u64 data", body),
          "tensor",
          {buffer("data", 4096)},
          {sms},
          {group * groups},
          2.0 * 64 * 256 * 16 * double(sms) * groups * rounds * 8};
}

}  // namespace

std::vector<CeilingKernel> ceiling_kernels(int compute_capability, int sm_count) {
  const auto sms = static_cast<std::uint32_t>(sm_count), blocks = sms * blocks_per_sm;
  std::vector<CeilingKernel> all{read_memory(), copy_memory(), read_l2(blocks), read_shared(blocks)};
  all.push_back(
      multiply_add({"fp32", "multiply-adds of floats", "f32", "b32", "0f3F000000", "cvt.rn.f32.u32", 1, 1024}, blocks));
  all.push_back(multiply_add(
      {"fp64", "multiply-adds of doubles", "f64", "b64", "0d3FE0000000000000", "cvt.rn.f64.u32", 1, 256}, blocks));
  all.push_back(multiply_add(
      {"fp16", "multiply-adds of pairs of halves", "f16x2", "b32", "0x38003800", "mov.b32", 2, 1024}, blocks));
  if (compute_capability == 90)
    all.push_back(tensor_by_warp_groups(sms));
  else if (compute_capability >= 80)
    all.push_back(tensor_by_warps(blocks));
  all.push_back({"launch",
                 "us",
                 "an empty kernel of one block between two events",
                 module(plain_version, plain_target, "nothing", ".param .u64 data", ""),
                 "nothing",
                 {buffer("data", 4096)},
                 {1},
                 {32},
                 0});
  return all;
}

}  // namespace gpulab
