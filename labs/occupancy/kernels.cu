// Occupancy: how many of the warps that an SM could hold are resident. Each block takes its registers, its shared
// memory and its warps from the SM's stock when it starts, and gives them back when it ends: what runs out first
// decides how many blocks live side by side. Resident warps are what an SM has to hide latency: while one waits for its
// operands, another issues.
//
// The work of most kernels here is `steps` steps of a linear congruential generator on every element,
// x = a * x + c modulo 2^32: each step needs the result of the one before, a chain with nothing to overlap within it.
// a and c are arguments: with constants the compiler folds four steps into one, and a quarter of the chain is left.
// Every kernel takes dynamic shared memory (--shared): most do not touch it, and it keeps blocks out all the same.

// --- Values in registers: chains<4>, <12>, <28>, <96> --------------------------------------------
// A thread carries `values` elements through all steps at once, each in a register of its own: 4 fit into 16 registers
// per thread, 12 into 32, 28 into 64, 96 into 128 (the rest are addresses, bounds and the loop). Twice the registers
// are half the warps on an SM; but a thread now has `values` chains that do not wait for each other
// (instruction-level parallelism), and the loop's own instructions are shared by all of them.
//
// A warp takes 32 * values neighbouring elements and each lane every 32nd of them: loads are coalesced, and the
// distance between a lane's elements is a constant that costs no register.
template <int values>
__device__ void run_chains(const unsigned* in, unsigned* out, int n, int steps, unsigned a, unsigned c) {
  const long thread = long(blockIdx.x) * blockDim.x + threadIdx.x;
  const long first = thread / 32 * 32 * values + thread % 32;
  const long left = n - first;
  const int mine = left <= 0 ? 0 : left < 32L * values ? int(left + 31) / 32 : values;

  unsigned x[values];
#pragma unroll
  for (int k = 0; k < values; ++k) x[k] = k < mine ? in[first + k * 32] : 0;

#pragma unroll 1  // one copy of the loop's body: rungs differ by their values alone
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < values; ++k) x[k] = a * x[k] + c;
  }

#pragma unroll
  for (int k = 0; k < values; ++k) {
    if (k < mine) out[first + k * 32] = x[k];
  }
}

template <int values>
__global__ void chains(const unsigned* in, unsigned* out, int n, int steps, unsigned a, unsigned c) {
  run_chains<values>(in, out, n, steps, a, c);
}

// --- Launch bounds: chains_bounded<40> -----------------------------------------------------------
// The compiler does not know the block that a kernel will be launched with, and takes as many registers as it finds
// useful: chains<40> gets more than 80 on most GPUs, and a block of 1024 threads cannot start at all. The promise that
// no block has more than 1024 threads caps them at 65536 / 1024 = 64 per thread; it makes do with those, and half
// of the SM's warps are resident instead of a third.
//
// --- Spilling: chains_bounded<96> ----------------------------------------------------------------
// The same promise where 64 registers are not enough: what does not fit lies in local memory, and some of it is stored
// and loaded again in every step, through L1. Twice the occupancy of chains<96>, paid for with memory traffic that
// chains<96> does not have. ptxas counts it (spill stores, spill loads); PTX, and with it the simulator, knows no
// spills.
template <int values>
__global__ void __launch_bounds__(1024)
    chains_bounded(const unsigned* in, unsigned* out, int n, int steps, unsigned a, unsigned c) {
  run_chains<values>(in, out, n, steps, a, c);
}

// --- Instruction-level parallelism: chains<1>, <2>, <4>, <8> ---------------------------------------
// The other way to hide latency. With one chain per thread, each cycle that a step takes needs another warp; two chains
// need half as many, eight an eighth. With --shared keep the occupancy low and see which of them still runs at
// full speed.

// --- Shared memory --------------------------------------------------------------------------------
// Every block copies a table of `words` words to shared memory and then looks up one entry per element. The larger the
// table, the fewer blocks fit on an SM; and with blocks that stay (a stride over the grid) it is copied once
// per resident block instead of once per 128 elements.
__global__ void shared_table(const unsigned* in, const unsigned* table, unsigned* out, int n, int words) {
  extern __shared__ unsigned copy[];
  for (int w = threadIdx.x; w < words; w += blockDim.x) copy[w] = table[w];
  __syncthreads();
  const long stride = long(gridDim.x) * blockDim.x;
  for (long i = long(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    out[i] = words > 0 ? in[i] + copy[in[i] % words] : in[i];
  }
}

// --- Memory latency -------------------------------------------------------------------------------
// Each thread follows `hops` links of one random cycle through all elements. No load can start before the one before
// it has arrived, hundreds of cycles later, and nothing but other warps can fill them: here every resident
// warp counts, up to 100%.
__global__ void memory_latency(const unsigned* next, unsigned* out, int n, int hops) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned at = i;
  for (int hop = 0; hop < hops; ++hop) at = next[at];
  out[i] = at;
}

// --- Arithmetic latency ---------------------------------------------------------------------------
// The same chain of waiting, but on divisions: tens of cycles each instead of hundreds. Few warps fill those, and
// from there on more occupancy brings nothing.
__global__ void arithmetic_latency(const unsigned* in, float* out, int n, int steps, float divisor, float c) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  for (int step = 0; step < steps; ++step) x = x / divisor + c;
  out[i] = x;
}

// Every kernel for every number of values: naming a template's instance is enough for nvcc to compile it.
template <auto... kernel>
struct Compile {};
template struct Compile<chains<1>, chains<2>, chains<4>, chains<8>, chains<12>, chains<28>, chains<40>, chains<96>,
                        chains_bounded<40>, chains_bounded<96>>;
