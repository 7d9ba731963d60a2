"""Registers of a type that the instruction's place is not for: they index files of registers of another size."""
from run import case, ptx

REGISTERS = (".reg .b32 x, y, z; .reg .b64 d, e; .reg .b16 h; .reg .f32 f; .reg .f64 g; .reg .pred p, q; "
             ".reg .v4 .b32 v; .reg .b32 many<5000>; mov.u32 many4999, 1;")

# A guard that is no predicate read beside the predicates (found by mutants of tests/fuzz).
GUARDS = ("x", "!x", "d", "h", "f", "!g", "many4999", "v.x")
GUARDED = ("bra L;", "mov.u32 y, 1;", "bar.sync 0;", "exit;", "st.shared.u32 [0], 1;", "call f;")
for guard, what in [(guard, GUARDED[0]) for guard in GUARDS] + [("many4999", what) for what in GUARDED[1:]]:
    case(f"a guard that is no predicate is refused: @{guard} {what}",
         {"f.ptx": ptx(f"{REGISTERS} @{guard} {what} L: ret;", before=".func f { ret; }")}, exit=(2, 4),
         says="is no predicate but a register of")

# The same where a predicate is an operand, and where none is.
for body in ("selp.b32 x, y, z, x;", "selp.b32 x, y, z, d;", "setp.eq.u32 x, y, z;", "setp.eq.u32 d, y, z;",
             "setp.eq.u32 p|x, y, z;", "setp.eq.and.u32 p, y, z, x;", "setp.eq.and.u32 p, y, z, !x;", "and.pred p, q, x;",
             "mov.pred p, x;", "mov.b32 x, p;", "add.u32 x, p, q;", "add.u32 p, x, y;", "mov.u64 p, d;", "mov.b64 {x, p}, d;",
             "cvt.u32.u64 p, d;", "vote.sync.any.pred x, p, -1;", "vote.sync.ballot.b32 x, y, -1;", "vote.sync.ballot.b32 p, q, -1;",
             "shfl.sync.idx.b32 x|y, z, 0, 31, -1;", "shfl.sync.idx.b32 p|q, z, 0, 31, -1;", "bar.red.popc.u32 x, 0, y;",
             "bar.red.and.pred x, 0, p;", "st.shared.u32 [0], p;",
             "atom.shared.add.u32 p, [0], 1;", "atom.shared.add.u32 x, [0], p;", "ld.shared.v2.u32 {x, p}, [0];",
             "add.u64 d, x, y;", "add.u32 d, e, e;", "mul.wide.u32 x, y, z;", "add.f64 f, f, f;", "add.f32 g, g, g;",
             "mov.u32 v, x;", "mad.lo.u64 x, y, z, x;", "match.all.sync.b32 x|y, z, -1;", "isspacep.shared x, d;",
             "testp.finite.f32 x, f;", "lop3.or.b32 x|y, y, z, x, 1, p;", "brx.idx p, T;", "brx.idx d, T;"):
    case(f"a register of another type is refused or read as what it is: {body}",
         {"f.ptx": ptx(f".shared .align 16 .b8 s[64]; {REGISTERS} T: .branchtargets L; {body} L: ret;")}, exit=(0, 1, 2, 4),
         never="internal error|crash")

# A predicate as an address indexed 64-bit registers; the second half of a pair that is no predicate was written to.
for body in ("ld.shared.u32 x, [p];", "ld.global.u32 x, [q+4];", "st.shared.u32 [p], x;", "atom.global.add.u32 x, [p], 1;", "ld.u32 x, [p];",
             "prefetch.global.L2 [p];", "match.all.sync.b32 x|y, z, -1;", "match.all.sync.b64 x|d, e, -1;", "shfl.sync.idx.b32 x|y, z, 0, 31, -1;",
             "setp.eq.u32 p|x, y, z;", "setp.eq.u32 _|x, y, z;", "elect.sync x|y, -1;", "lop3.or.b32 x|y, y, z, x, 1, p;", "ld.shared.u32 p, [0];",
             "ld.local.u32 x, [p];", "cvta.to.global.u64 d, p;"):
    case(f"a register that cannot stand there is refused: {body}",
         {"f.ptx": ptx(f".shared .align 16 .b8 s[64]; {REGISTERS} {body} ret;", target="sm_90", version="8.3")}, exit=(2, 4),
         says="wrong type|predicate register|not a form|not implemented")
for body in ("ld.param.u32 p, [n];", "ld.param.v2.u32 {x, p}, [n];", "ld.param.u64 p, [n];", "ld.param.v2.u32 {5, x}, [n];"):
    case(f"a parameter is loaded into no predicate: {body}",
         {"f.ptx": ptx(f"{REGISTERS} {body} ret;", parameters=".param .align 8 .b8 n[16]")}, exit=(2, 4), more=["--arg=n:bytes[16]={u64 1,u64 2}"],
         says="wrong type|not a register|expected")
for call in ("call f, (p);", "call (p), g;", "call (x), g, (p);"):
    case(f"a predicate is no argument: {call}",
         {"f.ptx": ptx(f"{REGISTERS} {call} ret;", before=".func f(.reg .b32 a) { ret; } .func (.reg .b32 r) g { mov.u32 r, 1; ret; }")},
         exit=(2, 4), says="error")
for space in ("shared", "local"):
    for value in ("5", "k", "{k, 1}"):
        case(f"a .{space} variable with the initial value {value} is refused",
             {"f.ptx": ptx("ret;", before=f".{space} .u64 s[2] = {value};")}, exit=(2, 4), says="only .global and .const variables")
