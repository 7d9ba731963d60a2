#!/usr/bin/env python3
"""What this GPU reaches, measured without gpulab: the CUDA driver by ctypes, kernels of its own, medians of 31 by events after
five turns unmeasured. `measuring.py` holds gpulab's ceilings to it where nobody has published a table of that GPU.

What an empty launch takes differs from process to process: in twelve of them on one H100 (driver 580) medians of 300 were 3.04 to
3.23 us, and of 64 launches in a row each further one took 1.64 to 1.87 us, so that longer spans agree no better. In some processes it
has two levels (2.94 and 3.14 us). What two tools can agree on is the least: of 31, and of several processes.

usage: other_means.py [launch]    prints a JSON object: the names of gpulab's ceilings, in GB/s, GFLOP/s and microseconds
"""
import ctypes
import json
import statistics
import sys

HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n"
THREADS = 256
START = """.visible .entry f(.param .u64 from, .param .u64 to)
{
  .reg .pred %p;
  .reg .b32 %r<64>;
  .reg .f32 %f<64>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [from];
  ld.param.u64 %rd1, [to];
  cvta.to.global.u64 %rd0, %rd0;
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
"""


def four(name, first):
    return "{" + ", ".join(f"%{name}{first + i}" for i in range(4)) + "}"


def moves(each, copies):
    """A block takes `each` rows of 256 float4, one below the other; reads are added up, and stored where no sum is."""
    lines = [f"  mad.lo.u32 %r2, %r1, {THREADS * each}, %r0;", "  mul.wide.u32 %rd2, %r2, 16;", "  add.u64 %rd0, %rd0, %rd2;",
             "  add.u64 %rd1, %rd1, %rd2;"]
    lines += [f"  ld.global.v4.f32 {four('f', 4 * i)}, [%rd0+{i * THREADS * 16}];" for i in range(each)]
    if copies:
        lines += [f"  st.global.v4.f32 [%rd1+{i * THREADS * 16}], {four('f', 4 * i)};" for i in range(each)]
    else:
        lines += [f"  add.f32 %f0, %f0, %f{i};" for i in range(1, 4 * each)]
        lines += ["  setp.eq.f32 %p, %f0, 0f42280000;", "  @%p st.global.f32 [%rd1], %f0;"]
    return lines


def rounds(count, inner, last):
    return ["  mov.u32 %r3, 0;", "again:", *inner, "  add.u32 %r3, %r3, 1;", f"  setp.lt.u32 %p, %r3, {count};", "  @%p bra again;", *last]


def shared_reads(count):
    """Four float4 a round; what is read chooses nothing, so the loads are volatile."""
    before = ["  .shared .align 16 .b8 tile[16384];", "  mov.u32 %r4, tile;", "  mad.lo.u32 %r4, %r0, 16, %r4;"]
    return before + rounds(count, [f"  ld.volatile.shared.v4.f32 {four('f', 4 * i)}, [%r4+{i * 4096}];" for i in range(4)], [])


def multiply_adds_of_halves(count):
    """Two a lane. The factor is 0.5 twice, as nobody knows before the kernel runs: %r0 is below 1024."""
    before = ["  shr.u32 %r2, %r0, 10;", "  xor.b32 %r2, %r2, 0x38003800;", *(f"  add.u32 %r{i}, %r0, {i};" for i in range(8, 40))]
    inner = [f"  fma.rn.f16x2 %r{i}, %r{i}, %r2, %r2;" for i in range(8, 40)] * 2
    last = [f"  xor.b32 %r8, %r8, %r{i};" for i in range(9, 40)]
    return before + rounds(count, inner, last + ["  setp.eq.u32 %p, %r8, 42;", "  @%p st.global.u32 [%rd1], %r8;"])


def multiply_adds(count):
    """32 chains a thread, each from another start."""
    before = ["  cvt.rn.f32.u32 %f0, %r0;", *(f"  add.f32 %f{i}, %f{i - 1}, 0f3F800000;" for i in range(1, 32))]
    inner = [f"  fma.rn.f32 %f{i}, %f{i}, 0f3F000000, 0f3F400000;" for i in range(32)] * 2
    last = [f"  fma.rn.f32 %f0, %f0, 0f3F000000, %f{i};" for i in range(1, 32)]
    return before + rounds(count, inner, last + ["  setp.eq.f32 %p, %f0, 0f42280000;", "  @%p st.global.f32 [%rd1], %f0;"])


class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
        sms = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(sms), 16, device)
        self.sms = sms.value
        self.events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in self.events:
            self.call("cuEventCreate", ctypes.byref(event), 0)

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name}: CUresult {code}")

    def memory(self, count):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(count))
        self.call("cuMemsetD8_v2", pointer, ctypes.c_ubyte(0), ctypes.c_size_t(count))
        return pointer

    def seconds(self, work, before=lambda: None, of_all=statistics.median):
        """`before` is what the GPU is busy with while the host hands it events and work."""
        taken = []
        for turn in range(36):
            before()
            self.call("cuEventRecord", self.events[0], None)
            work()
            self.call("cuEventRecord", self.events[1], None)
            self.call("cuEventSynchronize", self.events[1])
            ms = ctypes.c_float()
            self.call("cuEventElapsedTime", ctypes.byref(ms), *self.events)
            taken.append(ms.value / 1000)
        return of_all(taken[5:])

    def kernel(self, body, blocks, source, target, threads=THREADS):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        text = HEAD + START + "\n".join(body) + "\n  ret;\n}\n"
        self.call("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"f")
        pointers = (ctypes.c_void_p * 2)(*(ctypes.cast(ctypes.byref(one), ctypes.c_void_p) for one in (source, target)))
        return lambda: self.call("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, 0, None, pointers, None)


def launches(gpu):
    memory = gpu.memory(1 << 20)
    empty, busy = gpu.kernel([], 1, memory, memory, 32), gpu.kernel(multiply_adds(1024), 8 * gpu.sms, memory, memory)
    return {"launch": 1e6 * gpu.seconds(empty, busy, min), "launch on an idle GPU": 1e6 * gpu.seconds(empty)}


def main(only):
    gpu = Gpu()
    if only == "launch":
        print(json.dumps(launches(gpu)))
        return
    size = 1 << 30  # bytes, of each array
    source, target = gpu.memory(size), gpu.memory(size)
    rows = size // (16 * THREADS)
    blocks = 8 * gpu.sms

    def rate(work, body, count):
        return work / gpu.seconds(gpu.kernel(body, count, source, target)) / 1e9

    threads = blocks * THREADS
    print(json.dumps({
        "memory": max(rate(size, moves(each, False), rows // each) for each in (1, 2, 4, 8)),
        "memory copy": max(rate(2 * size, moves(each, True), rows // each) for each in (1, 2, 4)),
        "copy by the driver": 2 * size / 1e9 / gpu.seconds(
            lambda: gpu.call("cuMemcpyDtoDAsync_v2", target, source, ctypes.c_size_t(size), None)),
        "shared": rate(threads * 2048 * 4 * 16, shared_reads(2048), blocks),
        "fp32": rate(2 * threads * 1024 * 64, multiply_adds(1024), blocks),
        "fp16": rate(4 * threads * 1024 * 64, multiply_adds_of_halves(1024), blocks),
        **launches(gpu)}))


if __name__ == "__main__":
    main(*sys.argv[1:2] or [""])
