// The driver's API: a module of PTX, looked for by name, launched.
// build: -lcuda
// case: :: 0
// out: sum of 1000: right
// out: again by the buffer: right
// case: --sanitize all :: 0
// out: again by the buffer: right
// case: -- beyond :: 4
// out: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered
// err: out-of-bounds store of 4 bytes at 0x\w+, byte 400000 of 'cuMemAlloc #3', which has 4000 bytes in add
// err: cuMemAlloc #3 was allocated at vector_add.cu:@CHECK(cuMemAlloc(&c, bytes));@
// err: called by vector_add.cu:@CHECK(cuLaunchKernel(add, (n + 255)@ as CUDA_ERROR_ILLEGAL_ADDRESS, which the program was told
// case: -- unknown :: 0
// out: CUDA_ERROR_NOT_FOUND: named symbol not found
// err: api: cuModuleGetFunction: the module has no kernel 'sub'; it has 'add'
// case: -- syntax :: 0
// out: CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed
// out: log: ptxas application ptx input, line 7; error   : 
// err: api: cuModuleLoadDataEx: line 7 of the PTX is wrong
// case: -- unreadable :: 0
// out: CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid
// err: api: cuModuleLoadDataEx: what lies at this address is neither PTX nor a fat binary
// case: -- cubin :: 3
// err: error: unsupported: cuModuleLoadDataEx of machine code \(a cubin\), which only a GPU runs
// case: -- null_argument :: 0
// out: CUDA_ERROR_INVALID_VALUE
// err: api: cuLaunchKernel: argument 2 of add, of 8 bytes, is a null pointer in kernelParams
// case: -- uninitialized :: 0
// out: CUDA_ERROR_NOT_INITIALIZED: initialization error
// err: api: cuDeviceGetCount: cuInit was not called before
// case: -- no_context :: 0
// out: CUDA_ERROR_INVALID_CONTEXT: invalid device context
// err: api: cuMemAlloc: this thread has no current context
#include <cuda.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static const char* const ptx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n, .param .u32 beyond)
{
  .reg .pred %p; .reg .b32 %r<7>; .reg .b64 %d<9>; .reg .f32 %f<4>;
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c]; ld.param.u32 %r1, [n]; ld.param.u32 %r6, [beyond];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p, %r5, %r1;
  @%p bra done;
  cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2; cvta.to.global.u64 %d3, %d3;
  mul.wide.s32 %d4, %r5, 4;
  add.s64 %d5, %d1, %d4; add.s64 %d6, %d2, %d4; add.s64 %d7, %d3, %d4;
  ld.global.f32 %f1, [%d5]; ld.global.f32 %f2, [%d6];
  add.f32 %f3, %f1, %f2;
  mul.wide.s32 %d8, %r6, 4;
  add.s64 %d7, %d7, %d8;
  st.global.f32 [%d7], %f3;
done:
  ret;
}
)";

static void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  std::printf("%s: %s: %s\n", what, name, text);
  std::exit(0);
}
#define CHECK(call) check(call, #call)

int main(int argc, char** argv) {
  const char* word = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* one) { return std::strcmp(word, one) == 0; };
  int devices = 0;
  if (is("uninitialized")) CHECK(cuDeviceGetCount(&devices));
  CHECK(cuInit(0));
  CUdeviceptr a = 0, b = 0, c = 0;
  if (is("no_context")) CHECK(cuMemAlloc(&a, 4));
  CUdevice device = 0;
  CHECK(cuDeviceGet(&device, 0));
  CUcontext context = nullptr;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  char log[1000] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module = nullptr;
  std::string text = ptx;
  if (is("syntax")) text.replace(text.find("ld.param.u64 %d1, [a];"), 3, "ld param");
  const void* image = text.c_str();
  if (is("cubin")) image = "\x7f" "ELF and so on";
  if (is("unreadable")) {  // a page that ends with what looks like the begin of a text
    char* const pages = static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    munmap(pages + 4096, 4096);
    std::memset(pages, ' ', 4096);
    image = pages + 4000;
  }
  const CUresult loaded = cuModuleLoadDataEx(&module, image, 2, options, values);
  if (loaded != CUDA_SUCCESS) std::printf("log: %s\n", log);
  CHECK(loaded);
  CUfunction add = nullptr;
  CHECK(cuModuleGetFunction(&add, module, is("unknown") ? "sub" : "add"));

  int n = 1000, beyond = is("beyond") ? 100000 : 0;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i);
  const size_t bytes = n * sizeof(float);
  CHECK(cuMemAlloc(&a, bytes));
  CHECK(cuMemAlloc(&b, bytes));
  CHECK(cuMemAlloc(&c, bytes));
  CHECK(cuMemcpyHtoD(a, in.data(), bytes));
  CHECK(cuMemcpyHtoD(b, in.data(), bytes));
  void* arguments[] = {&a, is("null_argument") ? nullptr : &b, &c, &n, &beyond};
  CHECK(cuLaunchKernel(add, (n + 255) / 256, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(out.data(), c, bytes));
  const auto right = [&] {
    for (int i = 0; i < n; ++i)
      if (out[i] != 2 * in[i]) return "wrong";
    return "right";
  };
  std::printf("sum of %d: %s\n", n, right());

  CHECK(cuMemsetD32(c, 0xdeadbeef, n));
  struct {
    CUdeviceptr a, b, c;
    int n, beyond;
  } buffer{a, b, c, n, 0};
  size_t size = sizeof buffer;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(add, (n + 255) / 256, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
  CHECK(cuMemcpyDtoH(out.data(), c, bytes));
  std::printf("again by the buffer: %s\n", right());
  CHECK(cuMemFree(a));
  CHECK(cuMemFree(b));
  CHECK(cuMemFree(c));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
