// Kernels that launch kernels and wait for them, as nvcc 11 and its forerunners wrote them in PTX.
// long
// build: -lcuda
// case: :: 0
// out: ^1 2 3 4, together 10\nby CUDA 5's calls: 2 4 6 8, together 20\n$
// case: --sanitize all :: 0
// out: ^1 2 3 4, together 10\n
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <string>

static const char* const kPtx = R"(
.version 7.8
.target sm_80
.address_size 64
.extern .func (.param .b64 to) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 error) cudaLaunchDeviceV2(.param .b64 buffer, .param .b64 stream);
.extern .func (.param .b64 to) cudaGetParameterBuffer(.param .b64 alignment, .param .b64 bytes);
.extern .func (.param .b32 error) cudaLaunchDevice(.param .b64 f, .param .b64 buffer, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared, .param .b64 stream);
.extern .func (.param .b32 error) cudaDeviceSynchronize();

.visible .entry child(.param .u64 to, .param .u32 by)
{
  .reg .b64 %d<3>; .reg .b32 %r<4>;
  ld.param.u64 %d1, [to]; ld.param.u32 %r1, [by];
  cvta.to.global.u64 %d1, %d1;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d2, %r2, 4;
  add.s64 %d1, %d1, %d2;
  add.u32 %r2, %r2, 1;
  mul.lo.u32 %r2, %r2, %r1;
  st.global.u32 [%d1], %r2;
  ret;
}
.func (.param .b32 sum) add_up(.param .b64 from)
{
  .reg .b64 %d; .reg .b32 %r<5>;
  ld.param.u64 %d, [from];
  cvta.to.global.u64 %d, %d;
  ld.global.u32 %r1, [%d]; ld.global.u32 %r2, [%d+4]; ld.global.u32 %r3, [%d+8]; ld.global.u32 %r4, [%d+12];
  add.u32 %r1, %r1, %r2; add.u32 %r3, %r3, %r4; add.u32 %r1, %r1, %r3;
  st.param.b32 [sum], %r1;
  ret;
}
.visible .entry parent(.param .u64 to)
{
  .reg .b64 %d<5>; .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u64 %d1, [to];
  mov.u64 %d2, child;
  {
    .param .b64 f; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 shared; .param .b64 buffer;
    st.param.b64 [f], %d2;
    st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
    st.param.b32 [block], 4; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
    st.param.b32 [shared], 0;
    call.uni (buffer), cudaGetParameterBufferV2, (f, grid, block, shared);
    ld.param.b64 %d3, [buffer];
  }
  setp.eq.s64 %p, %d3, 0;
  @%p bra none;
  st.u64 [%d3], %d1; mov.u32 %r1, 1; st.u32 [%d3+8], %r1;
  {
    .param .b64 buffer; .param .b64 stream; .param .b32 error;
    st.param.b64 [buffer], %d3; st.param.b64 [stream], 0;
    call.uni (error), cudaLaunchDeviceV2, (buffer, stream);
  }
  { .param .b32 error; call.uni (error), cudaDeviceSynchronize, (); }
  { .param .b64 from; .param .b32 sum; st.param.b64 [from], %d1; call.uni (sum), add_up, (from); ld.param.b32 %r3, [sum]; }
  cvta.to.global.u64 %d4, %d1;
  st.global.u32 [%d4+16], %r3;
none:
  ret;
}
.visible .entry older_parent(.param .u64 to)
{
  .reg .b64 %d<5>; .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u64 %d1, [to];
  mov.u64 %d2, child;
  {
    .param .b64 alignment; .param .b64 bytes; .param .b64 buffer;
    st.param.b64 [alignment], 64; st.param.b64 [bytes], 12;
    call.uni (buffer), cudaGetParameterBuffer, (alignment, bytes);
    ld.param.b64 %d3, [buffer];
  }
  st.u64 [%d3], %d1; mov.u32 %r1, 2; st.u32 [%d3+8], %r1;
  {
    .param .b64 f; .param .b64 buffer; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 shared; .param .b64 stream; .param .b32 error;
    st.param.b64 [f], %d2; st.param.b64 [buffer], %d3;
    st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
    st.param.b32 [block], 4; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
    st.param.b32 [shared], 0; st.param.b64 [stream], 0;
    call.uni (error), cudaLaunchDevice, (f, buffer, grid, block, shared, stream);
  }
  { .param .b32 error; call.uni (error), cudaDeviceSynchronize, (); }
  { .param .b64 from; .param .b32 sum; st.param.b64 [from], %d1; call.uni (sum), add_up, (from); ld.param.b32 %r3, [sum]; }
  cvta.to.global.u64 %d4, %d1;
  st.global.u32 [%d4+16], %r3;
  ret;
}
)";

static void call(CUresult result, int line) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "?";
  cuGetErrorString(result, &text);
  std::printf("line %d: %s\n", line, text);
  std::exit(1);
}
#define CALL(x) call((x), __LINE__)

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUdeviceptr x;
  CALL(cuInit(0));
  CALL(cuDeviceGet(&device, 0));
  CALL(cuDevicePrimaryCtxRetain(&context, device));
  CALL(cuCtxSetCurrent(context));
  CALL(cuModuleLoadData(&module, kPtx));
  CALL(cuMemAlloc(&x, 5 * sizeof(int)));
  for (const char* name : {"parent", "older_parent"}) {
    CUfunction parent;
    int all[5];
    void* arguments[] = {&x};
    CALL(cuModuleGetFunction(&parent, module, name));
    CALL(cuLaunchKernel(parent, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    CALL(cuMemcpyDtoH(all, x, sizeof all));
    std::printf("%s%d %d %d %d, together %d\n", name[0] == 'o' ? "by CUDA 5's calls: " : "", all[0], all[1], all[2], all[3], all[4]);
  }
  CALL(cuMemFree(x));
}
