#include "common/simt/isa/special_registers.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/on_simulator.h"

using namespace gpulab;
using namespace gpulab::tests;

namespace {

constexpr Dim3 grid{3, 2, 2}, block{5, 7, 2};  // 12 blocks of 70 threads: the third warp has 6
constexpr std::uint32_t threads = 70, blocks = 12;

/// Each thread stores the register as 32 bits, and as 64 behind it.
std::string kernel_reading(const std::string& name) {
  return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {{
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  mov.u32 %r1, %ctaid.z;
  mad.lo.u32 %r1, %r1, 2, %ctaid.y;
  mad.lo.u32 %r1, %r1, 3, %ctaid.x;
  mov.u32 %r2, %tid.z;
  mad.lo.u32 %r2, %r2, 7, %tid.y;
  mad.lo.u32 %r2, %r2, 5, %tid.x;
  mad.lo.u32 %r3, %r1, {}, %r2;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r3, 16;
  add.u64 %rd1, %rd1, %rd2;
  mov.u32 %r4, {};
  cvt.u64.u32 %rd3, %r4;
  mov.u64 %rd4, {};
  st.global.u64 [%rd1], %rd3;
  st.global.u64 [%rd1+8], %rd4;
  ret;
}}
)",
                     threads, name, name);
}

/// A name that the row stands for.
std::string spelt(const simt::SpecialRegister& row) {
  std::string name(row.name);
  if (name == "%envreg*") return "%envreg3";
  if (name.ends_with('*')) name.pop_back();
  return name;
}

std::vector<std::uint64_t> read_by_all(const std::string& name) {
  const std::string ptx = kernel_reading(name);
  const auto device = make_simulator(gpu_profile("h200"), {.threads = 1});
  device->load({"special.ptx", ptx, {}});
  const auto out = upload(*device, std::vector<std::uint64_t>(2 * threads * blocks), "out");
  launch(*device, "k", {grid, block, 96, false}, out);
  return read_values<std::uint64_t>(*device, out, 2 * threads * blocks);
}

struct Thread {
  std::uint32_t block, linear;
  [[nodiscard]] Dim3 tid() const { return {linear % 5, linear / 5 % 7, linear / 35}; }
  [[nodiscard]] Dim3 ctaid() const { return {block % 3, block / 3 % 2, block / 6}; }
  [[nodiscard]] std::uint32_t lane() const { return linear % 32; }
};

const std::map<std::string, std::function<std::uint64_t(const Thread&)>> expected{
    {"%tid.x", [](const Thread& t) { return t.tid().x; }},
    {"%tid.y", [](const Thread& t) { return t.tid().y; }},
    {"%tid.z", [](const Thread& t) { return t.tid().z; }},
    {"%ntid.x", [](const Thread&) { return 5; }},
    {"%ntid.y", [](const Thread&) { return 7; }},
    {"%ntid.z", [](const Thread&) { return 2; }},
    {"%ctaid.x", [](const Thread& t) { return t.ctaid().x; }},
    {"%ctaid.y", [](const Thread& t) { return t.ctaid().y; }},
    {"%ctaid.z", [](const Thread& t) { return t.ctaid().z; }},
    {"%nctaid.x", [](const Thread&) { return 3; }},
    {"%nctaid.y", [](const Thread&) { return 2; }},
    {"%nctaid.z", [](const Thread&) { return 2; }},
    {"%clusterid.y", [](const Thread& t) { return t.ctaid().y; }},
    {"%nclusterid.x", [](const Thread&) { return 3; }},
    {"%cluster_ctaid.x", [](const Thread&) { return 0; }},
    {"%cluster_nctaid.x", [](const Thread&) { return 1; }},
    {"%cluster_nctarank", [](const Thread&) { return 1; }},
    {"%cluster_ctarank", [](const Thread&) { return 0; }},
    {"%is_explicit_cluster", [](const Thread&) { return 0; }},
    {"%laneid", [](const Thread& t) { return t.lane(); }},
    {"%warpid", [](const Thread& t) { return t.linear / 32; }},
    {"%nwarpid", [](const Thread&) { return 3; }},
    {"WARP_SZ", [](const Thread&) { return 32; }},
    {"%lanemask_eq", [](const Thread& t) { return 1u << t.lane(); }},
    {"%lanemask_lt", [](const Thread& t) { return (1u << t.lane()) - 1; }},
    {"%lanemask_le", [](const Thread& t) { return ((1u << t.lane()) - 1) | 1u << t.lane(); }},
    {"%lanemask_gt", [](const Thread& t) { return 0xfffffffeu << t.lane(); }},
    {"%lanemask_ge", [](const Thread& t) { return 0xffffffffu << t.lane(); }},
    {"%smid", [](const Thread& t) { return t.block % 132; }},
    {"%nsmid", [](const Thread&) { return 132; }},
    {"%gridid", [](const Thread&) { return 0; }},
    {"%dynamic_smem_size", [](const Thread&) { return 96; }},
    {"%total_smem_size", [](const Thread&) { return 96; }},
    {"%envreg3", [](const Thread&) { return 0; }},
};

}  // namespace

TEST_CASE("special registers are found by their names, and by endings that a row leaves open") {
  std::set<std::string_view> names;
  for (const auto& row : simt::special_registers()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(simt::find_special_register(spelt(row)) == &row);
  }
  CHECK(simt::find_special_register("%envreg2") != simt::find_special_register("%envreg31"));
  CHECK(simt::find_special_register("%tid") == nullptr);
  CHECK(simt::find_special_register("%tid.w") == nullptr);
  CHECK(simt::find_special_register("%clock65") == nullptr);
}

TEST_CASE("a row of the table is all that a kernel needs to read a special register, as 32 and as 64 bits") {
  std::set<std::string> seen;
  for (const auto& row : simt::special_registers()) {
    const std::string name = spelt(row);
    CAPTURE(name);
    const auto values = read_by_all(name);
    if (row.scope == simt::SpecialRegister::Scope::read) continue;  // device_runtime_test.cpp: they advance
    const auto known = expected.find(name);
    seen.insert(name);
    for (std::uint32_t i = 0; i < threads * blocks; ++i) {
      REQUIRE(values[2 * i] == (values[2 * i + 1] & 0xffffffffu));
      if (known != expected.end()) REQUIRE(values[2 * i + 1] == known->second({i / threads, i % threads}));
    }
  }
  for (const auto& [name, value] : expected) CHECK(seen.contains(name));
}

TEST_CASE("a clock does not go back from one instruction to the next, its halves are those of the whole") {
  const auto low = read_by_all("%clock"), high = read_by_all("%clock_hi"), all = read_by_all("%clock64");
  CHECK(all[1] >= all[0]);  // it advances from one basic block to the next (device_runtime_test.cpp)
  CHECK(all[0] == low[0]);
  CHECK(high[0] == 0);
  CHECK(high[1] == 0);
}
