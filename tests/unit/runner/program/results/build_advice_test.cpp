#include "runner/program/results/build_advice.h"

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("where nccl.h is not there, the wheel that has it is named") {
  CHECK(
      advice_on_build("a.cu:1:10: fatal error: nccl.h: No such file or directory", {}, false) ==
      "  hint: nccl.h is NVIDIA's, and not the toolkit's: 'pip install nvidia-nccl-cu13' (-cu12 for CUDA 12) brings it "
      "into an active environment, where it is found; of another place name the folder by -I\n");
  CHECK(advice_on_build("a.cu:1:10: fatal error: mine.h: No such file or directory", {}, false).empty());
}
