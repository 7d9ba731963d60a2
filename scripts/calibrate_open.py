"""Probes for calibrate.py of what the timing model still guesses: `calibrate.py GPULAB OUT.csv --only open_` runs these alone,
in less than four minutes. Each family says what it decides; the guesses stand in common/simt/timing."""
from calibrate_memory import AFTER, HASH, REGISTERS, load

SHAPES = [(1, 32, 128, 3, 1024, True), (1, 1024, 128, 3, 1024, True), (264, 1024, 128, 3, 1024, True)]


def constants(kernel):
    """Indexed loads of constant memory whose lanes ask for so many words, or for the four bytes of each: cycles for each
    address (SmMemory::constant says 2, and that bytes of one word are apart)."""
    for kind, width in (("u32", 4), ("u8", 1)):
        for distinct in (1, 2, 8, 32):
            name = f"open_const_{kind}_{distinct}"
            setup = REGISTERS + f"and.b32 h, ln, {distinct - 1}; mul.lo.u32 h, h, {width}; cvt.u64.u32 u, h; mov.u64 us, table_{name}; add.u64 u, u, us; cvt.u64.u32 us, x;"
            body = " ".join(f"ld.const.{kind} x0, [u+{32 * k}]; xor.b32 y, y, x0;" for k in range(4)) + " add.u64 u, u, us;"
            yield name, f".const .align 4 .b8 table_{name}[1024];\n" + kernel(name, body, setup, "add.u32 x1, y, 1;"), SHAPES, 4


def divisions(kernel):
    """Operands that never take the subroutine (the older probes hold a zero in lane 0): latency and pipe of the fast way."""
    setup = " ".join(f"add.rn.f32 f{k}, f{k}, b; add.rn.f64 d{k}, d{k}, db;" for k in range(8))
    for name, op in (("div_f32", "div.rn.f32 fK, a, fK;"), ("rcp_f32", "rcp.rn.f32 fK, fK;"), ("sqrt_f32", "sqrt.rn.f32 fK, fK;"), ("div_f64", "div.rn.f64 dK, da, dK;"),
                     ("rcp_f64", "rcp.rn.f64 dK, dK;"), ("sqrt_f64", "sqrt.rn.f64 dK, dK;"), ("ex2", "ex2.approx.f32 fK, fK;"), ("lg2", "lg2.approx.f32 fK, fK;"),
                     ("mul_hi_u64", "mul.hi.u64 wK, wK, d;"), ("max_f64", "max.f64 dK, dK, da;"),
                     ("fma_f64_wide", "fma.rn.f64 dK, dK, da, 0d3FF71547652B82FE;"), ("fma_f64_short", "fma.rn.f64 dK, dK, da, 0d3FF0000000000000;")):
        yield f"open_chain_{name}", kernel(f"open_chain_{name}", " ".join(op.replace("K", "0") for _ in range(4)), setup), SHAPES[:1], 4
        yield f"open_full_{name}", kernel(f"open_full_{name}", " ".join(op.replace("K", str(k)) for k in range(4)), setup), SHAPES[1:2], 4


def stores(kernel):
    """Stores of parts of sectors: lanes `step` bytes apart, so that a line has four, two or one of them; each thread stores the
    next words of its sector at once (`run`) or a turn later. Which of it makes l2_partial and l2_partial_alone differ."""
    for step in (8, 32, 64, 128):
        for run in (1, 4):
            name = f"open_stores_{step}_{run}"
            # Turns go on by 0 bytes, which a compiler must not know. Not by x, the first word of `data`: the kernel stores there,
            # and later launches, and blocks that start late, went on by what they found (out of bounds).
            setup = REGISTERS + f"mul.wide.u32 u, g, {max(step, 16 if run > 1 else 4)}; add.u64 u, u, d; cvt.u64.u32 us, s;"
            body = " ".join(f"st.global.u32 [u+{4 * k}], x1;" for k in range(run)) + (" add.u64 u, u, us;" if run > 1 else " add.u64 u, u, 4;")
            yield name, kernel(name, body, setup), [(264, 1024, 4, 0, 264 * 1024 * 128 // 4 + 1024, True)], run
    # All blocks, each its own byte of few sectors; or each a byte of its own line.
    for apart in (1, 32, 128, 1024):
        name = f"open_byte_{apart}"
        setup = REGISTERS + f"mul.wide.u32 u, c, {apart}; add.u64 u, u, d;"
        yield name, kernel(name, "st.volatile.global.u8 [u], x1; bar.sync 0; " * 4, setup), [(2112, 128, 8, 0, 1 << 20, True)], 4


def stored_lines(kernel):
    """A chain of loads that L1 serves, lanes a line apart, and between two of them a store: none, to the word that was loaded, to
    its sector, to its line, to another line. Whether a load after it goes to L2 says what a store does to its line in L1. Or two
    loads side by side, and stores behind both (`pair`); or the store ahead of the load of the same turn (`ahead`)."""
    setup = REGISTERS + "mul.wide.u32 u, ln, 128; add.u64 u, u, d;"
    chain = "cvt.u64.u32 us, x0; add.u64 u, u, us;"  # by zero, which nobody knows
    turns = {"none": f"ld.global.u32 x0, [u]; {chain}"}
    for name, offset in (("own", 0), ("sector", 4), ("line", 64), ("other", 8192)):
        value = "x0" if name == "own" else "x1"
        turns[name] = f"ld.global.u32 x0, [u]; st.global.u32 [u+{offset}], {value}; {chain}"
        turns["pair_" + name] = f"ld.global.u32 x0, [u]; ld.global.u32 x2, [u+16]; st.global.u32 [u+{offset}], {value}; add.u32 x0, x0, x2; {chain}"
        turns["ahead_" + name] = f"st.global.u32 [u+{offset}], {'x3' if name == 'own' else 'x1'}; ld.global.u32 x0, [u+8]; {chain} mov.u32 x3, x0;"
    for name, turn in turns.items():
        before = "mov.u32 x3, 0;" if "ahead" in name else ""
        yield f"open_stored_{name}", kernel(f"open_stored_{name}", turn * 4, setup + before), [(1, 32, 64, 3, 8192, True), (132, 32, 64, 3, 8192, True)], 4


def structures(kernel):
    """Structures of so many words, stored word by word: a warp's stores fill its sectors one after the other."""
    for words in (3, 5, 6, 8):
        name = f"open_structure_{words}"
        setup = REGISTERS + f"mul.wide.u32 u, g, {4 * words}; add.u64 u, u, d; mul.wide.u32 us, gs, {4 * words};"
        body = " ".join(f"st.global.u32 [u+{4 * k}], x1;" for k in range(words)) + " add.u64 u, u, us;"
        yield name, kernel(name, body, setup), [(264, 1024, 4, 0, 264 * 1024 * 4 * words + 1024, False), (264, 1024, 1, 0, 264 * 1024 * words + 1024, True)], words


def columns(kernel):
    """Each thread walks down a row of its own, 512 bytes from the next one's, in so many arrays: more than L1 and L2 hold, so that
    a word comes from DRAM anew (or stays, of one array)."""
    for arrays in (1, 4):
        name = f"open_rows_{arrays}"
        setup = REGISTERS + "mul.wide.u32 u, g, 512; add.u64 u, u, d; mul.wide.u32 us, gs, 512;"
        body = " ".join(f"add.u64 w{k}, us, {'u' if k == 0 else f'w{k - 1}'};" if k else "mov.u64 w0, u;" for k in range(arrays))
        body += " ".join(load(4, f"w{k}") for k in range(arrays)) + " add.u64 u, u, 4;"
        yield name, kernel(name, body, setup, AFTER), [(1056, 256, 64, 0, 1056 * 256 * 128 * arrays + 1024, False), (132, 64, 64, 0, 132 * 64 * 128 * arrays + 1024, False)], arrays


def loops(kernel):
    """Atomics that are loops: float and double in shared memory, warps of a block on one word, or each on its own."""
    for kind, register in (("f32", "f0"), ("f64", "d0")):
        for name, address in (("one", "v"), ("own", "vo")):
            setup = ".reg .u32 vo; shr.u32 vo, t, 5; mad.lo.u32 vo, vo, 8, v; add.u32 v, v, x; add.u32 vo, vo, x;"
            yield f"open_reds_{kind}_{name}", kernel(f"open_reds_{kind}_{name}", f"red.shared.add.{kind} [{address}], {register}; " * 2, setup), \
                [(1, block, 32, 3, 1024, True) for block in (32, 64, 256, 1024)], 2
        for name, scale in (("same", 0), ("eight", 8)):
            setup = REGISTERS + f"and.b32 h, t, 7; mul.wide.u32 u, h, {scale}; add.u64 u, u, d; cvt.u64.u32 us, x; add.u64 u, u, us;"
            yield f"open_redg_{kind}_{name}", kernel(f"open_redg_{kind}_{name}", f"red.global.add.{kind} [u], {register}; " * 2, setup), \
                [(1, 1024, 32, 3, 1024, True), (264, 256, 32, 3, 1024, True)], 2


def arrays(kernel):
    """Arrays of a thread of so many words: where L1 no longer holds those of all resident threads."""
    for words in (16, 128, 1024):
        name = f"open_local_{words}"
        setup = REGISTERS + f".local .align 16 .b8 loc[{words * 4}]; .reg .u64 lo; mov.u64 lo, loc; cvta.local.u64 lo, lo; cvta.to.local.u64 lo, lo;"
        body = ""
        for k in range(4):
            body += f"mad.lo.u32 k, i, 4, {k}; and.b32 k, k, {words - 1}; mul.wide.u32 u, k, 4; add.u64 u, u, lo; ld.local.u32 h, [u]; add.u32 h, h, x{k}; st.local.u32 [u], h; add.u32 x0, x0, h; "
        yield name, kernel(name, body, setup), [(132, block, 512, 3, 1024, True) for block in (32, 256, 1024)], 4


def gathers(kernel):
    """Random words that L1 holds: lines that it looks up in a cycle."""
    for words in (64, 1024, 16384):
        one = "add.u32 g, g, gs; " + HASH.format(to="k", of="g", t="h") + f" and.b32 k, k, {words - 1}; mul.wide.u32 u, k, 4; add.u64 u, u, d; " + load(4, "u")
        yield f"open_gather_l1_{words}", kernel(f"open_gather_l1_{words}", one * 4, REGISTERS, AFTER), [(132, 1024, 32, 0, 1 << 16, True)], 4


def control(kernel):
    """Branches around what ptxas does not predicate, none taken (BSSY, BRA, BSYNC); code that comes by once, beyond what the
    instruction caches hold; small blocks that do next to nothing."""
    body = " ".join(f"setp.eq.u32 pp, x{k}, 0x7fffffff; @pp bra O{k}; bra.uni P{k}; O{k}: atom.global.add.u32 x{k}, [d], 1; bar.warp.sync -1; P{k}: add.u32 x{k}, x{k}, 3;" for k in range(8))
    yield "open_branches", kernel("open_branches", body), SHAPES[:2], 8
    for count in (8192, 16384):
        line = " ".join(f"fma.rn.f32 f{k % 8}, f{k % 8}, a, b;" for k in range(count))
        yield f"open_code_{count}", kernel(f"open_code_{count}", line), [(132, 32, 1, 3, 1024, False), (132, 256, 2, 3, 1024, True)], count
    setup = REGISTERS + "mul.wide.u32 u, g, 4; add.u64 u, u, d;"
    for block in (32, 64, 128, 256):
        name = f"open_blocks_{block}"
        yield name, kernel(name, load(4, "u") + "add.u32 x1, x0, 1; st.global.u32 [u], x1;", setup), [((1 << 22) // block, block, 1, 0, (1 << 22) + 1024, False)], 1


def probes(kernel):
    for family in (constants, divisions, stores, stored_lines, structures, columns, loops, arrays, gathers, control):
        yield from family(kernel)
