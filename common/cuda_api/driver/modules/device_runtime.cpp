#include "common/cuda_api/driver/modules/device_runtime.h"

#include <algorithm>

namespace gpulab::cuda_api {
namespace {

/// A group's handle is its scope: the grid's is the only one whose threads can wait. Each block's first thread adds
/// to the word that the launch has for it (%envreg1 and 2: its address), the first block so much that the top bit
/// changes when all have come, which is what all wait for. Without a cooperative launch there is no such word:
/// cudaErrorInvalidValue.
constexpr const char* grids_that_wait = R"(.version 6.4
.target sm_70
.address_size 64
.visible .func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u32 %r1, [scope];
  cvt.u64.u32 %rd1, %r1;
  st.param.b64 [result], %rd1;
  ret;
}
.visible .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %p<5>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<2>;
  mov.u32 %r1, %envreg1;
  mov.u32 %r2, %envreg2;
  mov.b64 %rd1, {%r2, %r1};
  mov.u32 %r3, 1;
  setp.eq.u64 %p1, %rd1, 0;
  @%p1 bra $L_ends;
  bar.sync 0;
  mov.u32 %r4, %tid.x;
  mov.u32 %r5, %tid.y;
  mov.u32 %r6, %tid.z;
  or.b32 %r4, %r4, %r5;
  or.b32 %r4, %r4, %r6;
  setp.ne.u32 %p2, %r4, 0;
  @%p2 bra $L_others;
  mov.u32 %r7, %nctaid.x;
  mov.u32 %r8, %nctaid.y;
  mov.u32 %r9, %nctaid.z;
  mul.lo.u32 %r7, %r7, %r8;
  mul.lo.u32 %r7, %r7, %r9;
  mov.u32 %r10, %ctaid.x;
  mov.u32 %r11, %ctaid.y;
  mov.u32 %r12, %ctaid.z;
  or.b32 %r10, %r10, %r11;
  or.b32 %r10, %r10, %r12;
  setp.ne.u32 %p3, %r10, 0;
  mov.u32 %r13, 0x80000001;
  sub.u32 %r13, %r13, %r7;
  selp.b32 %r14, 1, %r13, %p3;
  atom.add.release.gpu.u32 %r15, [%rd1+4], %r14;
$L_again:
  ld.acquire.gpu.u32 %r16, [%rd1+4];
  xor.b32 %r17, %r16, %r15;
  setp.ge.s32 %p4, %r17, 0;
  @%p4 bra $L_again;
$L_others:
  bar.sync 0;
  mov.u32 %r3, 0;
$L_ends:
  st.param.b32 [result], %r3;
  ret;
}
)";

}  // namespace

void add_device_runtime(std::vector<std::string>& texts) {
  if (std::ranges::any_of(texts, [](const auto& text) { return text.find("cudaCG") != std::string::npos; }))
    texts.emplace_back(grids_that_wait);
}

}  // namespace gpulab::cuda_api
