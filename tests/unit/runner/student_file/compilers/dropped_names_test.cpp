// Errors of nvcc that speak of what CUDA has dropped.
#include "runner/student_file/compilers/dropped_names.h"

#include "runner/student_file/compilers/advice.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

std::string told(std::string_view log) {
  std::string all;
  for (const auto& sentence : advice_on(log, {})) all += sentence + "\n";
  return all;
}

}  // namespace

TEST_CASE("a field that left a struct is named once, at its first line, with what stands for it") {
  CHECK(told("a.cu(8): error: class \"cudaDeviceProp\" has no member \"clockRate\"\n"
             "a.cu(9): error: class \"cudaDeviceProp\" has no member \"clockRate\"\n"
             "a.cu(9): error: class \"cudaDeviceProp\" has no member \"clockRates\"\n") ==
        "a.cu:8: clockRate left cudaDeviceProp with CUDA 13: cudaDeviceGetAttribute(&kHz, cudaDevAttrClockRate, "
        "device)\n");
}

TEST_CASE("a kernel that waits for its children is not told to write __device__ before cudaDeviceSynchronize") {
  CHECK(told("a.cu(2): error: calling a __host__ function(\"cudaDeviceSynchronize\") from a __global__ function(\"k\") "
             "is not "
             "allowed\na.cu(2): error: identifier \"cudaDeviceSynchronize\" is undefined in device code\n") ==
        "a.cu:2: cudaDeviceSynchronize left kernels with CUDA 12: a kernel cannot wait for those that it launches: put "
        "what "
        "comes behind them into a kernel of its own that goes into the stream cudaStreamTailLaunch, or let the host "
        "launch "
        "both\n");
}

TEST_CASE("a call with too few arguments is known by the line that nvcc repeats") {
  const std::string error = "a.cu(4): error: too few arguments in function call\n";
  CHECK(
      told(error + "    cudaMemPrefetchAsync(m, 4, 0);\n").find("a.cu:4: cudaMemPrefetchAsync has had another form") ==
      0);
  CHECK(told(error + "    mine(m, 4, 0);\n").empty());
}

TEST_CASE("the host's compiler speaks of what was dropped in words of its own") {
  CHECK(
      told("a.cpp:8:9: error: 'struct cudaDeviceProp' has no member named 'clockRate'\n").find("a.cpp:8: clockRate") ==
      0);
  CHECK(told("a.cpp:8:9: error: 'cudaThreadSynchronize' was not declared in this scope\n")
            .find("a.cpp:8: cudaThreadSynchronize left with CUDA 13") == 0);
  CHECK(told("a.cpp:8:9: error: too few arguments to function 'CUresult cuCtxCreate_v4(CUctx_st**, int)'\n"
             "    8 |   cuCtxCreate(&context, 0, 0);\n")
            .find("a.cpp:8: cuCtxCreate has had another form up to CUDA 12") == 0);
  CHECK(told("a.cpp:8:9: error: could not convert 'd' from 'CUdevice' {aka 'int'} to 'CUmemLocation' {aka 'x'}\n")
            .find("a.cpp:8: CUmemLocation is what cuMemPrefetchAsync") == 0);
  CHECK(told("a.cpp:8:9: error: 'surfaces' was not declared in this scope\n").empty());
}

TEST_CASE("votes are known by the instruction that ptxas names") {
  CHECK(
      told(
          "ptxas a.ptx, line 40; error   : Instruction 'vote.ballot' without '.sync' is not supported on .target sm_70 "
          "and higher from PTX ISA version 6.4\n") ==
      "__ballot left with CUDA 9 for GPUs of compute capability 7.0 and later: __ballot_sync(mask, predicate)\n");
}

TEST_CASE("votes that ptxas does not name are those that nvcc has warned of") {
  const std::string error = "ptxas a.ptx, line 36; error   : Instruction 'vote' without '.sync' is not supported\n";
  CHECK(told("a.cu(7): warning #1444-D: function \"__any\" (declared at line 158 of b.h) was declared deprecated\n"
             "a.cu(9): warning #1444-D: function \"__anything\" was declared deprecated\n" +
             error + error) ==
        "a.cu:7: __any left with CUDA 9 for GPUs of compute capability 7.0 and later: __any_sync(mask, predicate)\n");
  CHECK(told(error).empty());
}

TEST_CASE("words of warnings and of other errors are no names that were dropped") {
  CHECK(told("a.cu(1): warning #1444-D: function \"__any\" was declared deprecated (\"vote\")\n"
             "a.cu(3): error: identifier \"texture_count\" is undefined\n"
             "a.cu(3): error: identifier \"cudaThreads\" is undefined\n")
            .empty());
}

TEST_CASE("every row of the table says since when and what stands for it") {
  for (const auto& row : dropped_names()) {
    CHECK(!row.name.empty());
    CHECK(!row.gone.empty());
    CHECK(!row.instead.empty());
  }
}

}  // namespace gpulab
