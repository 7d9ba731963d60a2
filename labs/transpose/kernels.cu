// Transposing a matrix: in has rows x cols elements, row after row; out has cols x rows, and out[c][r] = in[r][c].
// No arithmetic at all: what counts is the order in which the lanes of a warp touch memory.
//
// Threads and blocks are two-dimensional, x along a row of the input, so that the 32 lanes of a warp lie side by side
// in it (with a block at least 32 wide). Positions are long: rows * cols may be more than 2^31.

// --- The ceiling: copy ---------------------------------------------------------------------------
// Reads and writes as many bytes as a transpose, both in the order of memory: 32 lanes, one 128-byte line, four
// sectors. No transpose can be faster; each rung below is measured against this.
template <typename T>
__global__ void transpose_copy(const T* in, T* out, int rows, int cols) {
  const long col = long(blockIdx.x) * blockDim.x + threadIdx.x;
  const long row = long(blockIdx.y) * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col];
}

// --- 1: read rows, write columns -----------------------------------------------------------------
// The definition, one element per thread. Reading is as good as the copy. But neighbouring lanes write to neighbouring
// rows of the output, `rows` elements apart: 32 lanes, 32 sectors, of each of which 4 bytes are used and 28 are not.
template <typename T>
__global__ void transpose_naive_row(const T* in, T* out, int rows, int cols) {
  const long col = long(blockIdx.x) * blockDim.x + threadIdx.x;
  const long row = long(blockIdx.y) * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

// --- 2: read columns, write rows -----------------------------------------------------------------
// The other way round: x runs along a row of the output, so the stores are as good as the copy's and the loads touch 32
// sectors. As many sectors in all; but what a load leaves of its sectors waits in the L1 cache for the warps that read
// the columns beside it, where a store's sectors go out at once. Only a GPU's clock shows what that is worth.
template <typename T>
__global__ void transpose_naive_col(const T* in, T* out, int rows, int cols) {
  const long out_col = long(blockIdx.x) * blockDim.x + threadIdx.x;
  const long out_row = long(blockIdx.y) * blockDim.y + threadIdx.y;
  if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = in[out_col * cols + out_row];
}

// --- The second ceiling: copy by way of shared memory ----------------------------------------------
// The rungs to come take a detour: each block of 32 x 32 threads brings a tile into shared memory and takes it out
// again after a barrier. Here it comes out as it went in, so that what the detour costs can be told from what turning
// costs. With `pad` the tile's rows are a word longer, which is free: no row crosses the banks it had not crossed.
template <typename T>
constexpr int word = sizeof(T) < 4 ? 4 / sizeof(T) : 1;  // elements to fill a bank's 4 bytes, or the one that does more

template <typename T, int pad>
__global__ void transpose_tiled_copy(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[32][32 + pad * word<T>];
  const long col = blockIdx.x * 32L + threadIdx.x, row = blockIdx.y * 32L + threadIdx.y;
  const bool inside = row < rows && col < cols;
  if (inside) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
  __syncthreads();  // each thread takes out what it brought: for the comparison, not for the result
  if (inside) out[row * cols + col] = tile[threadIdx.y][threadIdx.x];
}

// --- 3: turn a tile in shared memory -------------------------------------------------------------
// One of the two sides must go against the order of memory; let it be shared memory, which has no sectors. A block
// loads a tile of 32 x 32 elements row by row, and stores the transposed tile row by row, too: both coalesced, a row of
// the output is a column of the tile. But a column of the tile is words 32 apart: all in the same one of the 32 banks.
// Each load of a warp takes 32 wavefronts, 31 of them conflicts.
template <typename T>
__global__ void transpose_tiled(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[32][32];
  const long in_col = blockIdx.x * 32L + threadIdx.x, in_row = blockIdx.y * 32L + threadIdx.y;
  if (in_row < rows && in_col < cols) tile[threadIdx.y][threadIdx.x] = in[in_row * cols + in_col];
  __syncthreads();  // the columns that follow were loaded by other warps

  const long out_col = blockIdx.y * 32L + threadIdx.x, out_row = blockIdx.x * 32L + threadIdx.y;
  if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
}

// --- 4: pad the tile -----------------------------------------------------------------------------
// One unused word at the end of each row: the elements of a column are now 33 words apart, each in the bank after the
// one before. 32 lanes, 32 banks, one wavefront, for 4 bytes per row more. (A word holds four bytes of a byte matrix.)
template <typename T>
__global__ void transpose_tiled_padded(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[32][32 + word<T>];
  const long in_col = blockIdx.x * 32L + threadIdx.x, in_row = blockIdx.y * 32L + threadIdx.y;
  if (in_row < rows && in_col < cols) tile[threadIdx.y][threadIdx.x] = in[in_row * cols + in_col];
  __syncthreads();

  const long out_col = blockIdx.y * 32L + threadIdx.x, out_row = blockIdx.x * 32L + threadIdx.y;
  if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[threadIdx.x][threadIdx.y];
}

// --- 5: or swizzle it ----------------------------------------------------------------------------
// No word is wasted: each row of the tile is permuted instead. Element (r, c) lies in column c ^ r, so a row still
// fills a row, and the elements of a column lie in 32 different columns, hence banks. Tiles stay powers of two, which
// vector accesses, asynchronous copies and tensor cores want.
template <typename T>
__global__ void transpose_tiled_swizzled(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[32][32];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const long in_col = blockIdx.x * 32L + x, in_row = blockIdx.y * 32L + y;
  if (in_row < rows && in_col < cols) tile[y][x ^ y] = in[in_row * cols + in_col];
  __syncthreads();

  const long out_col = blockIdx.y * 32L + x, out_row = blockIdx.x * 32L + y;
  if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[x][y ^ x];
}

// --- 6: coarsen: several elements per thread -------------------------------------------------------
// The same tile by fewer threads: a block of 32 x 8 walks over it in four steps of 8 rows. Index arithmetic and
// barriers are paid once for four elements; and since the steps are constants, the compiler unrolls the loop: a
// thread's four loads are under way together. First the copy, the ceiling of what follows, with and without padding:
template <typename T, int pad>
__global__ void transpose_coarsened_copy(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[32][32 + pad * word<T>];
  const long col = blockIdx.x * 32L + threadIdx.x, row = blockIdx.y * 32L + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (row + j < rows && col < cols) tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * cols + col];
  }
  __syncthreads();
  for (int j = 0; j < 32; j += 8) {
    if (row + j < rows && col < cols) out[(row + j) * cols + col] = tile[threadIdx.y + j][threadIdx.x];
  }
}

// `tiled`, coarsened. The bank conflicts are back: what they cost does not depend on who loads.
template <typename T>
__global__ void transpose_coarsened(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[32][32];
  const long in_col = blockIdx.x * 32L + threadIdx.x, in_row = blockIdx.y * 32L + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (in_row + j < rows && in_col < cols) tile[threadIdx.y + j][threadIdx.x] = in[(in_row + j) * cols + in_col];
  }
  __syncthreads();

  const long out_col = blockIdx.y * 32L + threadIdx.x, out_row = blockIdx.x * 32L + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (out_row + j < cols && out_col < rows) out[(out_row + j) * rows + out_col] = tile[threadIdx.x][threadIdx.y + j];
  }
}

// --- 7: coarsened and padded -----------------------------------------------------------------------
// Both remedies: coalesced on both sides, no bank conflict, a quarter of the threads. What is left is the copy's work
// and one trip through shared memory.
template <typename T>
__global__ void transpose_coarsened_padded(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[32][32 + word<T>];
  const long in_col = blockIdx.x * 32L + threadIdx.x, in_row = blockIdx.y * 32L + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (in_row + j < rows && in_col < cols) tile[threadIdx.y + j][threadIdx.x] = in[(in_row + j) * cols + in_col];
  }
  __syncthreads();

  const long out_col = blockIdx.y * 32L + threadIdx.x, out_row = blockIdx.x * 32L + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (out_row + j < cols && out_col < rows) out[(out_row + j) * rows + out_col] = tile[threadIdx.x][threadIdx.y + j];
  }
}

// --- 8: vectors ------------------------------------------------------------------------------------
// Several neighbours in one access: up to 16 bytes per lane. A quarter of the load and store instructions for floats,
// and more bytes under way per instruction. In the tile the elements stay single: a vector of the output is a piece of
// a column. With 32-bit elements a warp's 4 rows x 8 vectors fall on 32 different banks both ways. A row starts on a
// vector's boundary only where its length is a multiple of it: other matrices are moved element by element.
template <typename T>
constexpr int width = sizeof(T) == 8 ? 2 : 4;
template <typename T>
struct alignas(width<T> * sizeof(T)) Vector {
  T at[width<T>];
};

template <typename T>
__global__ void transpose_coarsened_vec(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[32][32 + word<T>];
  constexpr int per_row = 32 / width<T>;  // vectors in a row of the tile
  constexpr int step = 32 * 8 / per_row;  // rows that the block's threads take at once: all 32 of four-element vectors
  const int thread = threadIdx.y * 32 + threadIdx.x;
  const int y = thread / per_row, x = thread % per_row * width<T>;

  const long in_col = blockIdx.x * 32L + x, in_row = blockIdx.y * 32L + y;
  for (int j = 0; j < 32 && in_row + j < rows; j += step) {
    const long from = (in_row + j) * cols + in_col;
    if (cols % width<T> == 0 && in_col < cols) {
      const Vector<T> v = reinterpret_cast<const Vector<T>*>(in)[from / width<T>];
      for (int i = 0; i < width<T>; ++i) tile[y + j][x + i] = v.at[i];
    } else {
      for (int i = 0; i < width<T> && in_col + i < cols; ++i) tile[y + j][x + i] = in[from + i];
    }
  }
  __syncthreads();

  const long out_col = blockIdx.y * 32L + x, out_row = blockIdx.x * 32L + y;
  for (int j = 0; j < 32 && out_row + j < cols; j += step) {
    const long to = (out_row + j) * rows + out_col;
    if (rows % width<T> == 0 && out_col < rows) {
      Vector<T> v;
      for (int i = 0; i < width<T>; ++i) v.at[i] = tile[x + i][y + j];
      reinterpret_cast<Vector<T>*>(out)[to / width<T>] = v;
    } else {
      for (int i = 0; i < width<T> && out_col + i < rows; ++i) out[to + i] = tile[x + i][y + j];
    }
  }
}

// --- 9: a large tile ---------------------------------------------------------------------------------
// 64 x 64 elements instead of 32 x 32 (of doubles 64 rows of 32): a row of a tile is 256 bytes of the input, and of the
// output, too. The sectors are as many as before, and no counter of the SM moves. But DRAM works by rows of its own, a
// few KB each, and to close one and open another costs time in which nothing is moved: what is asked for together had
// better lie together. Each of the 512 threads has all its loads under way before it stores the first of them to the
// tile. That takes registers: three blocks on an SM leave each thread 40; with four blocks, and 32 registers, the
// compiler waits for the first loads before it asks for the last. Rows that start on no vector's boundary are moved by
// elements, with a pointer that goes along: one more element, one addition.
constexpr int tile_rows = 64;
template <typename T>
constexpr int tile_cols = sizeof(T) == 8 ? 32 : 64;
template <typename T>
using Tile = T[tile_rows][tile_cols<T> + word<T>];
constexpr int movers = 512;  // threads that move it

// Moves the rows of a tile of the input, from (first_row, first_col), to shared memory.
template <typename T>
__device__ void take_tile(Tile<T>& tile, const T* in, int rows, int cols, long first_row, long first_col) {
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  if (cols % width<T> == 0) {
    constexpr int per_row = tile_cols<T> / width<T>, steps = tile_rows * per_row / movers;
    Vector<T> v[steps];
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      const int at = k * movers + thread;
      const long row = first_row + at / per_row, col = first_col + at % per_row * width<T>;
      if (row < rows && col < cols) v[k] = reinterpret_cast<const Vector<T>*>(in)[(row * cols + col) / width<T>];
    }
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      const int at = k * movers + thread;
      for (int i = 0; i < width<T>; ++i) tile[at / per_row][at % per_row * width<T> + i] = v[k].at[i];
    }
    return;
  }
  constexpr int steps = tile_rows * tile_cols<T> / movers, rows_a_step = movers / tile_cols<T>;
  const int x = thread % tile_cols<T>, y = thread / tile_cols<T>;
  const T* from = in + (first_row + y) * cols + first_col + x;
  T v[steps];
#pragma unroll
  for (int k = 0; k < steps; ++k, from += rows_a_step * long(cols)) {
    if (first_row + y + k * rows_a_step < rows && first_col + x < cols) v[k] = *from;
  }
#pragma unroll
  for (int k = 0; k < steps; ++k) tile[y + k * rows_a_step][x] = v[k];
}

// Moves the columns of the tile to rows of the output, which has `cols` rows of `rows` elements.
template <typename T>
__device__ void put_tile(const Tile<T>& tile, T* out, int rows, int cols, long first_row, long first_col) {
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  if (rows % width<T> == 0) {
    constexpr int per_row = tile_rows / width<T>, steps = tile_cols<T> * per_row / movers;
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      const int x = (k * movers + thread) % per_row * width<T>, y = (k * movers + thread) / per_row;
      Vector<T> v;
      for (int i = 0; i < width<T>; ++i) v.at[i] = tile[x + i][y];
      const long col = first_row + x, row = first_col + y;
      if (row < cols && col < rows) reinterpret_cast<Vector<T>*>(out)[(row * rows + col) / width<T>] = v;
    }
    return;
  }
  constexpr int steps = tile_rows * tile_cols<T> / movers, cols_a_step = movers / tile_rows;
  const int x = thread % tile_rows, y = thread / tile_rows;
  T* to = out + (first_col + y) * rows + first_row + x;
#pragma unroll
  for (int k = 0; k < steps; ++k, to += cols_a_step * long(rows)) {
    if (first_col + y + k * cols_a_step < cols && first_row + x < rows) *to = tile[x][y + k * cols_a_step];
  }
}

template <typename T>
__global__ void __launch_bounds__(movers, 3) transpose_large_tile(const T* in, T* out, int rows, int cols) {
  __shared__ Tile<T> tile;
  const long first_row = blockIdx.y * long(tile_rows), first_col = blockIdx.x * long(tile_cols<T>);
  take_tile<T>(tile, in, rows, cols, first_row, first_col);
  __syncthreads();
  put_tile<T>(tile, out, rows, cols, first_row, first_col);
}

// --- 10: tiles from top to bottom ----------------------------------------------------------------------
// Blocks that start together have neighbouring numbers, in x first. So far these were tiles beside one another: a long
// stretch of each row of the input was read at a time, and each block wrote to rows of the output of its own. With x
// and y swapped they are tiles below one another: now the stretches are written, and read are many rows. As many bytes
// either way, and no counter of ours says why it is faster; writes that lie together come to DRAM in longer bursts.
template <typename T>
__global__ void __launch_bounds__(movers, 3) transpose_large_tile_down(const T* in, T* out, int rows, int cols) {
  __shared__ Tile<T> tile;
  const long first_row = blockIdx.x * long(tile_rows), first_col = blockIdx.y * long(tile_cols<T>);
  take_tile<T>(tile, in, rows, cols, first_row, first_col);
  __syncthreads();
  put_tile<T>(tile, out, rows, cols, first_row, first_col);
}

// Every kernel for every type: naming a template's instance is enough for nvcc to compile it.
template <auto... kernel>
struct Compile {};
template <typename T>
struct Ladder : Compile<transpose_copy<T>, transpose_naive_row<T>, transpose_naive_col<T>, transpose_tiled_copy<T, 0>,
                        transpose_tiled_copy<T, 1>, transpose_tiled<T>, transpose_tiled_padded<T>,
                        transpose_tiled_swizzled<T>, transpose_coarsened_copy<T, 0>, transpose_coarsened_copy<T, 1>,
                        transpose_coarsened<T>, transpose_coarsened_padded<T>, transpose_coarsened_vec<T>,
                        transpose_large_tile<T>, transpose_large_tile_down<T>> {};
template struct Ladder<unsigned char>;
template struct Ladder<int>;
template struct Ladder<float>;
template struct Ladder<double>;
