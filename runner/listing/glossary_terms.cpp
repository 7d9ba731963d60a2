// The glossary's rows, by name. Facts are those of ../../configs/schema/README.md and of the counters' definitions.

#include <array>

#include "runner/listing/glossary.h"

namespace gpulab {
namespace {

constexpr std::array terms{
    Term{"achieved occupancy", "",
         "Warps that were resident on an SM, on average over a launch, divided by those that it could hold. It is "
         "below the "
         "theoretical occupancy where blocks end at different times or are too few. It needs time: the simulator "
         "models it.",
         "--metrics achieved_occupancy"},
    Term{"arithmetic intensity", "operational intensity",
         "Arithmetic operations for each byte that is moved. Below the point where a GPU's peak arithmetic meets its "
         "bandwidth, memory bounds a kernel, whatever its arithmetic is.",
         "gpulab list --metrics"},
    Term{
        "atomic operation", "atomic, atomics",
        "A read, a change and a write of one word that no other thread comes between. Lanes of a warp that meet on one "
        "address take turns.",
        "gpulab atomics, atomic_requests"},
    Term{"bank conflict", "bank",
         "Shared memory has 32 banks of 4 bytes, side by side. Lanes of a warp that want different words of one bank "
         "are served "
         "one after the other: each further turn is a conflict. The same word is a broadcast, and none.",
         "gpulab transpose, shared_load_bank_conflicts"},
    Term{"barrier", "syncthreads, __syncthreads",
         "A place where each thread of a block waits until all have come. What was written before it is seen behind "
         "it. Inside "
         "of a branch that not all threads take it is an error.",
         "--sanitize synccheck, barriers"},
    Term{"block", "thread block, CTA",
         "Threads that run on one SM, share its shared memory and can wait for each other. Blocks of a grid run in any "
         "order.",
         "--block"},
    Term{"bound", "",
         "What a kernel's time is spent on most, in the model: a memory's bandwidth, the issue of instructions, "
         "latency, or the "
         "launch itself. Making anything else faster does not help.",
         "--model"},
    Term{"branch efficiency", "", "Branches in which all active lanes of a warp went one way, divided by all branches.",
         "branch_efficiency"},
    Term{"cache line", "line", "128 bytes in L1 and L2, of which 32-byte sectors are loaded one by one.",
         "global_load_sectors"},
    Term{"class of inputs", "class, classes of inputs, hidden class, visible class",
         "Inputs of one kind on which a solution has to be right: empty ones, say, or sizes that are no multiple of a "
         "block. A contract has four to nine. Of a hidden class a student reads right or wrong, and nothing else.",
         "gpulab list LAB, gpulab check"},
    Term{"coalescing", "coalesced access, coalesced, uncoalesced",
         "Lanes of a warp that access neighbouring addresses are served by few sectors: 32 floats side by side take 4, "
         "32 floats "
         "far apart 32. What was moved and not asked for is lost bandwidth.",
         "gpulab coalescing, global_load_efficiency"},
    Term{"compute capability", "sm, sm_90",
         "The version of a GPU's architecture: 9.0 is Hopper, 8.0 Ampere. It says which instructions and limits there "
         "are.",
         "gpulab devices"},
    Term{"constant memory", "",
         "64 KiB that kernels read and the host writes. One address for a whole warp is one access; different ones "
         "take turns.",
         ""},
    Term{"contract", "",
         "What a kernel of a student's has to do in a lab: its parameters, the result, the blocks that it is launched "
         "with, and the classes of inputs that it is tried on. A lab has one or several.",
         "gpulab list LAB, gpulab check, gpulab new"},
    Term{"cooperative launch", "grid sync, cooperative groups",
         "A launch whose blocks are all resident at once, so that they may wait for each other.", "--cooperative"},
    Term{"dynamic parallelism", "child kernel",
         "A kernel that launches kernels. The child sees what its parent wrote before the launch, and ends before the "
         "parent "
         "does.",
         "gpulab dynpar"},
    Term{"DRAM", "global memory bandwidth, HBM, device memory",
         "The memory beside the GPU. What misses L2 comes from it, in 32-byte sectors.", "dram_read_throughput"},
    Term{"eligible warp", "", "A resident warp whose next instruction could issue now. Where an SM has none, it waits.",
         "--metrics eligible_warps_per_cycle"},
    Term{"event", "CUDA event",
         "A mark in a stream, whose time the device notes when it comes by: the difference of two is how long the work "
         "between "
         "them took.",
         "gpulab exec"},
    Term{"finding", "",
         "What a sanitizer tool accuses a kernel of, with file and line. One of severity error makes the exit code 1.",
         "--sanitize"},
    Term{"global memory", "",
         "Memory that all threads of a device see, and that outlives a kernel: what cudaMalloc gives.",
         "global_load_requests"},
    Term{"grid", "", "All blocks of a launch, in up to three dimensions.", "--grid"},
    Term{"initcheck", "",
         "The tool that finds uses of memory that nobody has written and of variables without a value.",
         "--sanitize initcheck"},
    Term{"kernel", "", "A function marked __global__: the host launches it, and each thread of a grid runs it.",
         "gpulab run"},
    Term{"L1", "L1 cache", "The cache of one SM, in the same memory as its shared memory.", ""},
    Term{"L2", "L2 cache", "The cache between all SMs and the DRAM.", ""},
    Term{
        "ladder", "rung, ladder of kernels, variant",
        "The kernels of a lab, its variants, in the order of the lecture. Each is a rung: it does the same work as the "
        "one that it is built on, and repairs one weakness of that.",
        "gpulab list LAB, gpulab LAB --variant all"},
    Term{"lane", "", "A thread's place in its warp, 0 to 31.", "gpulab trace"},
    Term{"latency", "",
         "The time from an instruction's issue to its result. A GPU hides it by other warps: it bounds a kernel that "
         "has too "
         "few.",
         "gpulab occupancy"},
    Term{"launch", "", "A kernel's start with a grid and a block; it returns before the kernel has run.",
         "gpulab launch"},
    Term{"local memory", "spill, register spill",
         "Memory of one thread that lies in device memory: arrays that are indexed at run time, and registers that do "
         "not fit.",
         "local_load_sectors"},
    Term{"memcheck", "", "The tool that finds accesses beside an allocation, misaligned ones, leaks.",
         "--sanitize memcheck"},
    Term{"modelled time", "model",
         "How long a launch would take on the GPU that is modelled, worked out from counters and microbenchmarks of "
         "that GPU. "
         "It is never measured, and comes with low_ms to high_ms, where nine of ten measured times lay.",
         "--model"},
    Term{"occupancy", "theoretical occupancy",
         "Warps that fit on an SM at once, divided by those that it could hold. Registers, shared memory, block size "
         "and the "
         "number of blocks limit it.",
         "gpulab occupancy, theoretical_occupancy"},
    Term{"pinned memory", "page-locked memory, cudaMallocHost",
         "Memory of the host that stays in place, so that copies run beside other work.", "--sanitize streamcheck"},
    Term{"predication", "predicated, select",
         "An instruction that runs only in lanes whose condition holds. Short branches become it: no lane jumps.", ""},
    Term{"PTX", "", "The assembler of a virtual GPU: what nvcc makes of CUDA, and what the simulator runs.",
         "gpulab list LAB --ptx"},
    Term{"ptxas", "SASS, machine code",
         "NVIDIA's compiler from PTX to SASS, the machine code of one GPU. It gives each variable a register, and may "
         "merge or remove instructions: so a GPU runs other numbers of them than the simulator, which runs PTX.",
         "gpulab list LAB --resources"},
    Term{"race", "data race, racecheck, hazard",
         "Two accesses of different threads to one byte, one of them a write, that nothing orders: no barrier, no "
         "atomic, no end "
         "of a kernel. The result may be right today.",
         "--sanitize racecheck"},
    Term{"reduction", "", "Many values become one: a sum, a maximum. In parallel it takes log2(n) steps.",
         "gpulab reduce"},
    Term{"register", "registers",
         "A thread's own fastest memory. A kernel that takes many leaves room for fewer warps.",
         "gpulab list LAB --resources"},
    Term{"request", "", "One memory instruction of a warp, whatever its lanes ask for.", "global_load_requests"},
    Term{"resident", "resident block, resident warp",
         "A block is resident from its start to its end: on one SM, with its registers and shared memory. How many an "
         "SM holds at once is occupancy; the rest of the grid waits.",
         "gpulab occupancy, waves"},
    Term{"roofline", "",
         "A picture of what bounds kernels: their rate of arithmetic over their arithmetic intensity, below the peaks "
         "of memory "
         "and arithmetic.",
         "gpulab roofline LAB"},
    Term{"SASS", "", "The machine code of a GPU, which ptxas makes of PTX. Counts of it differ from those of PTX.", ""},
    Term{"scan", "prefix sum", "Each element becomes the sum of those up to it.", "gpulab scan"},
    Term{"sector", "", "32 bytes: what L1, L2 and DRAM move at least.", "global_load_sectors"},
    Term{"shared memory", "",
         "Memory on the SM that a block's threads share, in 32 banks. It is as fast as L1, and the program says what "
         "is in it.",
         "gpulab matmul, shared_load_wavefronts"},
    Term{"shuffle", "__shfl_sync, warp shuffle", "Lanes of a warp read each other's registers, without memory.",
         "gpulab warps"},
    Term{"SIMT", "",
         "Single instruction, multiple threads: the lanes of a warp run one instruction at a time, each on its own "
         "data.",
         ""},
    Term{"SM", "streaming multiprocessor, multiprocessor",
         "A core of a GPU: it runs blocks, has registers, shared memory and L1, and issues the instructions of its "
         "warps.",
         "gpulab devices"},
    Term{
        "stall", "",
        "A warp that waits: for memory, at a barrier, for another result. What warps wait for most is where time goes.",
        "--metrics stall_barrier"},
    Term{"stream", "CUDA stream",
         "A queue of copies and launches that run in order. Different streams have no order but that of events and "
         "waits.",
         "--sanitize streamcheck"},
    Term{"stride", "", "The distance between the addresses of neighbouring lanes. One element is coalesced.",
         "gpulab coalescing"},
    Term{"synccheck", "", "The tool that finds barriers that not all threads come to.", "--sanitize synccheck"},
    Term{"tail", "tail effect",
         "The last wave of blocks, in which SMs stand idle: a grid of one block more than fits takes nearly twice the "
         "time.",
         "tail"},
    Term{"thread", "", "One run of a kernel's code, with registers of its own.", "thread_instructions"},
    Term{"tiling", "tile", "A block loads a piece of its input into shared memory once, and uses it many times.",
         "gpulab matmul"},
    Term{"unified memory", "managed memory, cudaMallocManaged", "Memory that host and device use by one address.",
         "gpulab exec"},
    Term{"vectorized access", "float4",
         "A load or store of 8 or 16 bytes by a lane: fewer instructions for the same bytes.", "gpulab saxpy"},
    Term{"volatile", "", "A word that is read and written each time, in order: not a barrier, and no atomic.", ""},
    Term{"warp", "", "32 threads of a block that run one instruction at a time together.", "gpulab warps"},
    Term{"warp divergence", "divergence, divergent branch, branch divergence",
         "Lanes of a warp that take different ways at a branch: the warp goes each way, one after the other, with the "
         "other "
         "lanes off.",
         "gpulab divergence, warp_execution_efficiency"},
    Term{"wave", "waves",
         "Blocks that are resident at once. A grid runs in waves: blocks divided by what all SMs hold.", "waves"},
    Term{"wavefront", "pass",
         "A pass of an access through shared memory or L1. More than its width needs are bank conflicts.",
         "shared_load_wavefronts"},
};

}  // namespace

std::span<const Term> glossary() { return terms; }

}  // namespace gpulab
