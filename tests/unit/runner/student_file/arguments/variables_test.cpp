#include "runner/student_file/arguments/variables.h"

#include "tests/catch.h"

namespace gpulab {
namespace {

const std::string ptx = R"(
.version 7.0
.target sm_52
.address_size 64
.const .align 4 .b8 table[16];
.const .align 4 .u32 _ZN2ns5limitE;
.const .align 4 .f32 known = 0f3F800000;
.global .align 4 .u32 counter;
.global .align 4 .b8 log[64];
.global .align 8 .f64 start;
.global .align 4 .u32 elsewhere;
.global .align 1 .b8 _ZN4cuda3std3__48in_placeE[1];
.func helper()
{
  .reg .f64 %d<2>;
  ld.global.f64 %d1, [start];
  ret;
}
.visible .entry k()
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  mov.u64 %rd1, table;
  add.s64 %rd2, %rd1, 4;
  ld.const.u32 %r1, [%rd2];
  ld.const.u32 %r2, [_ZN2ns5limitE];
  ld.const.u32 %r3, [known];
  atom.global.add.u32 %r4, [counter], 1;
  mov.u64 %rd3, log;
  st.global.u32 [%rd3+8], %r1;
  call helper, ();
  ret;
}
.visible .entry other()
{
  .reg .b32 %r<2>;
  ld.global.u32 %r1, [elsewhere];
  ret;
}
)";

TEST_CASE("variables of a file have their C++ names, and NVIDIA's own are left out") {
  const auto all = variables_of(ptx, "k.ptx", "k");
  REQUIRE(all.size() == 7);
  CHECK((all[0].name == "table" && all[0].bytes == 16 && all[0].constant && all[0].type == Scalar::u8));
  CHECK((all[1].name == "ns::limit" && all[1].symbol == "_ZN2ns5limitE" && all[1].type == Scalar::u32));
  CHECK((all[2].name == "known" && all[2].is_initialised && all[2].type == Scalar::f32));
  CHECK((all[3].name == "counter" && !all[3].constant));
}

TEST_CASE("a note says which the kernel reads though nothing sets them: not what it writes, counts, or never names") {
  const auto all = variables_of(ptx, "k.ptx", "k");
  const auto notes = unset_reads(all, {}, "k");
  REQUIRE(notes.size() == 3);
  CHECK(notes[0] ==
        "k reads __constant__ 'table' (16 bytes), which nothing sets: it is zero; --set "
        "'table:TYPE[COUNT]=INIT' sets it");
  CHECK(notes[1].starts_with("k reads __constant__ 'ns::limit' (4 bytes)"));
  CHECK(notes[2].starts_with("k reads __device__ 'start' (8 bytes)"));
  CHECK(unset_reads(all, {"table", "_ZN2ns5limitE", "start"}, "k").empty());
}

TEST_CASE("a body that does not parse has no notes: the launch says what is wrong with it") {
  const std::string text =
      ".version 7.0\n.target sm_52\n.address_size 64\n.const .u32 c;\n.entry k() { nonsense r; }\n";
  CHECK(variables_of(text, "k.ptx", "k").size() == 1);
}

}  // namespace
}  // namespace gpulab
