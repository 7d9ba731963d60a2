"""Local variables, parameters and calls: what a thread's frame holds, and the hardware's limits of it."""
from run import ARRAY, case, ptx

ARGUMENT = ".param .u64 a"
TOO_MUCH = "524288 bytes"

# The sizes of variables wrapped in 32 bits, and arguments were copied outside of the thread's memory.
WRAPS = """
extern "C" __device__ __noinline__ long long f(long long x){return x+1;}
__global__ void k(int* a){ a[0]=(int)f(a[1]);
 asm volatile("{ .param .b64 p; .local .align 8 .b8 gap[2048]; .param .b64 r;"
 ".local .align 8 .b8 pad[4294965248]; .reg .b64 t; mov.u64 t,0x4141414141414141;"
 "st.param.b64 [p],t; call (r), f, (p); }"); }
"""
case("sizes of local variables that wrap in 32 bits are refused (CUDA)", {"f.cu": WRAPS}, exit=(1, 2, 4), more=ARRAY,
     never="internal error")

F = ".func (.param .b64 r) f(.param .b64 x) { .reg .b64 t; ld.param.b64 t, [x]; st.param.b64 [r], t; ret; }"
CALL = "{{ .param .b64 p; {} .param .b64 r; {} .reg .b64 t; mov.u64 t, 1; st.param.b64 [p], t; call (r), f, (p); }} ret;"
for first, second in ((".local .align 8 .b8 gap[2048];", ".local .align 8 .b8 pad[4294965248];"),
                      (".local .b8 gap[4294967295];", ""),
                      (".local .b8 gap[4294967296];", ""),
                      (".local .b8 gap[1099511627775];", ".local .b8 pad[1099511627775];"),
                      (".local .align 1048576 .b8 gap[1];", ".local .align 1048576 .b8 pad[1];"),
                      (".local .b8 gap[524288];", ""),
                      (".local .align 16 .b8 gap[100000000];", ""),
                      (".param .b8 gap[4294967295];", ".param .align 2 .b8 pad[1];"),
                      (".param .align 536870912 .b8 gap[4];", ".param .b8 pad[4294967288];")):
    case(f"local variables beyond the hardware are refused: {first} {second}",
         {"f.ptx": ptx(CALL.format(first, second), before=F)}, exit=4, says=TOO_MUCH)
case("a function's parameters beyond the hardware are refused",
     {"f.ptx": ptx("ret;" + "{ .param .b8 p[4294967295]; call f, (p); }",
                   before=".func f(.param .b8 p[4294967295]) { ret; }")}, exit=4, says=TOO_MUCH)
case("a function's results beyond the hardware are refused",
     {"f.ptx": ptx("{ .param .b8 r[4294967300]; call (r), f; } ret;",
                   before=".func (.param .b8 r[4294967300]) f { ret; }")}, exit=4, says=TOO_MUCH)
case("16 MB of local memory per thread are refused", {"f.ptx": ptx(".local .b8 big[16777216]; ret;")}, exit=4,
     says=TOO_MUCH)
case("half a megabyte of local memory per thread is what the hardware has",
     {"f.ptx": ptx(".local .align 16 .b8 big[524288]; .reg .u32 r; st.local.u32 [big+524284], 7; "
                   "ld.local.u32 r, [big+524284]; ret;")}, exit=0)
case("half a megabyte of local memory for each of 1024 threads takes no host memory that nobody touches",
     {"f.ptx": ptx(".local .align 16 .b8 big[524288]; st.local.u32 [big+524284], 7; ret;")}, exit=0, megabytes=300,
     command=["run", "f.ptx", "--device", "sim", "--kernel", "k", "--grid", "64", "--block", "256", "--threads", "2"])
case("frames that are called one inside the other count together",
     {"f.ptx": ptx("call f; ret;", before=".func g { .local .b8 b[300000]; ret; } .func f { .local .b8 b[300000]; "
                   "call g; ret; }")}, exit=4, says="of which a thread has 524288")
case("a local address beyond its variable faults",
     {"f.ptx": ptx(".local .b8 b[16]; st.local.u32 [b+2147483632], 1; ret;")}, exit=4, says="out-of-bounds")
for offset in ("4294967296", "9223372036854775792", "-9223372036854775808"):
    case(f"an offset of {offset} from a local variable is refused or faults",
         {"f.ptx": ptx(f".local .b8 b[16]; .reg .u64 d; mov.u64 d, b+{offset}; st.local.u32 [d], 1; ret;")}, exit=(2, 4))

# Parameters of kernels.
for size in (32765, 4294967296 + 16, 1 << 40):
    case(f"{size} bytes of parameters are refused", {"f.ptx": ptx("ret;", f".param .b8 p[{size}]")}, exit=(2, 4),
         says="error")
for parameters in (".param .align 1073741824 .b8 p[4], .param .align 1073741824 .b8 q[4], "
                   ".param .align 1073741824 .b8 r[4], .param .align 1073741824 .b8 s[4]",
                   ".param .u32 p, .param .align 65536 .u32 q, .param .u32 r, .param .u32 s"):
    case(f"parameters whose alignments are beyond the hardware are refused: {parameters}",
         {"f.ptx": ptx("ret;", parameters)}, more=[f"--arg={n}:u32=1" for n in "pqrs"], exit=(2, 4), says="error")
for offset in (8, 4294967296, 2147483647, -4):
    case(f"a load at {offset} of an 8-byte parameter block is refused",
         {"f.ptx": ptx(f".reg .u32 r; ld.param.u32 r, [a+{offset}]; ret;", ARGUMENT)}, exit=4, more=ARRAY,
         says="beyond the kernel's 8 bytes")

# Functions that say nothing.
for body in ("", ".reg .u32 r;", '.loc 1 1 1', "{ }", "L: ", ".pragma \"nounroll\";", ".local .b8 x[4];"):
    case(f"an empty kernel is a kernel: {body!r}", {"f.ptx": ptx(body, before='.file 1 "f.cu"')}, exit=0)
case("an empty function is a function", {"f.ptx": ptx("call f; call g; ret;", before=".func f { } .func g { .reg .u32 r; }")},
     exit=0)
case("an empty kernel has nothing to sanitize", {"f.ptx": ptx("")}, more=["--sanitize", "all"], exit=0)
case("an empty kernel has nothing to explain", {"f.ptx": ptx("")}, exit=(0, 1),
     command=["explain", "f.ptx", "--kernel", "k", "--grid", "1", "--block", "32"])

# Calls that do not fit what they call.
for before, body in ((".func f(.param .b32 x) { ret; }", "{ .param .b32 p; .param .b32 q; call f, (p, q); } ret;"),
                     (".func f(.param .b8 x[65536]) { ret; }", "{ .param .b8 p[4]; call f, (p); } ret;"),
                     (".func (.param .b8 r[65536]) f { ret; }", "{ .param .b8 p[4]; call (p), f; } ret;"),
                     (".func (.param .b32 r) f { ret; }",
                      "{ .param .b32 p; .param .b32 q; call (p, q), f; } ret;"),
                     (".func f { ret; }", ".reg .u64 t; mov.u64 t, k; P: .callprototype _ (); call t, P; ret;"),
                     (".func f { ret; }", ".reg .u64 t; mov.u64 t, f; add.u64 t, t, 4294967296; "
                      "call t, (), P; P: .callprototype _ (); ret;")):
    case(f"a call that does not fit ends with a word: {before} {body}", {"f.ptx": ptx(body, before=before)},
         exit=(0, 2, 4), never="internal error")
