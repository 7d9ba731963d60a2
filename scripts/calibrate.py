#!/usr/bin/env python3
"""Measures what the timing model has to know of a GPU, by kernels made for nothing else: chains of dependent instructions
for latencies, independent ones of a full SM for throughputs, streams for the levels of memory, empty kernels for launches.

usage: calibrate.py GPULAB OUT.csv [--only WORD]

Writes a row for each probe: name, grid, block, n (turns of its loop), cycles (of the first block, by %clock64), milliseconds (CUDA
events, the median) and the bytes or instructions of one thread and turn. What the model takes from it: common/simt/timing.
"""
import argparse
import csv
import json
import subprocess
import sys
import tempfile

import calibrate_memory as memory
import calibrate_open

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
KERNEL = """.visible .entry {name}(.param .u64 out_, .param .u64 data_, .param .u32 n_, .param .u32 stride_) {{
 .reg .u64 o, d, t0, t1, q, w0, w1, w2, w3, w4, w5, w6, w7; .reg .u32 n, i, s, t, x, y, z, v, c; .reg .pred p, pp;
 .reg .u32 x0, x1, x2, x3, x4, x5, x6, x7; .reg .f32 f0, f1, f2, f3, f4, f5, f6, f7, a, b;
 .reg .f64 d0, d1, d2, d3, d4, d5, d6, d7, da, db; .reg .b16 h, g, z16; .reg .b32 hh, gg; .shared .align 16 .b8 m[16384];
 ld.param.u64 o, [out_]; ld.param.u64 d, [data_]; ld.param.u32 n, [n_]; ld.param.u32 s, [stride_];
 cvta.to.global.u64 o, o; cvta.to.global.u64 d, d;
 mov.u32 t, %tid.x; ld.global.u32 x, [d]; mov.u32 y, s; mov.u32 z, n; mov.u32 v, m; mov.u32 c, %ctaid.x;
 mov.b16 z16, 0; cvt.rn.f32.u32 a, s; cvt.rn.f32.u32 b, n; cvt.rn.f64.u32 da, s; cvt.rn.f64.u32 db, n;
 {inits}
 {setup}
 bar.sync 0;
 mov.u64 t0, %clock64; mov.u32 i, 0;
L: {body}
 add.u32 i, i, 1; setp.lt.u32 p, i, n; @p bra L;
 {after}
 mov.u64 t1, %clock64; sub.u64 t1, t1, t0; cvt.u32.u64 x, t1;
 {use}
 setp.ne.u32 p, t, 0; @p bra E; setp.ne.u32 p, c, 0; @p bra E; st.global.u32 [o], x;
E: ret; }}
"""
# Thread by thread another value: what a whole warp holds alike ptxas computes on the uniform data path, another pipe.
INITS = "add.u32 x7, x, t; " + " ".join(f"add.u32 x{k}, x7, {k}; cvt.rn.f32.u32 f{k}, x{k}; cvt.rn.f64.u32 d{k}, x{k}; cvt.u64.u32 w{k}, x{k};" for k in range(8))
# What the loop computes is used where no thread comes by, or ptxas would leave it out.
USE = "setp.ne.u32 pp, n, 0xffffffff; @pp bra U; " + " ".join(
    f"add.u32 x, x, x{k}; cvt.rzi.u32.f32 y, f{k}; add.u32 x, x, y; cvt.rzi.u32.f64 y, d{k}; add.u32 x, x, y; "
    f"cvt.u32.u64 y, w{k}; add.u32 x, x, y; shr.u64 w{k}, w{k}, 32; cvt.u32.u64 y, w{k}; add.u32 x, x, y;" for k in range(8)) + " U:"


def kernel(name, body, setup="", after=""):
    return KERNEL.format(name=name, body=body, setup=setup, after=after, inits=INITS, use=USE)


# One instruction each, with K for the number of the chain.
OPS = {
    "fma_f32": "fma.rn.f32 fK, fK, a, b;", "add_f32": "add.rn.f32 fK, fK, a;", "mul_f32": "mul.rn.f32 fK, fK, a;",
    "mad_s32": "mad.lo.s32 xK, xK, y, z;", "mul_s32": "mul.lo.s32 xK, xK, y;", "xor_add": "xor.b32 xK, xK, y; add.u32 xK, xK, z;",
    "shl_xor": "shl.b32 xK, xK, 1; xor.b32 xK, xK, y;", "min_s32": "min.s32 xK, xK, y; xor.b32 xK, xK, z;",
    "setp_selp": "setp.lt.u32 pp, xK, y; selp.b32 xK, z, xK, pp;",
    "add_u64": "add.u64 wK, wK, t0; xor.b64 wK, wK, d;", "shl_b64": "shl.b64 wK, wK, 1; xor.b64 wK, wK, d;",
    "mul_wide": "mul.wide.u32 wK, xK, y; cvt.u32.u64 xK, wK;", "mul_u64": "mul.lo.u64 wK, wK, d;",
    "fma_f64": "fma.rn.f64 dK, dK, da, db;", "add_f64": "add.rn.f64 dK, dK, da;",
    "ex2": "ex2.approx.ftz.f32 fK, fK;", "rsqrt": "rsqrt.approx.ftz.f32 fK, fK;", "rcp_approx": "rcp.approx.ftz.f32 fK, fK;",
    "sin": "sin.approx.ftz.f32 fK, fK;", "sqrt_rn": "sqrt.rn.f32 fK, fK;", "div_rn": "div.rn.f32 fK, a, fK;",
    "rcp_rn": "rcp.rn.f32 fK, fK;", "div_full": "div.full.f32 fK, a, fK;", "div_s32": "div.s32 xK, z, xK; or.b32 xK, xK, 1;",
    "rem_u32": "rem.u32 xK, z, xK; or.b32 xK, xK, 1;", "div_u64": "div.u64 wK, d, wK; or.b64 wK, wK, 1;",
    "div_f64": "div.rn.f64 dK, da, dK;", "sqrt_f64": "sqrt.rn.f64 dK, dK;",
    "cvt_f32_s32": "cvt.rn.f32.s32 fK, xK; cvt.rzi.s32.f32 xK, fK;", "cvt_f64_f32": "cvt.f64.f32 dK, fK; cvt.rn.f32.f64 fK, dK;",
    # Halves: of a lower half word and back, whose upper one is 0; pairs of them.
    "cvt_f32_f16": "mov.b32 {h, g}, xK; cvt.f32.f16 fK, h; mov.b32 xK, fK;", "cvt_f16_f32": "cvt.rn.f16.f32 h, fK; mov.b32 fK, {h, z16};",
    "cvt_f16x2_f32": "cvt.rn.f16x2.f32 hh, a, fK; mov.b32 fK, hh;", "cvt_bf16x2_f32": "cvt.rn.bf16x2.f32 hh, a, fK; mov.b32 fK, hh;",
    "cvt_f32_u8": "cvt.rn.f32.u8 fK, xK; mov.b32 xK, fK;", "cvt_f32_s16": "cvt.rn.f32.s16 fK, xK; mov.b32 xK, fK;",
    "fma_f16x2": "mov.b32 hh, xK; mov.b32 gg, y; fma.rn.f16x2 hh, hh, gg, gg; mov.b32 xK, hh;", "add_f16x2": "mov.b32 hh, xK; mov.b32 gg, y; add.rn.f16x2 hh, hh, gg; mov.b32 xK, hh;", "mul_f16x2": "mov.b32 hh, xK; mov.b32 gg, y; mul.rn.f16x2 hh, hh, gg; mov.b32 xK, hh;",
    "fma_bf16x2": "mov.b32 hh, xK; mov.b32 gg, y; fma.rn.bf16x2 hh, hh, gg, gg; mov.b32 xK, hh;", "max_f16x2": "mov.b32 hh, xK; mov.b32 gg, y; max.f16x2 hh, hh, gg; xor.b32 hh, hh, gg; mov.b32 xK, hh;",
    "fma_f16": "mov.b32 {h, g}, xK; fma.rn.f16 h, h, h, g; mov.b32 xK, {h, g};",
    "setp_f16": "mov.b32 {h, g}, xK; setp.lt.f16 pp, h, g; selp.b32 xK, z, xK, pp;",
    "popc": "popc.b32 xK, xK; xor.b32 xK, xK, y;", "brev": "brev.b32 xK, xK; xor.b32 xK, xK, y;", "clz": "clz.b32 xK, xK; xor.b32 xK, xK, y;",
    "shfl": "shfl.sync.bfly.b32 xK, xK, 1, 31, -1;", "vote": "setp.lt.u32 pp, xK, y; vote.sync.ballot.b32 xK, pp, -1;",
    "redux": "redux.sync.add.u32 xK, xK, -1;", "bar_warp": "bar.warp.sync -1; xor.b32 xK, xK, y;", "bar_sync": "bar.sync 0;",
    "membar_cta": "membar.cta;", "membar_gl": "membar.gl;",
    "lds_chain": "and.b32 xK, xK, 124; add.u32 xK, xK, v; ld.shared.u32 xK, [xK];",
    "atoms_add": "atom.shared.add.u32 xK, [v], xK;", "atoms_own": "atom.shared.add.u32 xK, [vt], xK;",
    "reds_same": "red.shared.add.u32 [v], xK;", "reds_own": "red.shared.add.u32 [vt], xK;",
    "sts": "st.shared.u32 [vt], xK;", "sts_v4": "st.shared.v4.u32 [vt4], {x0,x1,x2,x3};",
    "lds": "ld.volatile.shared.u32 xK, [vt];", "lds_v4": "ld.volatile.shared.v4.u32 {x0,x1,x2,x3}, [vt4];",
    "sts_own": "st.volatile.shared.u32 [vt], xK;", "sts_2_way": "st.volatile.shared.u32 [vt2], xK;", "sts_32_way": "st.volatile.shared.u32 [vt32], xK;",
    "lds_2_way": "ld.volatile.shared.u32 xK, [vt2]; add.u32 y, y, xK;",
    "lds_32_way": "ld.volatile.shared.u32 xK, [vt32];",
    "ldg_l1_chain": "and.b32 xK, xK, 0; cvt.u64.u32 wK, xK; add.u64 wK, wK, d; ld.global.ca.u32 xK, [wK];",
    "ldg_l2_chain": "and.b32 xK, xK, 0; cvt.u64.u32 wK, xK; add.u64 wK, wK, d; ld.global.cg.u32 xK, [wK];",
    "ldg_l1": "ld.global.ca.u32 xK, [q+K0];", "atomg_chain": "atom.global.add.u32 xK, [d], xK;", "atomg_own": "atom.global.add.u32 xK, [q], xK;",
    "redg_same": "red.global.add.u32 [d], xK;", "redg_own": "red.global.add.u32 [q], xK;", "stg_own": "st.volatile.global.u32 [q], xK;",
    "atomg_cas": "atom.global.cas.b32 xK, [d], xK, y;",
    # Atomics on values and places that ptxas cannot know to be one: q is the address of the thread's own place, z8 of one
    # of eight, and same of one for all, by a register that the compiler must take for different ones.
    "redg_f32_same": "red.global.add.f32 [same], fK;", "redg_u32_same": "red.global.add.u32 [same], xK;",
    "redg_f32_own": "red.global.add.f32 [q], fK;", "redg_u32_eight": "red.global.add.u32 [z8], xK;",
    "atomg_u32_same": "atom.global.add.u32 xK, [same], xK;", "atomg_f32_own": "atom.global.add.f32 fK, [q], fK;",
    "reds_f32_same": "red.shared.add.f32 [v1], fK;", "reds_u32_same": "red.shared.add.u32 [v1], xK;",
    "reds_u32_eight": "red.shared.add.u32 [v8], xK;", "reds_f32_own": "red.shared.add.f32 [vt], fK;",
    "shfl_own": "shfl.sync.bfly.b32 xK, xK, 1, 31, -1; add.u32 xK, xK, t;",
    "lds_own": "ld.volatile.shared.u32 xK, [vt]; add.u32 vt, vt, xK;",
    "nothing": "",
}
SETUP = (".reg .u32 vt, vt2, vt4, vt32; and.b32 vt, t, 31; shl.b32 vt4, vt, 4; shl.b32 vt2, vt, 3; add.u32 vt2, vt2, v; shl.b32 vt32, vt, 7; shl.b32 vt, vt, 2; "
         ".reg .u64 same, z8, far; .reg .u32 v1, v8; mul.wide.u32 same, x, 4; add.u64 same, same, d; and.b32 y, t, 7; mul.wide.u32 z8, y, 4; "
         "add.u64 z8, z8, d; mad.lo.u32 y, c, 1024, t; mul.wide.u32 far, y, 128; add.u64 far, far, d; add.u32 v1, x, v; and.b32 v8, t, 7; shl.b32 v8, v8, 2; "
         "add.u32 v8, v8, v; mov.u32 y, s; add.u32 vt32, vt32, v; add.u32 vt, vt, v; add.u32 vt4, vt4, v; mul.wide.u32 q, t, 4; add.u64 q, q, d;")
SLOW = {"sts_32_way", "div_u64", "div_f64", "sqrt_f64", "div_s32", "rem_u32", "membar_gl", "atomg_chain", "atomg_cas", "redg_same", "atomg_own", "ldg_l2_chain", "lds_32_way", "redg_own",
        "stg_own", "atoms_add", "reds_same", "redg_f32_same", "redg_u32_same", "redg_f32_own", "redg_u32_eight", "atomg_u32_same", "atomg_f32_own",
        "div_rn", "sqrt_rn", "rcp_rn"}


def probes():
    """(name, PTX, [(grid, block, n, stride, elements of data, warm)], instructions or bytes a turn and thread)"""
    for name, op in OPS.items():
        count = 1 if name == "nothing" else 4 if name in SLOW else 16
        chain = " ".join(op.replace("K0", "0").replace("K", "0") for _ in range(count))
        yield f"chain_{name}", kernel(f"chain_{name}", chain, SETUP), [(1, 32, 256, 3, 65536, True)], count
        if name.endswith("chain") and name != "atomg_chain":
            continue
        data = 1024
        wide = " ".join(op.replace("K", str(k % 8)) for k in range(count if name in SLOW else 16))
        wide = wide.replace("+0]", "]")
        yield (f"full_{name}", kernel(f"full_{name}", wide, SETUP),
               [(1, 128, 128, 3, data, True), (1, 1024, 128, 3, data, True), (264, 1024, 128, 3, data, True)] +
               ([(1, 256, 128, 3, 1024, True), (1, 512, 128, 3, 1024, True)] if name.startswith("bar") else []),
               max(1, count if name in SLOW else 16))
    # Code that comes by once, from DRAM: how long until its instructions are there.
    for count in (16, 64, 256, 1024, 4096):
        line = " ".join(OPS["fma_f32"].replace("K", str(k % 8)) for k in range(count))
        yield f"code_{count}", kernel(f"code_{count}", line, SETUP), [(1, 32, 1, 3, 1024, False), (132, 32, 1, 3, 1024, False), (132, 256, 1, 3, 1024, False),
                                                                     (132, 32, 1, 3, 1024, True)], count
    yield from memory.probes(kernel)
    yield from calibrate_open.probes(kernel)
    # A pointer chase: each address needs the value before (zeros), `stride` bytes on.
    chase = "ld.global.{} x0, [w0]; cvt.u64.u32 w1, x0; add.u64 w0, w0, w1; add.u64 w0, w0, w2;"
    setup = "mov.u64 w0, d; cvt.u64.u32 w2, s;"
    yield ("chase_ca", kernel("chase_ca", chase.format("ca.u32"), setup),
           [(1, 1, 1000, 0, 1024, True), (1, 1, 64, 128, 1 << 24, False), (1, 1, 64, 128, 1 << 14, True), (1, 1, 200, 128, 1 << 14, True), (1, 1, 1000, 32, 1 << 22, False),
            (1, 1, 1000, 4096, 1 << 24, False), (1, 1, 256, 262144, 1 << 24, False), (1, 1, 30, 2097152, 1 << 24, False)], 4)
    yield ("chase_cg", kernel("chase_cg", chase.format("cg.u32"), setup),
           [(1, 1, 1000, 0, 1024, True), (1, 1, 1000, 128, 1 << 15, True), (1, 1, 1000, 4096, 1 << 20, True), (1, 1, 1000, 32, 1 << 22, False), (1, 1, 1000, 4096, 1 << 22, False)], 4)
    # Streams over the whole GPU: each thread takes elements a grid apart, n in all; `count` loads before their first use.
    for kind in ("read", "write", "copy"):
        for width in (4, 16):
            for count in (1, 4):
                step = ".reg .u32 g, gs; .reg .u64 u, us, o2; mov.u32 g, %nctaid.x; mov.u32 gs, %ntid.x; mad.lo.u32 x, c, gs, t; " \
                       f"mul.lo.u32 gs, gs, g; mul.wide.u32 u, x, {width}; add.u64 u, u, d; mul.wide.u32 us, gs, {width}; " \
                       "cvt.u64.u32 o2, s; shl.b64 o2, o2, 20;"
                vec = {4: ("u32", "x{0}"), 16: ("v4.f32", "{{f0,f1,f2,f3}}" )}[width]
                body = ""
                for k in range(count):
                    regs = {4: f"x{k}", 16: ["{f0,f1,f2,f3}", "{f4,f5,f6,f7}", "{g0,g1,g2,g3}", "{g4,g5,g6,g7}"][k]}[width]
                    if kind != "write":
                        body += f"mad.lo.u64 w{k}, us, {k}, u; ld.global.{vec[0]} {regs}, [w{k}]; "
                for k in range(count):
                    regs = {4: f"x{k}", 16: ["{f0,f1,f2,f3}", "{f4,f5,f6,f7}", "{g0,g1,g2,g3}", "{g4,g5,g6,g7}"][k]}[width]
                    if kind == "write":
                        body += f"mad.lo.u64 w{k}, us, {k}, u; st.global.{vec[0]} [w{k}], {regs}; "
                    elif kind == "copy":
                        body += f"add.u64 w{k}, w{k}, o2; st.global.{vec[0]} [w{k}], {regs}; "
                    elif width == 4:
                        body += f"xor.b32 y, y, x{k}; "
                    else:
                        body += "".join(f"add.rn.f32 a, a, {r}; " for r in regs.strip("{}").split(","))
                body += f"mad.lo.u64 u, us, {count}, u;"
                step += ".reg .f32 g<8>; " + " ".join(f"mov.f32 g{i}, f{i};" for i in range(8))
                after = "cvt.rzi.u32.f32 x0, a; add.u32 x1, x0, y;"
                shapes = []
                for grid, block, n in ((132, 1024, 16), (264, 1024, 16), (264, 1024, 2), (1056, 256, 16), (1056, 256, 2), (132, 256, 16), (132, 32, 64), (33, 1024, 32),
                                       (1, 1024, 64), (8192, 256, 1), (65536, 256, 1) if width == 4 and count == 1 else (16384, 256, 1)):
                    span = grid * block * n * width * count
                    if span > (1 << 28):
                        continue
                    mega = max(1, (span + (1 << 20) - 1) >> 20)
                    total = span * (2 if kind == "copy" else 1) + (1 << 20)
                    shapes += [(grid, block, n, mega, total // 4 + 1024, False)]
                    if total < (24 << 20):
                        shapes += [(grid, block, n, mega, total // 4 + 1024, True)]
                yield f"{kind}_{width}x{count}", kernel(f"{kind}_{width}x{count}", body, step, after), shapes, width * count
    yield ("empty", HEAD and ".visible .entry empty(.param .u64 out_, .param .u64 data_, .param .u32 n_, .param .u32 stride_) { ret; }\n",
           [(g, b, 1, 1, 1024, False) for b in (32, 256, 1024) for g in (1, 132, 1056, 4224, 33792, 270336, 1 << 20)], 1)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("gpulab")
    parser.add_argument("out")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open(options.out, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow("probe grid block n stride elements warm units cycles median_ms q1_ms q3_ms".split())
        for name, text, shapes, units in probes():
            if options.only not in name:
                continue
            path = f"{folder}/{name}.ptx"
            with open(path, "w", encoding="ascii") as ptx:
                ptx.write(HEAD + text)
            for grid, block, n, stride, elements, warm in shapes:
                command = [options.gpulab, "run", path, "--kernel", name, "--grid", str(grid), "--block", str(block), "--arg", "out:u32[64]=zeros",
                           "--arg", f"data:u32[{elements}]=zeros", "--arg", f"n:u32={n}", "--arg", f"stride:u32={stride}", "--device", "gpu", "--format",
                           "json", "--min-time", "0.002", "--reps", "7"] + (["--warm"] if warm else [])
                text = subprocess.run(command, capture_output=True, text=True)
                try:
                    result = json.loads(text.stdout)["results"][0]
                    timing = result["timing"]
                    out.writerow([name, grid, block, n, stride, elements, int(warm), units, result["buffers"][0]["first"][0],
                                  timing["median_ms"], timing["q1_ms"], timing["q3_ms"]])
                except (KeyError, IndexError, json.JSONDecodeError):
                    print("failed:", *command, text.stdout[-300:], text.stderr[-300:], file=sys.stderr)
            file.flush()


if __name__ == "__main__":
    sys.exit(main())
