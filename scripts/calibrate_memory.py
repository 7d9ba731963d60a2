"""Probes of memory for calibrate.py: how a warp's pattern of addresses changes what L1, L2, DRAM, atomics and branches take."""

HASH = "mul.lo.u32 {to}, {of}, 0x9e3779b1; shr.u32 {t}, {to}, 15; xor.b32 {to}, {to}, {t}; mul.lo.u32 {to}, {to}, 0x85ebca6b; shr.u32 {t}, {to}, 13; xor.b32 {to}, {to}, {t};"
REGISTERS = ".reg .u32 g, gs, gw, ln, h, k; .reg .u64 u, us, off; .reg .f32 g<8>; and.b32 ln, t, 31; mov.u32 h, %nctaid.x; mov.u32 gs, %ntid.x; " \
            "mad.lo.u32 g, c, gs, t; mul.lo.u32 gs, gs, h; shr.u32 gw, g, 5; cvt.u64.u32 off, s; sub.u64 off, off, off; "
LOAD = {4: ("u32", ["x0"]), 8: ("v2.f32", ["g0", "g1"]), 16: ("v4.f32", ["g0", "g1", "g2", "g3"])}


def load(width, address, fold=True):
    kind, registers = LOAD[width]
    inside = registers[0] if width == 4 else "{" + ",".join(registers) + "}"
    use = "xor.b32 y, y, x0;" if width == 4 else " ".join(f"add.rn.f32 a, a, {r};" for r in registers)
    return f"ld.global.{kind} {inside}, [{address}]; {use if fold else ''} "


AFTER = "cvt.rzi.u32.f32 x0, a; add.u32 x1, x0, y;"


def l1(kernel):
    """Eight loads a turn that L1 serves, lanes `step` bytes apart; by an offset that is 0 but that no compiler knows."""
    for width, step in ((4, 4), (4, 0), (4, 8), (4, 16), (4, 32), (4, 128), (8, 8), (16, 16)):
        span = max(32 * step, 128) if step else 128
        setup = REGISTERS + f"mul.wide.u32 u, ln, {step}; add.u64 u, u, d; cvt.u64.u32 us, s;"
        body = " ".join(load(width, f"u+{k * span}") for k in range(8)) + " add.u64 u, u, us;"
        yield f"l1_{width}_{step}", kernel(f"l1_{width}_{step}", body, setup, AFTER), [(1, 128, 64, 0, 65536, True), (1, 1024, 64, 0, 65536, True), (264, 1024, 64, 0, 65536, True)], 8


def patterns(kernel):
    """Every address once, lanes `step` bytes apart, warps behind one another: cold from DRAM, warm from L2; and columns:
    lanes a whole pitch apart, so that eight warps fill a sector."""
    for kind in ("ldg", "stg"):
        for width, step in ((4, 4), (4, 8), (4, 16), (4, 32), (4, 64), (4, 128), (4, 256), (16, 16), (16, 32)):
            setup = REGISTERS + f"mul.wide.u32 u, g, {step}; add.u64 u, u, d; mul.wide.u32 us, gs, {step};"
            one = load(width, "u") if kind == "ldg" else \
                {4: "st.global.u32 [u], x1; ", 16: "st.global.v4.f32 [u], {f0,f1,f2,f3}; "}[width]
            body = (one + "add.u64 u, u, us; ") * 4
            shapes = []
            for grid, block, n in ((1, 1024, 8), (132, 1024, 1), (264, 1024, 1), (264, 1024, 4)):
                total = grid * block * n * 4 * step // 4 + 1024
                if total > 1 << 26:
                    continue
                shapes += [(grid, block, n, 0, total, False)] + ([(grid, block, n, 0, total, True)] if total < 6 << 20 else [])
            yield f"{kind}_{width}_{step}", kernel(f"{kind}_{width}_{step}", body, setup, AFTER), shapes, 4
        # Element (row, column) of 32 rows: the lane is the row, warps are columns.
        setup = REGISTERS + "shr.u32 h, gs, 5; mul.lo.u32 h, h, n; shl.b32 h, h, 2; mul.lo.u32 k, h, ln; add.u32 k, k, gw; mul.wide.u32 u, k, 4; add.u64 u, u, d; " \
            "shr.u32 h, gs, 5; mul.wide.u32 us, h, 4; .reg .f32 g8;"
        body = ((load(4, "u") if kind == "ldg" else "st.global.u32 [u], x1; ") + "add.u64 u, u, us; ") * 4
        yield f"{kind}_columns", kernel(f"{kind}_columns", body, setup, AFTER), \
            [(g, b, n, 0, g * b * n * 4 + 1024, w) for g, b, n in ((132, 1024, 1), (264, 1024, 4), (1056, 256, 4), (264, 1024, 16)) for w in (False, True)], 4
    # Words at random, by a hash of the thread's number.
    for count in (1, 4):
        body = ""
        for k in range(count):
            body += "add.u32 g, g, gs; " + HASH.format(to=f"x{k + 1}", of="g", t="h") + f" and.b32 x{k + 1}, x{k + 1}, k; mul.wide.u32 w{k}, x{k + 1}, 4; add.u64 w{k}, w{k}, d; "
        for k in range(count):
            body += f"ld.global.u32 x{k + 1}, [w{k}]; "
        body += " ".join(f"xor.b32 y, y, x{k + 1};" for k in range(count))
        setup = REGISTERS + "shl.b32 k, 1, s; sub.u32 k, k, 1; mov.u32 y, 0;"
        yield f"gather_{count}", kernel(f"gather_{count}", body, setup, "add.u32 x1, y, 1;"), \
            [(264, 1024, n, bits, 1 << bits, w) for bits in (16, 20, 22, 23, 24, 25, 26, 27) for n in (4,) for w in ((False, True) if bits < 25 else (False,))] + \
            [(1056, 128, 1, bits, 1 << bits, False) for bits in (20, 22, 24, 26)] + [(1, 1024, 4, bits, 1 << bits, True) for bits in (16, 22)], count


def atomics(kernel):
    """Four atomics a turn: lanes at `distinct` words of one line; warps at one of `lines` lines; words at random among
    `words`; half of the lanes at one word and half at random."""
    shapes = [(1, 1024, 64, 0, 1 << 18, True), (264, 1024, 16, 0, 1 << 18, True)]
    for type_, register in (("u32", "x"), ("f32", "f")):
        for distinct in (1, 2, 4, 8, 16, 32):
            setup = REGISTERS + f"cvt.u64.u32 off, x; and.b32 h, ln, {distinct - 1}; mul.wide.u32 u, h, 4; add.u64 u, u, d; add.u64 u, u, off;"
            body = "".join(f"red.global.add.{type_} [u], {register}{k}; " for k in range(4))
            yield f"red_{type_}_distinct_{distinct}", kernel(f"red_{type_}_distinct_{distinct}", body, setup), shapes, 4
    for lines in (1, 2, 8, 32, 256, 4096):
        setup = REGISTERS + "mul.wide.u32 off, ln, 4; add.u64 off, off, d; mov.u32 k, gw;"
        body = f"add.u32 k, k, 5; and.b32 h, k, {lines - 1}; mul.wide.u32 u, h, 128; add.u64 u, u, off; red.global.add.u32 [u], x0; " * 4
        yield f"red_lines_{lines}", kernel(f"red_lines_{lines}", body, setup), shapes, 4
    for words in (8, 32, 64, 256, 1024, 65536):
        one = "add.u32 g, g, gs; " + HASH.format(to="k", of="g", t="h") + f" and.b32 k, k, {words - 1}; {{half}} mul.wide.u32 u, k, 4; add.u64 u, u, d; "
        for name, op in (("red", "red.global.add.u32 [u], x0; "), ("atom", "atom.global.add.u32 x0, [u], x1; add.u32 y, y, x0; ")):
            if name == "atom" and words not in (256, 65536):
                continue
            body = (one.format(half="") + op) * 4
            yield f"{name}_random_{words}", kernel(f"{name}_random_{words}", body, REGISTERS, "add.u32 x1, y, 1;"), shapes, 4
    half = ".reg .pred ph; setp.lt.u32 ph, ln, 16;"
    one = "add.u32 g, g, gs; " + HASH.format(to="k", of="g", t="h") + " and.b32 k, k, 255; @ph mov.u32 k, 0; mul.wide.u32 u, k, 4; add.u64 u, u, d; "
    yield "red_half", kernel("red_half", (one + "red.global.add.u32 [u], x0; ") * 4, REGISTERS + half), shapes, 4
    for words in (32, 256, 1024):
        one = "add.u32 g, g, gs; " + HASH.format(to="k", of="g", t="h") + f" and.b32 k, k, {words - 1}; mad.lo.u32 k, k, 4, v; "
        yield f"reds_random_{words}", kernel(f"reds_random_{words}", (one + "red.shared.add.u32 [k], x0; ") * 4, REGISTERS), shapes, 4
    one = "add.u32 g, g, gs; " + HASH.format(to="k", of="g", t="h") + " and.b32 k, k, 255; @ph mov.u32 k, 0; mad.lo.u32 k, k, 4, v; "
    yield "reds_half", kernel("reds_half", (one + "red.shared.add.u32 [k], x0; ") * 4, REGISTERS + half), shapes, 4


def control(kernel):
    """Branches: a loop of one multiplication, its back edge; lanes that part and meet; a chain of jumps that all take."""
    shapes = [(1, 32, 1024, 1, 1024, True), (1, 1024, 1024, 1, 1024, True)]
    yield "loop_one", kernel("loop_one", "mad.lo.u32 x0, x0, y, 1;", ".pragma \"nounroll\";"), shapes, 1
    side = " ".join("mad.lo.u32 x{0}, x{0}, y, {1};".format(k, 3) for k in range(8))
    other = " ".join("mad.lo.u32 x{0}, x{0}, z, {1};".format(k, 5) for k in range(8))
    for name, test in (("parted", "and.b32 v, x1, 1; "), ("one_side", "and.b32 v, c, 1; ")):
        body = f"{test} setp.ne.u32 pp, v, 0; @pp bra A; {side} ld.volatile.shared.u32 x0, [m]; bra.uni B; A: {other} ld.volatile.shared.u32 x1, [m]; B: "
        yield f"branch_{name}", kernel(f"branch_{name}", body), shapes, 16
    # Local memory: an array of `words` that a thread walks through by an index that only the loop knows.
    for words in (4, 16, 64):
        setup = REGISTERS + f".local .align 16 .b8 loc[{words * 4}]; .reg .u64 lo; mov.u64 lo, loc; cvta.local.u64 lo, lo; cvta.to.local.u64 lo, lo;"
        body = ""
        for k in range(4):
            body += f"add.u32 k, i, {k}; mul.lo.u32 k, k, s; and.b32 k, k, {words - 1}; mul.wide.u32 u, k, 4; add.u64 u, u, lo; ld.local.u32 h, [u]; add.u32 h, h, x{k}; st.local.u32 [u], h; add.u32 x0, x0, h; "
        yield f"local_{words}", kernel(f"local_{words}", body, setup), [(1, 32, 64, 3, 1024, True), (1, 1024, 64, 3, 1024, True), (264, 1024, 64, 3, 1024, True)], 4


def matching(kernel):
    """match.any of a warp whose lanes hold so many values."""
    for values in (1, 2, 4, 8, 32):
        setup = REGISTERS + f"and.b32 h, ln, {values - 1};"
        body = "add.u32 h, h, s; match.any.sync.b32 x0, h, -1; xor.b32 y, y, x0; " * 4
        yield f"match_{values}", kernel(f"match_{values}", body, setup, "add.u32 x1, y, 1;"), [(1, 32, 128, 0, 1024, True), (1, 1024, 128, 0, 1024, True)], 4


def tensor(kernel):
    a4, b2, c4 = "{m0,m1,m2,m3}", "{m4,m5}", "{f0,f1,f2,f3}"
    setup = ".reg .b32 m<6>; .reg .f32 g<8>; " + " ".join(f"mov.b32 m{k}, x{k};" for k in range(6)) + " ".join(f"mov.f32 g{k}, f{k};" for k in range(8))
    after = " ".join(f"add.rn.f32 f{k}, f{k}, g{k};" for k in range(8))
    for name, shape, kind in (("mma_tf32", "m16n8k8", "tf32"), ("mma_bf16", "m16n8k16", "bf16")):
        op = f"mma.sync.aligned.{shape}.row.col.f32.{kind}.{kind}.f32 {c4}, {a4}, {b2}, {c4};"
        yield f"chain_{name}", kernel(f"chain_{name}", op * 4, setup, after), [(1, 32, 256, 3, 1024, True), (1, 128, 256, 3, 1024, True)], 4
        wide = op + op.replace(c4, "{f4,f5,f6,f7}") + op.replace(c4, "{g0,g1,g2,g3}") + op.replace(c4, "{g4,g5,g6,g7}")
        yield f"full_{name}", kernel(f"full_{name}", wide, setup, after), [(1, 128, 256, 3, 1024, True), (1, 1024, 256, 3, 1024, True)], 4


def probes(kernel):
    for family in (l1, patterns, atomics, control, matching, tensor):
        yield from family(kernel)
