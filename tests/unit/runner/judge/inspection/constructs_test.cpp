#include "runner/judge/inspection/constructs.h"

#include "tests/catch.h"

using namespace gpulab;

namespace {

using Names = std::vector<std::string>;

std::string entry(const std::string& name, const std::string& body) {
  return ".version 8.0\n.target sm_75\n.visible .entry " + name + "(\n .param .u64 p\n)\n{\n" + body + "\nret;\n}\n";
}

}  // namespace

TEST_CASE("constructs are those of the entry's own instructions") {
  CHECK(constructs_of(entry("k", "bar.sync 0;\nst.shared.u32 [s], %r1;"), "k") == Names{"barriers", "shared_memory"});
  CHECK(constructs_of(entry("k", "@%p1 atom.global.add.u32 %r1, [%rd1], 1;"), "k") == Names{"atomics"});
  CHECK(constructs_of(entry("k", "{ ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]; }"), "k") == Names{"vector_loads"});
  CHECK(constructs_of(entry("k", "add.f64 %fd1, %fd1, %fd1;"), "k") == Names{"double_precision"});
  CHECK(constructs_of(entry("k", ""), "k").empty());
  CHECK(constructs_of(entry("k", "bar.sync 0;"), "other").empty());
}

TEST_CASE("what another kernel has, and what stands in comments, is nobody's") {
  CHECK(constructs_of(entry("other", "bar.sync 0;") + entry("k", "// bar.sync 0;\n/* shfl.sync */"), "k").empty());
  CHECK(constructs_of(entry("k", ".file 1 \"bar.sync.cu\""), "k").empty());
}

TEST_CASE("functions that the entry calls count, also those that call themselves") {
  const std::string function =
      ".func (.param .b32 r) helper(.param .b32 a)\n{\ncall (r), helper, (a);\nshfl.sync.down.b32 a;\n}\n";
  CHECK(constructs_of(function + entry("k", "call.uni (r), helper, (a);"), "k") == Names{"shuffles"});
  CHECK(constructs_of(function + entry("k", ""), "k").empty());
}

TEST_CASE("text that is no PTX has no constructs and ends") {
  for (const auto* text :
       {"", "{", "}", ".entry", ".entry k", ".entry k(", ".entry k({{{", "/*", "\"", ".func .func .entry k {bar.sync"})
    (void)constructs_of(text, "k");
  SUCCEED();
}
