#include "common/demangle.h"

#include <vector>

#include "common/error.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

TEST_CASE("a template kernel's name has no return type and no arguments") {
  CHECK(demangle("_Z11reduce_warpIf3SumEvPKT_PS1_i") == "void reduce_warp<float, Sum>(float const*, float*, int)");
  CHECK(kernel_name("_Z11reduce_warpIf3SumEvPKT_PS1_i") == "reduce_warp<float, Sum>");
  CHECK(kernel_name("_Z6unrollIiLi256EEvPKT_PS0_") == "unroll<int, 256>");
}

TEST_CASE("what Numba adds to a kernel's name is not shown, what a C++ compiler adds is") {
  CHECK(kernel_name("_ZN8__main__3addB2v1B9cw51cXTLSE5ArrayIfLi1E1C7mutable7alignedE") == "__main__::add");
  CHECK(demangle("_Z1fB5cxx11v") == "f[abi:cxx11]()");
}

TEST_CASE("a plain kernel, a namespace and a function pointer argument demangle") {
  CHECK(kernel_name("_Z5saxpyfPKfPfi") == "saxpy");
  CHECK(kernel_name("_ZN4lab55saxpyEfPKfPfi") == "lab5::saxpy");
  CHECK(kernel_name("_Z5applyPFiiEPi") == "apply");
  CHECK(kernel_name("_ZN12_GLOBAL__N_15saxpyEfPKfPfi") == "saxpy");
}

TEST_CASE("a name that is not mangled stays") {
  CHECK(kernel_name("saxpy") == "saxpy");
  CHECK(kernel_name("i") == "i");
  CHECK(kernel_name("") == "");
}

TEST_CASE("spaces and integer suffixes do not distinguish kernels, types do") {
  CHECK(same_kernel_name("unroll<int,256>", "unroll<int, 256u>"));
  CHECK(same_kernel_name("f<unsigned int, 8ul>", "f<unsigned int,8>"));
  CHECK_FALSE(same_kernel_name("f<unsigned int>", "f<unsignedint>"));
  CHECK_FALSE(same_kernel_name("f<float>", "f<double>"));
  CHECK_FALSE(same_kernel_name("unroll2", "unroll2u"));
}

const std::vector<std::string_view> entries = {"_Z11reduce_warpIf3SumEvPKT_PS1_i", "_Z11reduce_warpIi3SumEvPKT_PS1_i",
                                               "_Z6unrollIiLj256EEvPKT_PS0_", "plain"};

TEST_CASE("an entry is found by its mangled name, its C++ name, or an unambiguous template name") {
  CHECK(find_entry("_Z11reduce_warpIi3SumEvPKT_PS1_i", entries) == entries[1]);
  CHECK(find_entry("reduce_warp<float, Sum>", entries) == entries[0]);
  CHECK(find_entry("unroll<int, 256>", entries) == entries[2]);
  CHECK(find_entry("unroll", entries) == entries[2]);
  CHECK(find_entry("plain", entries) == entries[3]);
}

TEST_CASE("an unknown kernel is refused with its near misses") {
  try {
    (void)find_entry("reduce_wrap<int, Sum>", entries);
    FAIL("found a kernel that is not there");
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::usage);
    CHECK(std::string(error.what()) == "no kernel 'reduce_wrap<int, Sum>'");
    CHECK(error.hint == "there is 'reduce_warp<int, Sum>', 'reduce_warp<float, Sum>', 'unroll<int, 256u>', 'plain'");
  }
}

TEST_CASE("a template name with several instances is refused") {
  try {
    (void)find_entry("reduce_warp", entries);
    FAIL("chose one of two instances");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "'reduce_warp' is a template with 2 instances");
    CHECK(error.hint.find("'reduce_warp<int, Sum>'") != std::string::npos);
  }
}

}  // namespace
}  // namespace gpulab
