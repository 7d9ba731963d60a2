#include "common/device/gpu/output_capture.h"

#include <unistd.h>

#include <cstdio>

#include "tests/catch.h"

namespace gpulab {
namespace {

TEST_CASE("what is printed while a scope is open is captured, in order, and taken once") {
  OutputCapture capture;
  {
    const OutputCapture::Scope outer(capture);
    std::printf("block %d\n", 3);
    std::fflush(stdout);
    std::fprintf(stderr, "kernels.cu:7: Assertion `x > 0` failed.\n");
    const OutputCapture::Scope inner(capture);
    std::printf("thread %d\n", 5);
  }
  CHECK(capture.take() == "block 3\nkernels.cu:7: Assertion `x > 0` failed.\nthread 5\n");
  CHECK(capture.take().empty());
}

TEST_CASE("a capture can be filled again after it was taken") {
  OutputCapture capture;
  for (const auto* text : {"first", "second"}) {
    {
      const OutputCapture::Scope scope(capture);
      std::printf("%s", text);
    }
    CHECK(capture.take() == text);
  }
}

TEST_CASE("stdout is what it was when the scope has closed") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  dup2(ends[1], STDOUT_FILENO);
  OutputCapture capture;
  {
    const OutputCapture::Scope scope(capture);
    std::printf("captured");
  }
  std::printf("shown");
  std::fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  char text[32] = {};
  CHECK(read(ends[0], text, sizeof text - 1) == 5);
  CHECK(std::string(text) == "shown");
  for (const int descriptor : {ends[0], ends[1], saved}) close(descriptor);
}

}  // namespace
}  // namespace gpulab
