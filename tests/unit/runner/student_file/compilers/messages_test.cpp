#include "runner/student_file/compilers/messages.h"

#include "tests/catch.h"

namespace gpulab {
namespace {

TEST_CASE("the first error of a compiler's output is found, whoever words it") {
  const auto nvcc = first_error(
      "k.cu(3): warning #177-D: variable \"x\" was declared\nlab/k.cu(17): error: expected a \";\"\nk.cu(20): error: "
      "b\n");
  REQUIRE(nvcc);
  CHECK(nvcc->file == "lab/k.cu");
  CHECK(nvcc->line == 17);
  CHECK(nvcc->text == "expected a \";\"");
  const auto numbered = first_error("k.cu(2): error #20: identifier \"y\" is undefined");
  REQUIRE(numbered);
  CHECK(numbered->text == "identifier \"y\" is undefined");
  const auto preprocessor = first_error("k.cu:1:10: fatal error: x.h: No such file or directory\n");
  REQUIRE(preprocessor);
  CHECK(preprocessor->line == 1);
  CHECK(preprocessor->text == "x.h: No such file or directory");
  const auto nvrtc = first_error("k.cu(1): catastrophic error: cannot open source file \"iostream\"");
  REQUIRE(nvrtc);
  CHECK(nvrtc->text == "cannot open source file \"iostream\"");
}

TEST_CASE("a file that the preprocessor may not open is named, though no line asks for it") {
  const auto error = unplaced_error("cc1plus: fatal error: /etc/passwd: Permission denied\ncompilation terminated.\n");
  REQUIRE(error);
  CHECK(error->text == "/etc/passwd: Permission denied");
  CHECK(error->line == 0);
  CHECK_FALSE(unplaced_error("k.cu:1: fatal error: x"));
  CHECK_FALSE(first_error("cc1plus: fatal error: /etc/passwd: Permission denied"));
}

TEST_CASE("output without an error has none") {
  CHECK_FALSE(first_error(""));
  CHECK_FALSE(first_error("k.cu(3): warning #177-D: unused\nnvcc fatal   : Unsupported gpu architecture"));
}

TEST_CASE("a compiler's program that met a limit of ours is told from one that was killed from outside") {
  for (const char* said : {"gcc: fatal error: CPU time limit exceeded signal terminated program cc1plus",
                           "nvcc error   : 'cicc' died due to signal 24 (CPU time limit exceeded)"}) {
    CHECK(limit_in(said) == "the CPU time that a compiler may take");
    CHECK_FALSE(was_killed(said));
  }
  for (const char* said : {"gcc: fatal error: Killed signal terminated program cc1plus",
                           "nvcc error   : 'cicc' died due to signal 9 (Kill signal)"}) {
    CHECK(limit_in(said).empty());
    CHECK(was_killed(said));
  }
}

}  // namespace
}  // namespace gpulab
