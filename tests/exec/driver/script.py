"""A script of Python that calls the driver's API by ctypes: no package is needed."""
import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")
PTX = b"""
.version 7.0
.target sm_75
.address_size 64
.visible .entry twice(.param .u64 to, .param .u32 at)
{
  .reg .b64 %d<4>; .reg .b32 %r<3>;
  ld.param.u64 %d1, [to]; ld.param.u32 %r1, [at];
  mul.wide.u32 %d2, %r1, 4;
  cvta.to.global.u64 %d1, %d1;
  add.s64 %d3, %d1, %d2;
  ld.global.u32 %r2, [%d3]; add.u32 %r2, %r2, %r2; st.global.u32 [%d3], %r2;
  ret;
}
"""


def check(result):
    if result != 0:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(result, ctypes.byref(name))
        print(name.value.decode())
        sys.exit(0)


def main(word):
    context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    memory, number = ctypes.c_uint64(), ctypes.c_uint32(21)
    check(cuda.cuInit(0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(cuda.cuCtxSetCurrent(context))
    check(cuda.cuModuleLoadData(ctypes.byref(module), PTX))
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"twice"))
    check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4)))
    check(cuda.cuMemcpyHtoD_v2(memory, ctypes.byref(number), ctypes.c_size_t(4)))
    at = ctypes.c_uint32(1000 if word == "beyond" else 0)
    arguments = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(at))
    check(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None))  # the launch
    check(cuda.cuMemcpyDtoH_v2(ctypes.byref(number), memory, ctypes.c_size_t(4)))
    print("twice 21 is", number.value)


main(sys.argv[1] if len(sys.argv) > 1 else "")
