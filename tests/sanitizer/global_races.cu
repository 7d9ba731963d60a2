// racecheck in global memory, within a block and between blocks. README.md says how the comments are read.

// guilty <<<4, 32>>> in[128] out[1]=0
extern "C" __global__ void sum_without_atomics(const int* in, int* out) {
  out[0] += in[blockIdx.x * 32 + threadIdx.x] + 1;  // guilty: racecheck read write
}

// guilty <<<4, 32>>> in[128] out[16]=0
extern "C" __global__ void histogram_without_atomics(const int* in, int* out) {
  ++out[in[blockIdx.x * 32 + threadIdx.x] & 15];  // guilty: racecheck read write
}

// guilty <<<4, 32>>> in[128] out[1]=0
extern "C" __global__ void maximum_without_atomics(const int* in, int* out) {
  const int v = in[blockIdx.x * 32 + threadIdx.x] + threadIdx.x + 1000 * blockIdx.x;
  if (v > *out)  // guilty: racecheck read
    *out = v;    // guilty: racecheck write
}

// Each block smooths its part in place, while its neighbours still read its edge.
// guilty <<<4, 32>>> data[128] 128
extern "C" __global__ void stencil_in_place_between_blocks(int* data, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const int sum = data[max(i - 1, 0)] + data[i] + data[min(i + 1, n - 1)];  // guilty: racecheck read
  __syncthreads();
  data[i] = sum + 1;  // guilty: racecheck write
}

// guilty <<<2, 64>>> in[128] out[128] 128
extern "C" __global__ void two_halo_steps_in_one_launch(const int* in, int* out, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i] + i;  // guilty: racecheck write
  __syncthreads();
  const int right = i + 1 < n ? out[i + 1] : 0;  // guilty: racecheck read
  __syncthreads();
  if (right == -1) out[i] = 0;
}

// The second pass adds the sums of the blocks before, which may not be there yet.
// guilty <<<4, 32>>> in[128] out[128] sums[4]=0
extern "C" __global__ void scan_in_one_launch(const int* in, int* out, int* sums) {
  const int t = threadIdx.x, i = blockIdx.x * 32 + t;
  int sum = in[i] + 1;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int left = __shfl_up_sync(0xffffffffu, sum, distance);
    if (t >= distance) sum += left;
  }
  if (t == 31) sums[blockIdx.x] = sum;  // guilty: racecheck write
  __syncthreads();
  for (int b = 0; b < blockIdx.x; ++b) sum += sums[b];  // guilty: racecheck read
  out[i] = sum;
}

// guilty <<<1, 64>>> data[64]
extern "C" __global__ void reversal_in_place_without_barrier(int* data) {
  const int t = threadIdx.x;
  const int v = data[63 - t];  // guilty: racecheck read
  data[t] = v + 1;             // guilty: racecheck write
}

// guilty <<<2x2, 16x16>>> data[1024] 32
extern "C" __global__ void transpose_in_place(int* data, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const int v = data[x * n + y];  // guilty: racecheck read
  data[y * n + x] = v + 1;        // guilty: racecheck write
}

// The last block may see its ticket before the others' partial sums.
// guilty <<<4, 32>>> in[128] partials[4]=0 ticket[1]=0 out[1]
extern "C" __global__ void ticket_without_fence(const int* in, volatile int* partials, unsigned* ticket, int* out) {
  int sum = in[blockIdx.x * 32 + threadIdx.x] + 1;
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;  // guilty: racecheck write
    if (atomicAdd(ticket, 1) == gridDim.x - 1) {
      int total = 0;
      for (int b = 0; b < gridDim.x; ++b) total += partials[b];  // guilty: racecheck read
      out[0] = total;
    }
  }
}

// Thread 0 fences and takes the ticket, but nothing says that the other threads have written.
// guilty <<<4, 64>>> in[256] partials[256]=0 ticket[1]=0 out[1]
extern "C" __global__ void ticket_without_barrier(const int* in, int* partials, unsigned* ticket, int* out) {
  __shared__ bool last;
  const int t = threadIdx.x;
  partials[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t] + 1;  // guilty: racecheck write
  if (t == 0) {
    __threadfence();
    last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && t == 0) {
    int total = 0;
    for (int k = 0; k < 256; ++k) total += partials[k];  // guilty: racecheck read
    out[0] = total;
  }
}

// guilty <<<2, 32>>> data[32]=0 flag[1]=0 out[32]
extern "C" __global__ void flag_without_fences(volatile int* data, volatile int* flag, int* out) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t + 1;  // guilty: racecheck write
    __syncthreads();
    if (t == 0) *flag = 1;  // the word itself comes as a whole, and is waited for
  } else {
    if (t == 0)
      while (*flag == 0) {
      }
    __syncthreads();
    out[t] = data[t];  // guilty: racecheck read
  }
}

// A volatile word that is looked at once, not waited for: whether it has come is chance.
// guilty <<<2, 1>>> word[1]=0 out[2]
extern "C" __global__ void a_word_that_is_not_waited_for(volatile int* word, int* out) {
  if (blockIdx.x == 0)
    *word = 7;  // guilty: racecheck write
  else
    out[0] = *word;  // guilty: racecheck read
}

// guilty <<<4, 1>>> counter[1]=0 lock[1]=0
extern "C" __global__ void lock_released_without_fence(volatile int* counter, int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *counter = *counter + blockIdx.x + 1;  // guilty: racecheck read write
  atomicExch(lock, 0);
}

// guilty <<<4, 1>>> in[4] sum[1]=0 out[4]
extern "C" __global__ void plain_read_of_an_atomic_sum(const int* in, int* sum, int* out) {
  atomicAdd(sum, in[blockIdx.x] + 1);  // guilty: racecheck atomic
  out[blockIdx.x] = *sum;              // guilty: racecheck read
}

// guilty <<<4, 32>>> in[128] words[32]=0
extern "C" __global__ void bytes_of_a_word_by_four_blocks(const int* in, unsigned* words) {
  const unsigned byte = (in[blockIdx.x * 32 + threadIdx.x] & 127) + 1;
  words[threadIdx.x] |= byte << 8 * blockIdx.x;  // guilty: racecheck read write
}

// Parts that overlap by one element.
// guilty <<<4, 1>>> out[129] 32
extern "C" __global__ void parts_that_overlap(int* out, int part) {
  const int first = blockIdx.x * part;
  for (int i = first; i <= first + part; ++i) out[i] = 1000 * (blockIdx.x + 1);  // guilty: racecheck write
}

// A queue: places are handed out atomically, but the reader does not wait until its place is filled.
// guilty <<<2, 32>>> in[32] queue[32]=0 tail[1]=0 out[32]
extern "C" __global__ void queue_read_before_it_is_filled(const int* in, int* queue, int* tail, int* out) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    queue[atomicAdd(tail, 1)] = in[t] + 1;  // guilty: racecheck write
  } else {
    int filled = 0;
    while (filled == 0) filled = atomicAdd(tail, 0);
    out[t] = t < filled ? queue[t] : -1;  // guilty: racecheck read
  }
}

// A barrier within the block is no fence between blocks.
// guilty <<<4, 64>>> in[256] partials[4]=0 ticket[1]=0 out[1]
extern "C" __global__ void barrier_in_place_of_a_fence(const int* in, volatile int* partials, unsigned* ticket,
                                                       int* out) {
  const int t = threadIdx.x;
  if (t == 0) partials[blockIdx.x] = in[blockIdx.x * 64] + 1;  // guilty: racecheck write
  asm volatile("bar.sync 1, 64;" ::: "memory");
  if (t == 0 && atomicAdd(ticket, 1) == gridDim.x - 1) {
    int total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += partials[b];  // guilty: racecheck read
    out[0] = total;
  }
}

// guilty <<<4, 64>>> in[256] sum[1]=0 ticket[1]=0 out[1]
extern "C" __global__ void ticket_before_all_have_added(const int* in, int* sum, unsigned* ticket, int* out) {
  atomicAdd(sum, in[blockIdx.x * 64 + threadIdx.x] + 1);  // guilty: racecheck atomic
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(ticket, 1) == gridDim.x - 1) {
      __threadfence();
      out[0] = *sum;  // guilty: racecheck read
    }
  }
}

// Three read the word, two of them are waited for. Whoever keeps the first reader and the last alone misses the third.
// guilty <<<4, 1>>> x[1] ready[3]=0 out[3]
extern "C" __global__ void one_of_three_readers_is_not_waited_for(int* x, volatile int* ready, int* out) {
  const int b = blockIdx.x;
  if (b < 3) {
    out[b] = x[0];  // guilty: racecheck read
    __threadfence();
    ready[b] = 1;
  } else {
    while (ready[0] == 0 || ready[2] == 0) {
    }
    __threadfence();
    x[0] = -1;  // guilty: racecheck write
  }
}

// guilty <<<8, 32>>> x[32] ready[7]=0 out[224] 3
extern "C" __global__ void one_of_seven_readers_is_not_waited_for(int* x, volatile int* ready, int* out, int left_out) {
  const int b = blockIdx.x, t = threadIdx.x;
  if (b < 7) {
    out[32 * b + t] = x[31 - t];  // guilty: racecheck read
    __syncwarp();
    __threadfence();
    if (t == 0) ready[b] = 1;
  } else {
    if (t == 0)
      for (int k = 0; k < 7; ++k)
        while (k != left_out && ready[k] == 0) {
        }
    __threadfence();
    __syncwarp();
    x[t] = 100 + t;  // guilty: racecheck write
  }
}

// guilty <<<4, 1>>> x[1] out[3] 0 0 0
extern "C" __global__ void three_lines_read_what_a_fourth_writes(int* x, int* out, int a, int b, int c) {
  if (blockIdx.x == 0)
    out[0] = x[a];  // guilty: racecheck read
  else if (blockIdx.x == 1)
    out[1] = x[b] + 1;  // guilty: racecheck read
  else if (blockIdx.x == 2)
    out[2] = x[c] * 3;  // guilty: racecheck read
  else
    x[0] = -1;  // guilty: racecheck write
}

// In the natural order the zeros change nothing: they are there already, and the sums come later.
// guilty <<<2, 32>>> in[32] sums[32]=0
extern "C" __global__ void cleared_by_one_block_filled_by_another(const int* in, int* sums) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    sums[t] = 0;  // guilty: racecheck write
    asm volatile("" ::: "memory");
  } else {
    sums[t] = in[t] + 1;  // guilty: racecheck write
  }
}

// In the natural order the last block's own addition is the last one, too.
// guilty <<<4, 32>>> in[128] sum[1]=0 ticket[1]=0 out[1]
extern "C" __global__ void ticket_without_a_fence_behind_the_sum(const int* in, int* sum, unsigned* ticket, int* out) {
  if (threadIdx.x) return;
  atomicAdd(sum, in[blockIdx.x * 32] + 1);                   // guilty: racecheck atomic
  if (atomicAdd(ticket, 1) == gridDim.x - 1) out[0] = *sum;  // guilty: racecheck read
}

// The barrier is one of block 0 alone.
// guilty <<<4, 32>>> in[128] count[1]
extern "C" __global__ void counter_cleared_by_one_block(const int* in, int* count) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *count = 0;  // guilty: racecheck write
  __syncthreads();
  if (in[blockIdx.x * 32 + threadIdx.x] > 10) atomicAdd(count, 1);  // guilty: racecheck atomic
}

// guilty <<<2, 32>>> in[64]=1 sum[1] out[64]
extern "C" __global__ void one_block_stores_again_what_the_other_reads(int* in, int* sum, int* out) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0)
    in[32 + t] = 1;  // guilty: racecheck write
  else
    out[t] = in[32 + t];  // guilty: racecheck read
}
