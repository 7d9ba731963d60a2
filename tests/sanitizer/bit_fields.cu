// initcheck: words of which one bit-field is set after the other. README.md says how the comments are read.

struct Cell {
  unsigned value : 4, fixed : 1, row : 5, column : 5;
};
struct Signed {
  int a : 5, b : 11;
  long long c : 40;
};
struct Ends {
  int low : 20, top : 12;
};
struct Packed {
  unsigned char low : 3, high : 5;
  unsigned short rest : 9, flag : 1;
};

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void field_that_nobody_set(const int* in, int* out) {
  __shared__ Cell cells[32];
  const int t = threadIdx.x;
  cells[t].value = in[t];
  cells[t].fixed = t & 1;
  __syncthreads();
  const Cell& c = cells[31 - t];
  out[t] = c.value + c.fixed + c.row;  // guilty: initcheck read
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void field_in_the_other_half_of_a_byte(const int* in, int* out) {
  __shared__ Packed all[32];
  const int t = threadIdx.x;
  all[t].low = in[t];
  __syncwarp();
  if (all[31 - t].high > 3)  // guilty: initcheck read
    out[t] = all[31 - t].low;
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void flags_that_nobody_cleared(const int* in, int* out) {
  __shared__ unsigned flags[32];
  const int t = threadIdx.x;
  flags[t] |= in[t] > 5 ? 4 : 2;
  __syncwarp();
  out[t] = __popc(flags[31 - t]);  // guilty: initcheck read
}

// guilty <<<1, 32>>> in[32] out[32]?
extern "C" __global__ void flags_for_the_host_that_nobody_cleared(const int* in, unsigned* out) {
  if (in[threadIdx.x] > 5) out[threadIdx.x] |= 4;  // guilty: initcheck read
}

// guilty <<<1, 32>>> in[32] out[32]?
extern "C" __global__ void word_that_is_counted_up_and_masked(const int* in, int* out) {
  out[threadIdx.x] = (out[threadIdx.x] + in[threadIdx.x]) & 255;  // guilty: initcheck read
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void moved_to_a_neighbour(const int* in, int* out) {
  __shared__ unsigned words[64];
  const int t = threadIdx.x;
  words[t + 32] = (words[t] & ~15u) | in[t];  // guilty: initcheck read
  out[t] = words[t + 32];
}

#define PRMT(d, a, b, selector) asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(selector))
#define LOP3(d, a, b, c, table) asm("lop3.b32 %0, %1, %2, %3, " #table ";" : "=r"(d) : "r"(a), "r"(b), "r"(c))
#define BFE(d, type, a, position, length) \
  asm("bfe." #type " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(position), "r"(length))

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void byte_that_nobody_set_is_put_elsewhere(const int* in, int* out) {
  __shared__ uchar4 pixels[32];
  const int t = threadIdx.x;
  pixels[t].x = in[t];
  __syncwarp();
  unsigned all = reinterpret_cast<const unsigned*>(pixels)[31 - t], swapped;  // guilty: initcheck read
  PRMT(swapped, 0, all, 0x0005);
  out[t] = swapped + 1;
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void sign_of_a_byte_that_nobody_set(const int* in, int* out) {
  __shared__ uchar4 pixels[32];
  const int t = threadIdx.x;
  pixels[t].x = in[t];
  __syncwarp();
  unsigned all = reinterpret_cast<const unsigned*>(pixels)[31 - t], sign;  // guilty: initcheck read
  PRMT(sign, all, 0, 0x4449);
  out[t] = sign + 1;
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void bit_that_a_table_asks_for(const int* in, int* out) {
  __shared__ uchar4 pixels[32];
  const int t = threadIdx.x;
  pixels[t].x = in[t];
  __syncwarp();
  unsigned all = reinterpret_cast<const unsigned*>(pixels)[31 - t], odd;  // guilty: initcheck read
  LOP3(odd, all, 0x000001ff, in[t], 0xc0);
  out[t] = odd + 1;
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void field_whose_sign_nobody_set(const int* in, int* out) {
  __shared__ uchar4 pixels[32];
  const int t = threadIdx.x;
  pixels[t].x = in[t];
  __syncwarp();
  unsigned all = reinterpret_cast<const unsigned*>(pixels)[31 - t], field;  // guilty: initcheck read
  BFE(field, s32, all, 4, 5);
  out[t] = field + 1;
}

// guilty <<<1, 32>>> in[32] cells[32]? out[32]
extern "C" __global__ void field_in_global_memory_that_nobody_set(const int* in, Cell* cells, int* out) {
  const int t = threadIdx.x;
  cells[t].value = in[t];
  cells[t].row = t;
  __syncwarp();
  out[t] = cells[31 - t].column;  // guilty: initcheck read
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void sum_whose_high_bits_nobody_gave(const int* in, int* out) {
  __shared__ Ends ends[32];
  const int t = threadIdx.x;
  ends[t].low = in[t];
  __syncwarp();
  unsigned all = reinterpret_cast<const unsigned*>(ends)[31 - t];  // guilty: initcheck read
  all = (all + 3) & 0x1fffff;
  if (all > 20) out[t] = 1;
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void comparison_that_low_bits_decide(const int* in, int* out) {
  __shared__ Ends ends[32];
  const int t = threadIdx.x;
  ends[t].top = in[t] - 30;
  __syncwarp();
  const int all = reinterpret_cast<const int*>(ends)[31 - t];  // guilty: initcheck read
  if (all > (3 << 20) + 5) out[t] = 1;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void fields_in_shared_memory(const int* in, int* out) {
  __shared__ Cell cells[32];
  const int t = threadIdx.x;
  cells[t].value = in[t];
  cells[t].fixed = t & 1;
  __syncthreads();
  const Cell& c = cells[31 - t];
  out[t] = c.fixed ? c.value : 100;
  __syncthreads();
  cells[t].row = 31 - t;
  __syncthreads();
  if (cells[in[t] & 31].row > 7) out[t] += cells[in[t] & 31].value;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void fields_in_local_memory(const int* in, int* out) {
  Cell cells[9];
  const int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < 9; ++i) {
    Cell& c = cells[(i + in[t]) % 9];
    c.row = i;
    asm volatile("" ::: "memory");
    c.value = in[t] + i;
    asm volatile("" ::: "memory");
    c.fixed = in[t] > i;
  }
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 9; ++i)
    if (cells[i].fixed) sum += cells[i].value + cells[i].row;
  out[t] = sum;
}

// innocent <<<1, 32>>> in[32] cells[32]? out[32]
extern "C" __global__ void fields_in_global_memory(const int* in, Cell* cells, int* out) {
  const int t = threadIdx.x;
  cells[t].value = in[t];
  asm volatile("" ::: "memory");
  cells[t].fixed = 1;
  asm volatile("" ::: "memory");
  cells[t].column = 31 - t;
  __syncwarp();
  const Cell& c = cells[31 - t];
  out[t] = c.fixed * c.value + c.column;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void signed_fields_across_words(const int* in, int* out) {
  __shared__ Signed all[32];
  const int t = threadIdx.x;
  all[t].a = in[t];
  asm volatile("" ::: "memory");
  all[t].b = -in[t];
  asm volatile("" ::: "memory");
  all[t].c = in[t] * 1000ll;
  __syncwarp();
  const Signed s = all[31 - t];
  out[t] = s.a + s.b + static_cast<int>(s.c >> 3);
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void fields_of_bytes_and_halves(const int* in, int* out) {
  __shared__ Packed all[32];
  const int t = threadIdx.x;
  all[t].high = in[t];
  asm volatile("" ::: "memory");
  all[t].low = t;
  asm volatile("" ::: "memory");
  all[t].flag = 0;
  all[t].rest = in[t];
  __syncwarp();
  const Packed& p = all[31 - t];
  out[t] = p.low * p.high + p.rest;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void fields_counted_up(const int* in, int* out) {
  __shared__ Cell cells[32];
  const int t = threadIdx.x;
  cells[t].value = in[t];
  asm volatile("" ::: "memory");
  cells[t].value++;
  asm volatile("" ::: "memory");
  cells[t].column = in[t];
  asm volatile("" ::: "memory");
  cells[t].column -= cells[t].value;
  asm volatile("" ::: "memory");
  cells[t].value *= 3;
  __syncwarp();
  out[t] = cells[31 - t].value + cells[31 - t].column;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void fields_at_the_ends_of_a_word_compared(const int* in, int* out) {
  __shared__ Ends ends[32], others[32];
  const int t = threadIdx.x;
  ends[t].top = in[t] - 30;
  others[t].low = in[t];
  asm volatile("" ::: "memory");
  others[t].low = -others[t].low;
  __syncwarp();
  out[t] = others[31 - t].low;
  if (ends[31 - t].top > 3) out[t] += 1;
  if (ends[31 - t].top < 0) out[t] += 4;
  __syncwarp();
  ends[t].top += 1;
  if (ends[t].top == 7) out[t] += 8;
}

// innocent <<<1, 32>>> in[32] cells[32]? out[32]
extern "C" __global__ void struct_of_fields_copied(const int* in, Cell* cells, int* out) {
  __shared__ Cell own[32];
  const int t = threadIdx.x;
  own[t].value = in[t];
  asm volatile("" ::: "memory");
  own[t].row = t;
  __syncwarp();
  cells[t] = own[31 - t];
  __syncwarp();
  out[t] = cells[t].row * cells[t].value;
}

// innocent <<<1, 32>>> in[32] cells[32]? out[32]
extern "C" __global__ void copied_but_for_one_field(const int* in, Cell* cells, int* out) {
  __shared__ Cell own[32];
  const int t = threadIdx.x;
  own[t].value = in[t];
  __syncwarp();
  Cell c = own[31 - t];
  c.fixed = 1;
  cells[t] = c;
  __syncwarp();
  out[t] = cells[t].fixed * cells[t].value;
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void bits_cleared_by_an_atomic(const int* in, int* out) {
  __shared__ Cell cell;
  const int t = threadIdx.x;
  if (t == 0) cell.value = in[0];
  __syncthreads();
  atomicOr(reinterpret_cast<unsigned*>(&cell), 16u);
  __syncthreads();
  out[t] = cell.fixed + cell.value;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void bytes_put_together(const int* in, int* out) {
  __shared__ uchar4 pixels[32];
  const int t = threadIdx.x;
  pixels[t].x = in[t];
  pixels[t].z = 2 * in[t];
  __syncwarp();
  const unsigned all = reinterpret_cast<const unsigned*>(pixels)[31 - t];
  unsigned swapped, sign, odd, field, inserted;
  PRMT(swapped, all, 0, 0x4042);
  PRMT(sign, 0, all, 0x000e);
  LOP3(odd, all, 0x00ff00ff, in[t], 0x80);
  BFE(field, s32, all, 3, 5);
  asm("bfi.b32 %0, %1, %2, 8, 8;" : "=r"(inserted) : "r"(all), "r"(all & 0xffff00ff));
  BFE(inserted, u32, inserted, 0, 24);
  const unsigned turned = __funnelshift_l(all, all, 8) & 0xff00, reversed = __brev(all) >> 24;
  const int low = static_cast<short>(static_cast<int>(all & 0xff0000ff) * 3 + 1) & 0xff;
  out[t] = swapped + sign + odd + field + inserted + turned + reversed + low;
}

// Both halves of a warp load at one instruction before either half stores.
__device__ __noinline__ void set_between(Cell* c, int v) {
  const unsigned word = *reinterpret_cast<volatile unsigned*>(c);
  __syncwarp();
  *reinterpret_cast<volatile unsigned*>(c) = (word & ~15u) | (v & 15);
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void fields_set_by_two_halves_of_a_warp(const int* in, int* out) {
  __shared__ Cell cells[32];
  const int t = threadIdx.x;
  if (in[t] & 1)
    set_between(&cells[t], in[t]);
  else
    set_between(&cells[t], 7);
  __syncwarp();
  out[t] = cells[31 - t].value;
}
