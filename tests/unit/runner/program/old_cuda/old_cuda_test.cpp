// What `--old-cuda` makes of a program's words and texts.
#include "runner/program/old_cuda/old_cuda.h"

#include "tests/catch.h"

namespace gpulab {

using Words = std::vector<std::string>;

TEST_CASE("old standards of C++ become the one that thrust needs, and a library that is no more is left out") {
  CHECK(old_cuda_options({"-std=c++11", "-O2", "-lnvToolsExt"}) == Words{"-std=c++17", "-O2"});
  CHECK(old_cuda_options({"--std", "c++14", "-lm"}) == Words{"-std=c++17", "-lm"});
  CHECK(old_cuda_options({"-std=c++20", "-std", "c++17"}) == Words{"-std=c++20", "-std", "c++17"});
  CHECK(old_cuda_options({"-std"}) == Words{"-std"});
}

TEST_CASE("each name that is supplied is noted once, with its first line; comments and strings are no use") {
  const std::vector<SourceText> texts{
      {"a/scan.cu",
       "// __shfl(1, 2)\nchar s[] = \"cudaThreadExit()\";\nx = __shfl (v, 0) + __shfl(v, "
       "1);\np.clockRate;\nq->memoryType;"},
      {"b/more.cuh",
       "/* __any(1)\n */ __all(2) __shfl(v, 3); clockRate(); my__any(3); __any_sync(m, 1); texture<float> t;"}};
  CHECK(
      old_cuda_notes(texts) ==
      "gpulab: --old-cuda: scan.cu:3: __shfl, which left with CUDA 9 for GPUs of compute capability 7.0 and later, is "
      "__shfl_sync with __activemask()\n"
      "gpulab: --old-cuda: scan.cu:4: clockRate, which left cudaDeviceProp with CUDA 13, is the attribute "
      "cudaDevAttrClockRate\n"
      "gpulab: --old-cuda: scan.cu:5: memoryType, which left cudaPointerAttributes with CUDA 11, is the member type, "
      "managed "
      "memory being of the device\n"
      "gpulab: --old-cuda: more.cuh:2: __all, which left with CUDA 9 for GPUs of compute capability 7.0 and later, is "
      "__all_sync with __activemask()\n"
      "gpulab: --old-cuda: more.cuh:2: texture, which left with CUDA 12, as all texture references did, is a texture "
      "object "
      "in a __managed__ variable\n");
  CHECK(old_cuda_notes({}).empty());
}

TEST_CASE("a wait in a kernel is supplied where its text is; the host's is as it was") {
  const std::vector<SourceText> host{{"host.cu", "__global__ void k() {}\nint main() { cudaDeviceSynchronize(); }\n"}};
  CHECK(old_cuda_notes(host).empty());
  const std::vector<SourceText> kernel{{"kernel.cu",
                                        "__global__ void child();\n"
                                        "int main() { cudaDeviceSynchronize(); }\n"
                                        "__device__ void wait() { if (threadIdx.x == 0) { int x = 1; }\n"
                                        "  cudaDeviceSynchronize(); }\n"}};
  CHECK(old_cuda_notes(kernel) ==
        "gpulab: --old-cuda: kernel.cu:4: cudaDeviceSynchronize, which left kernels with CUDA 12, is a wait of the "
        "simulator's, as GPUs up to compute capability 8.9 had it\n");
}

}  // namespace gpulab
