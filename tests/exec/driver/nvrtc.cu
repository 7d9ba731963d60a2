// NVRTC: the program asks for machine code and gets PTX, which loads.
// build: -lcuda -lnvrtc
// case: :: 0
// out: scaled: 21
// out: code: \.version
// err: scale
// case: -- beyond :: 4
// err: out-of-bounds load of 4 bytes at
// err: at \S*scale.cu:3
// case: -- wrong :: 0
// out: log: scale.cu\(3\): error: identifier "nothing" is undefined
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// Its third line stores.
static const char* const source = R"(extern "C" __global__ void scale(float* x, float by, int at)
{
  x[threadIdx.x + at] *= by;
}
)";

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  std::string text = source;
  if (word == "wrong") text.replace(text.find("= by"), 4, "= nothing");
  nvrtcProgram program = nullptr;
  nvrtcCreateProgram(&program, text.c_str(), "scale.cu", 0, nullptr, nullptr);
  const char* options[] = {"--gpu-architecture=sm_90"};
  if (nvrtcCompileProgram(program, 1, options) != NVRTC_SUCCESS) {
    size_t bytes = 0;
    nvrtcGetProgramLogSize(program, &bytes);
    std::vector<char> log(bytes);
    nvrtcGetProgramLog(program, log.data());
    std::printf("log: %s\n", log.data());
    return 0;
  }
  size_t bytes = 0;
  nvrtcGetCUBINSize(program, &bytes);
  std::vector<char> code(bytes);
  nvrtcGetCUBIN(program, code.data());
  nvrtcDestroyProgram(&program);
  std::printf("code: %.9s\n", std::strstr(code.data(), ".version"));
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction scale = nullptr;
  CUdeviceptr x = 0;
  cuInit(0);
  cuCtxCreate(&context, nullptr, 0, 0);
  cuModuleLoadData(&module, code.data());
  cuModuleGetFunction(&scale, module, "scale");
  cuMemAlloc(&x, 32 * sizeof(float));
  float value = 7, by = 3;
  int at = word == "beyond" ? 1000 : 0;
  cuMemsetD32(x, 0, 32);
  cuMemcpyHtoD(x, &value, sizeof value);
  void* arguments[] = {&x, &by, &at};
  cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
  if (cuMemcpyDtoH(&value, x, sizeof value) != CUDA_SUCCESS) return 4;
  std::printf("scaled: %g\n", value);
  cuMemFree(x);
  cuModuleUnload(module);
  cuCtxDestroy(context);
}
