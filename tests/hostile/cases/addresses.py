"""Addresses of registers: next to 2^63 and 2^64, in every space and by every way to get at memory."""
from run import ARRAY, case, ptx

NEAR = ["0x7ffffffffffffff0", "0x8000000000000000", "0x7fffffffffffffff", "0xfffffffffffffff0", "0xffffffffffffffff",
        "0x100000000", "0x1000000ffff0", "0xffffff0000000000"]
SHARED = ".shared .align 16 .b8 s[1024];"
MBARRIER = "mov.u32 m, s; mbarrier.init.shared.b64 [m], 1;"
USE = {
    "ld.shared": "ld.shared.u32 x, [p];",
    "ld.shared with an offset": "ld.shared.u32 x, [p+2147483644];",
    "ld.shared twice": "ld.shared.u32 x, [p]; ld.shared.u32 y, [p+4]; ld.shared.u32 y, [p-2147483648];",
    "ld.shared.v4": "ld.shared.v4.u32 {x, y, x, y}, [p];",
    "ld.shared.u8": "ld.shared.u8 x, [p];",
    "st.shared": "st.shared.u64 [p], p;",
    "st.shared.v2": "st.shared.v2.u64 [p], {p, p};",
    "atom.shared": "atom.shared.add.u32 x, [p], 1;",
    "atom.shared.cas": "atom.shared.cas.b64 t, [p], t, t;",
    "red.shared": "red.shared.add.f32 [p], 0f3F800000;",
    "ldmatrix": "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {x}, [p];",
    "ldmatrix.x4": "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {x, y, x, y}, [p];",
    "cp.async": "cp.async.ca.shared.global [p], [g], 16; cp.async.wait_all;",
    "cp.async from": "cvt.u64.u32 t, m; cp.async.ca.shared.global [t], [p], 4; cp.async.wait_all;",
    "bulk load": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [p], [g], 16, [m];",
    "bulk load from": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [m], [p], 4294967280, [m];",
    "bulk load at a strange mbarrier":
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [m], [g], 16, [p];",
    "bulk store": "cp.async.bulk.global.shared::cta.bulk_group [p], [m], 16; cp.async.bulk.commit_group; "
                  "cp.async.bulk.wait_group 0;",
    "bulk store from": "cp.async.bulk.global.shared::cta.bulk_group [g], [p], 4294967280; "
                       "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
    "bulk copy within": "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [p], [p], 16, [m];",
    "mbarrier.init": "mbarrier.init.shared.b64 [p], 1;",
    "mbarrier.arrive": "mbarrier.arrive.shared.b64 t, [p];",
    "cp.async.mbarrier.arrive": "cp.async.mbarrier.arrive.noinc.shared.b64 [p];",
    "ld.local": "ld.local.u32 x, [p];",
    "st.local.v4": "st.local.v4.u32 [p], {x, y, x, y};",
    "ld generic": "ld.u32 x, [p];",
    "st generic": "st.v4.u32 [p], {x, y, x, y};",
    "atom generic": "atom.add.u32 x, [p], 1;",
    "ld.global": "ld.global.u32 x, [p];",
    "atom.global": "atom.global.add.u32 x, [p], 1;",
    "red.global.f32": "red.global.add.f32 [p], 0f3F800000;",
    "wmma.load": "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {x, y, x, y, x, y, x, y}, [p], n;",
    "wmma.load generic": "wmma.load.a.sync.aligned.row.m16n16k16.f16 {x, y, x, y, x, y, x, y}, [p], n;",
}
for number, (what, use) in enumerate(USE.items()):
    for spread in (0, 1024):
        for near in NEAR:
            body = (f"{SHARED} .reg .u64 p, t, g; .reg .u32 x, y, i, m, n; ld.param.u64 g, [a]; mov.u32 i, %tid.x; "
                    f"mov.u32 n, 0xffffffff; {MBARRIER} mul.wide.u32 t, i, {spread}; add.u64 p, t, {near}; {use} ret;")
            if (spread and near not in NEAR[:2]) or (not spread and near not in NEAR[2:6] and "shared" not in use):
                continue
            case(f"{what} at {near} + tid * {spread}", {"f.ptx": ptx(body, ".param .u64 a", target="sm_90")}, more=ARRAY,
                 exit=4, says="out-of-bounds|misaligned|outside shared memory|no multiples", never="internal error",
                 long=(number + NEAR.index(near)) % 3 != 0)  # each way keeps some addresses, each address some ways

# What a copy writes may have been freed.
BEFORE = """.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
"""
MALLOC = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 p, [r]; }"
FREE = "{ .param .b64 n; st.param.b64 [n], p; call free, (n); }"
STORE = "mov.u32 m, s; cp.async.bulk.global.shared::cta.bulk_group [p], [m], 16; cp.async.bulk.commit_group;"
for end in ("cp.async.bulk.wait_group 0; ret;", "ret;", "exit;"):
    case(f"a bulk store to memory that has been freed faults: {end}",
         {"f.ptx": ptx(f"{SHARED} .reg .u64 p; .reg .u32 m; {MALLOC} {STORE} {FREE} {end}", before=BEFORE,
                       target="sm_90")}, exit=4, says="has been freed")
for use in ("atom.global.add.u32 x, [p], 1;", "red.global.add.f32 [p], 0f3F800000;", "atom.add.u32 x, [p], 1;",
            "ld.global.u32 x, [p];", "cp.async.ca.shared.global [s], [p], 16;"):
    case(f"memory that has been freed is no memory: {use}",
         {"f.ptx": ptx(f"{SHARED} .reg .u64 p; .reg .u32 x; {MALLOC} {FREE} {use} ret;", before=BEFORE, target="sm_90")},
         exit=4, says="has been freed")
