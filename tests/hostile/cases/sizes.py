"""Sizes in PTX that do not fit 32 bits, or the hardware."""
from run import ARRAY, case, ptx

for size in (4294967296 + 16, 4294967295, 300000, 1 << 40):
    case(f"{size} bytes of shared memory are refused", {"f.ptx": ptx(f".shared .b8 s[{size}]; st.shared.u32 [s], 1; ret;")},
         exit=(2, 4), says="shared memory")
    case(f"{size} bytes of shared memory of the module are refused",
         {"f.ptx": ptx("st.shared.u32 [s], 1; ret;", before=f".shared .b8 s[{size}];")}, exit=(2, 4), says="shared memory")
case("shared arrays whose sum wraps in 32 bits are refused",
     {"f.ptx": ptx(".shared .b8 s[2147483648]; .shared .b8 t[2147483656]; st.shared.u32 [s], 1; ret;")}, exit=(2, 4),
     says="shared memory")
for align in (1 << 30, 1 << 18):
    case(f"dynamic shared memory aligned to {align} behind an array is refused",
         {"f.ptx": ptx(".shared .b8 t[16]; st.shared.u32 [t], 1; st.shared.u32 [s], 1; ret;",
                       before=f".extern .shared .align {align} .b8 s[];")}, exit=(2, 4), says="shared memory", megabytes=300)
case("a shared array aligned beyond the block's memory is refused",
     {"f.ptx": ptx(".shared .b8 t[16]; .shared .align 262144 .b8 s[4]; st.shared.u32 [s], 1; ret;")}, exit=(2, 4),
     says="shared memory")
for bytes_ in ("4294967295", "2147483648", "240000"):
    case(f"{bytes_} bytes of dynamic shared memory are refused",
         {"f.ptx": ptx("st.shared.u32 [s], 1; ret;", before=".extern .shared .b8 s[];")}, exit=2,
         more=["--shared", bytes_], megabytes=300)
for shape in (["--block", "1025"], ["--block", "4294967295"], ["--grid", "2147483648"], ["--grid", "1x65536"],
              ["--grid", "1x1x65536"], ["--block", "1x1x65"], ["--grid", "4294967296"]):
    case(f"a launch beyond the hardware is refused: {' '.join(shape)}", {"f.ptx": ptx("ret;")}, exit=2,
         command=["run", "f.ptx", "--device", "sim", "--kernel", "k",
                  *(["--block", "32"] if shape[0] == "--grid" else ["--grid", "1"]), *shape])
case("more predicates than micro-ops can name are refused",
     {"f.ptx": ptx(".reg .pred p<70000>; .reg .u32 r; mov.u32 r, %tid.x;" +
                   "".join(f"setp.eq.u32 p{i}, r, {i};" for i in range(66000)) +
                   "".join(f"@p{i} add.u32 r, r, 1;" for i in range(66000)) + "ret;")}, exit=4, says="more registers", long=True)
case("more registers than micro-ops can name are refused",
     {"f.ptx": ptx(".reg .u64 r<20000>; " + "".join(f"cvt.u64.u32 r{i}, %clock;" for i in range(17000)) +
                   "".join(f"add.u64 r0, r0, r{i};" for i in range(17000)) + "ret;")}, exit=4, says="more registers")
case("a group to wait for that does not fit 32 bits is refused",
     {"f.ptx": ptx("cp.async.wait_group 4294967296; ret;", target="sm_80")}, exit=4, says="32 bits")
for size in (1 << 40, 1 << 36):
    case(f"a global array of {size} bytes does not take the host's memory",
         {"f.ptx": ptx("st.global.u32 [g], 1; ret;", before=f".global .b8 g[{size}];")}, exit=4, says="this machine has")
MANY = "".join(f".visible .entry e{i}() {{ret;}}\n" for i in range(100000))
case("one of 100,000 kernels of a file is found", {"f.ptx": ptx("ret;") + MANY}, exit=0, seconds=8)
POLLS = "".join(f"L{i}: " + "ld.volatile.global.u32 r, [a]; " * 40 + f"setp.eq.u32 p, r, 77; @p bra L{i};" for i in range(2000))
case("80,000 loads that wait are looked at, and none for long",
     {"f.ptx": ptx(f".reg .u64 a; .reg .u32 r; .reg .pred p; ld.param.u64 a, [a_]; cvta.to.global.u64 a, a; {POLLS} ret;",
                   parameters=".param .u64 a_")}, more=[*ARRAY, "--sanitize", "all"], exit=0)
