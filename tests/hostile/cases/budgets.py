"""Work and memory beside instructions: what is printed, copied, queued, allocated, saved and decoded has its budget."""
from run import ARRAY, case, ptx

LITTLE = ["--budget", "20000000"]
RUN = "run f.ptx --device sim --kernel k --threads 2".split()
BEFORE = """.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b32 r) __cudaCDP2Memset2DAsync(.param .b64 a, .param .b64 p, .param .b32 v, .param .b64 w,
  .param .b64 h, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2MemsetAsync(.param .b64 a, .param .b32 v, .param .b64 w, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2Memcpy2DAsync(.param .b64 a, .param .b64 p, .param .b64 b, .param .b64 q,
  .param .b64 w, .param .b64 h, .param .b32 k, .param .b64 s);
.extern .func (.param .b64 r) __cudaCDP2GetParameterBuffer(.param .b64 a, .param .b64 n);
.extern .func (.param .b64 r) __cudaCDP2GetErrorString(.param .b32 e);
.extern .func (.param .b32 r) __cudaCDP2StreamCreateWithFlags(.param .b64 p, .param .b32 f);
"""


def forever(body, before="", head="", target="sm_90"):
    return ptx(f"{head} .reg .u64 p, q; .reg .u32 x, y; .reg .f32 f; .shared .align 16 .b8 s[1024]; ld.param.u64 p, [a]; "
               f"mov.u32 x, 0; L: {body} add.u32 x, x, 1; bra L;", ".param .u64 a", before, target=target)


def endless(name, body, before="", head="", exit=4, says="did not end within", more=(), target="sm_90", **others):
    case(name, {"f.ptx": forever(body, before, head, target)}, more=[*ARRAY, *LITTLE, *more], exit=exit, says=says, **others)


# What runs for ever, plain and with every tool (tests/bench/endless_loops.py times them). The last ones hand over from
# thread to thread, so that racecheck has to find out who knows of whom: their locations are released without end.
OWN = "mov.u32 y, %tid.x; mul.lo.u32 y, y, 4; cvt.u64.u32 q, y; add.u64 q, q, p;"
LOOPS = {
    "nothing": "", "loads": "ld.global.u32 y, [p];", "stores": "st.global.u32 [p], x;",
    "shared stores": "st.shared.u32 [s], x;", "barriers": "bar.sync 0;", "shuffles": "shfl.sync.idx.b32 y, x, 0, 31, -1;",
    "votes": "vote.sync.ballot.b32 y, 1, -1;", "waits of a warp": "bar.warp.sync -1;",
    "atomics": "atom.global.add.u32 y, [p], 1;", "fences": "membar.gl;",
    "scattered loads": "mul.lo.u32 y, x, 4; and.b32 y, y, 4095; cvt.u64.u32 q, y; add.u64 q, q, p; ld.global.u32 y, [q];",
    "fences and stores": OWN + "st.volatile.global.u32 [q], x; membar.gl;",
    "flags that are polled": OWN + "xor.b64 q, q, 4; ld.volatile.global.u32 y, [q]; membar.gl; xor.b64 q, q, 4; "
                             "st.volatile.global.u32 [q], x;",
    "undefined values": "ld.shared.u32 y, [s]; add.u32 y, y, 1; shl.b32 y, y, 2; and.b32 y, y, x; or.b32 y, y, 1;",
    "copied padding": "st.shared.u8 [s], x; ld.shared.u32 y, [s]; or.b32 y, y, 1; st.global.u32 [p], y;",
    "releases": OWN + "st.release.gpu.global.u32 [q], x;",
    "releases and acquires": OWN + "xor.b64 q, q, 128; ld.acquire.gpu.global.u32 y, [q]; xor.b64 q, q, 128; "
                             "st.release.gpu.global.u32 [q], x;",
    "atomics that acquire and release": "atom.acq_rel.gpu.global.add.u32 y, [p], 1;",
    "a lock": "atom.global.cas.b32 y, [p], 0, 1; membar.gl; ld.volatile.global.u32 y, [p+4]; add.u32 y, y, 1; "
              "st.volatile.global.u32 [p+4], y; membar.gl; atom.global.exch.b32 y, [p], 0;"}
QUICK = ("nothing", "loads", "barriers", "scattered loads", "releases and acquires")  # one of a kind; the others take long
for what, body in LOOPS.items():
    endless(f"an endless loop with {what} uses up its budget", body, long=what not in QUICK)
    endless(f"an endless loop with {what} uses up its budget under all tools", body, more=["--sanitize", "all"],
            exit=(1, 4), long=what not in QUICK)

# Queued: float reductions, whose order waits for the blocks before, and copies that nobody waits for.
for what, body in {"red.add.f32": "red.global.add.f32 [p], 0f3F800000;", "red.add.f64": "red.global.add.f64 [p], 0d0000000000000000;",
                   "cp.async": "cp.async.ca.shared.global [s], [p], 16;",
                   "cp.async with groups": "cp.async.ca.shared.global [s], [p], 4; cp.async.commit_group;",
                   "cp.async that waits for none": "cp.async.ca.shared.global [s], [p], 16; cp.async.commit_group; "
                                                   "cp.async.wait_group 2147483647;",
                   "bulk stores": "cvta.shared.u64 q, 0; cp.async.bulk.global.shared::cta.bulk_group [p], [s], 1024;"}.items():
    case(f"{what} in a loop takes no memory without end", {"f.ptx": forever(body, target="sm_90")}, exit=4,
         says="did not end within", command=[*RUN, "--grid", "64", "--block", "128", *ARRAY, *LITTLE],
         long=what != "red.add.f32")
case("bulk loads in a loop take no memory without end",
     {"f.ptx": ptx(".shared .align 16 .b8 s[65536]; .shared .align 8 .b64 m; .reg .u64 p; .reg .u32 x; ld.param.u64 p, [a]; "
                   "mbarrier.init.shared.b64 [m], 1000; L: mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 4096; "
                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [p], 4096, [m]; bra L;",
                   ".param .u64 a", target="sm_90")}, exit=4, more=[*ARRAY, *LITTLE], long=True)

# Allocated.
MALLOC = "{{ .param .b64 n; .param .b64 r; st.param.b64 [n], {}; call (r), malloc, (n); ld.param.b64 q, [r]; }}"
FREE = "{ .param .b64 n; st.param.b64 [n], q; call free, (n); }"
for size in (16, 1, 4096):
    endless(f"malloc and free of {size} bytes in a loop take no memory without end", MALLOC.format(size) + FREE, BEFORE,
            long=size != 16)
    endless(f"malloc of {size} bytes without free takes what the heap has", MALLOC.format(size), BEFORE, long=size == 1)
endless("malloc of nearly 2^64 bytes has none", MALLOC.format(-1) + FREE, BEFORE)
endless("malloc and free in a loop take no memory without end under all tools", MALLOC.format(64) + "st.u32 [q], x;" + FREE,
        BEFORE, more=["--sanitize", "all"], exit=(1, 4), long=True)
endless("parameters of launches that are never made take no memory without end",
        "{ .param .b64 c; .param .b64 n; .param .b64 r; st.param.b64 [c], 0; st.param.b64 [n], 4096; "
        "call (r), __cudaCDP2GetParameterBuffer, (c, n); }", BEFORE)
endless("texts of errors take no memory without end",
        "{ .param .b32 c; .param .b64 r; st.param.b32 [c], x; call (r), __cudaCDP2GetErrorString, (c); }", BEFORE)
endless("streams that are never used take no memory without end",
        "{ .param .b64 c; .param .b32 n; .param .b32 r; st.param.b64 [c], p; st.param.b32 [n], 1; "
        "call (r), __cudaCDP2StreamCreateWithFlags, (c, n); }", BEFORE)
case("what a kernel may not free stays",
     {"f.ptx": ptx("{ .param .b64 c; .param .b64 n; .param .b64 r; .reg .u64 q; st.param.b64 [c], 0; st.param.b64 [n], 64; "
                   "call (r), __cudaCDP2GetParameterBuffer, (c, n); ld.param.b64 q, [r]; " + FREE + "} ret;", before=BEFORE)},
     exit=4, says="malloc has not returned")

# Copied: by streams of a kernel.
SET = ("{{ .param .b64 a0; .param .b64 a1; .param .b32 a2; .param .b64 a3; .param .b64 a4; .param .b64 a5; .param .b32 r; "
       ".reg .u64 p; ld.param.u64 p, [a]; st.param.b64 [a0], {to}; st.param.b64 [a1], {pitch}; st.param.b32 [a2], 0; "
       "st.param.b64 [a3], {width}; st.param.b64 [a4], {height}; st.param.b64 [a5], 0; "
       "call (r), __cudaCDP2Memset2DAsync, (a0, a1, a2, a3, a4, a5); }} ret;")
for to, pitch, width, height in (("p", 0, 0, 1 << 60), ("p", 0, 1, 1 << 60), ("p", 4096, 4096, 1 << 52), ("p", 16, 0, -1),
                                 ("p", -1, 16, 2), ("p", 1 << 63, 16, 3), (0, 0, 0, 1 << 60), ("p", 1, 16, 1 << 40)):
    case(f"a fill of {height} rows of {width} bytes, {pitch} apart, from {to} ends",
         {"f.ptx": ptx(SET.format(to=to, pitch=pitch, width=width, height=height), ".param .u64 a", BEFORE)}, more=ARRAY,
         exit=(0, 4))
COPY = ("{{ .param .b64 a0; .param .b64 a1; .param .b64 a2; .param .b64 a3; .param .b64 a4; .param .b64 a5; .param .b32 a6; "
        ".param .b64 a7; .param .b32 r; .reg .u64 p; ld.param.u64 p, [a]; st.param.b64 [a0], p; st.param.b64 [a1], {pitch}; "
        "st.param.b64 [a2], p; st.param.b64 [a3], {pitch}; st.param.b64 [a4], {width}; st.param.b64 [a5], {height}; "
        "st.param.b32 [a6], 3; st.param.b64 [a7], 0; call (r), __cudaCDP2Memcpy2DAsync, (a0, a1, a2, a3, a4, a5, a6, a7); "
        "}} ret;")
for pitch, width, height in ((0, 0, 1 << 60), (0, 8, 1 << 60), (64, 8, 1 << 60), (64, 8, 64)):
    case(f"a copy of {height} rows of {width} bytes, {pitch} apart, ends",
         {"f.ptx": ptx(COPY.format(pitch=pitch, width=width, height=height), ".param .u64 a", BEFORE)}, more=ARRAY,
         exit=(0, 4))
case("a fill of memory that is freed before it runs is a fault",
     {"f.ptx": ptx("{ .reg .u64 q; " + MALLOC.format(64) + "{ .param .b64 a0; .param .b32 a1; .param .b64 a2; .param .b64 a3; "
                   ".param .b32 r; st.param.b64 [a0], q; st.param.b32 [a1], 0; st.param.b64 [a2], 64; st.param.b64 [a3], 0; "
                   "call (r), __cudaCDP2MemsetAsync, (a0, a1, a2, a3); }" + FREE + "} ret;", before=BEFORE)}, exit=4,
     says="have been freed")

# Called: recursion and graphs of calls.
case("recursion without a frame ends", {"f.ptx": ptx("call f; ret;", before=".func f { call f; ret; }")}, exit=4,
     says="stack overflow", more=LITTLE)
case("mutual recursion without frames ends",
     {"f.ptx": ptx("call f; ret;", before=".func g; .func f { call g; ret; } .func g { call f; ret; }")}, exit=4,
     says="stack overflow", more=LITTLE)
case("recursion through a pointer ends",
     {"f.ptx": ptx("call f; ret;", before=".func f { .reg .u64 t; mov.u64 t, f; P: .callprototype _ (); call t, P; ret; }")},
     exit=(2, 4), more=LITTLE)
case("recursion with many registers takes no memory without end",
     {"f.ptx": ptx("call f; ret;", before=".func f { .reg .u64 r<2000>; " +
                   "".join(f"cvt.u64.u32 r{i}, %clock;" for i in range(2000)) + "call f; " +
                   "".join(f"add.u64 r0, r0, r{i};" for i in range(2000)) + "ret; }")}, exit=4, says="stack overflow",
     command=[*RUN, "--grid", "4", "--block", "1024", *LITTLE])
case("40 functions that call the next one twice are laid out at once",
     {"f.ptx": ptx("call f0; ret;", before="".join(f".func f{i};" for i in range(41)) +
                   "".join(f".func f{i} {{ call f{i + 1}; call f{i + 1}; ret; }}" for i in range(40)) +
                   ".func f40 { ret; }")}, exit=4, says="did not end within", more=LITTLE)
case("40 functions that call all later ones are laid out at once",
     {"f.ptx": ptx("ret; call f0; ret;", before="".join(f".func f{i};" for i in range(60)) +
                   "".join(f".func f{i} {{ {''.join(f'call f{k};' for k in range(i + 1, 60))} ret; }}" for i in range(60)))},
     exit=0)
case("3000 functions in a chain are laid out in memory that fits",
     {"f.ptx": ptx("call f0; ret;", before="".join(f".func f{i};" for i in range(3000)) +
                   "".join(f".func f{i} {{ call f{i + 1}; ret; }}" for i in range(2999)) + ".func f2999 { ret; }")},
     exit=(0, 4), more=LITTLE, long=True)

# Decoded.
case("600,000 instructions are too many", {"f.ptx": ptx("ret;" * 600000)}, exit=4,
     says="at most 524288", long=True)
case("100,000 loads take memory that fits",
     {"f.ptx": ptx(".reg .u32 r; .reg .u64 p; ld.param.u64 p, [a];" +
                   "".join(f"ld.global.u32 r, [p+{4 * (i % 1024)}];" for i in range(100000)) + "ret;", ".param .u64 a")},
     more=["--arg", "a:i32[2048]=iota"], exit=0, long=True)
case("100,000 shared stores by as many registers are joined in time",
     {"f.ptx": ptx(".shared .b8 s[1024]; .reg .u32 r<1000>; " + "".join(
         f"mov.u32 r{i % 1000}, %clock; and.b32 r{i % 1000}, r{i % 1000}, 0; st.shared.u32 [r{i % 1000}], 1;"
         for i in range(50000)) + "ret;")}, exit=0, long=True)
case("20,000 branches that go round each other find where they meet",
     {"f.ptx": ptx(".reg .pred p; .reg .u32 r; mov.u32 r, %tid.x; setp.eq.u32 p, r, 77;" + "".join(
         f"@p bra L{i};" for i in range(20000)) + "".join(f"L{i}: add.u32 r, r, 1;" for i in range(20000)) + "ret;")}, exit=0, long=True)
case("20,000 branches back and forth find where they meet",
     {"f.ptx": ptx(".reg .pred p; .reg .u32 r; mov.u32 r, %tid.x; setp.eq.u32 p, r, 77;" + "".join(
         f"L{i}: @p bra L{(i * 7919) % 20000};" for i in range(20000)) + "ret;")}, exit=0, long=True)
