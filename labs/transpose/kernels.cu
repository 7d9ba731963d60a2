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

// --- 2: turn a tile in shared memory -------------------------------------------------------------
// One of the two sides must go against the order of memory; let it be shared memory, which has no sectors. A block
// loads a tile of 32 x 32 elements row by row, and stores the transposed tile row by row, too: both coalesced, a row of
// the output is a column of the tile. A block of 32 x 8 threads walks over the tile in four steps of 8 rows. But a
// column of the tile is words 32 apart: all in the same one of the 32 banks. Each load takes 32 wavefronts.
template <typename T>
__global__ void transpose_tiled(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[32][32];
  const long in_col = blockIdx.x * 32L + threadIdx.x, in_row = blockIdx.y * 32L + threadIdx.y;
  for (unsigned j = 0; j < 32; j += blockDim.y) {
    if (in_row + j < rows && in_col < cols) tile[threadIdx.y + j][threadIdx.x] = in[(in_row + j) * cols + in_col];
  }
  __syncthreads();  // the columns that follow were loaded by other warps

  const long out_col = blockIdx.y * 32L + threadIdx.x, out_row = blockIdx.x * 32L + threadIdx.y;
  for (unsigned j = 0; j < 32; j += blockDim.y) {
    if (out_row + j < cols && out_col < rows) out[(out_row + j) * rows + out_col] = tile[threadIdx.x][threadIdx.y + j];
  }
}

// --- 3: pad the tile -----------------------------------------------------------------------------
// One unused word at the end of each row: the elements of a column are now 33 words apart, each in the bank after the
// one before. 32 lanes, 32 banks, one wavefront, for 4 bytes per row more. (A word holds four bytes of a byte matrix.)
template <typename T>
__global__ void transpose_tiled_padded(const T* in, T* out, int rows, int cols) {
  constexpr int word = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  __shared__ T tile[32][32 + word];
  const long in_col = blockIdx.x * 32L + threadIdx.x, in_row = blockIdx.y * 32L + threadIdx.y;
  for (unsigned j = 0; j < 32; j += blockDim.y) {
    if (in_row + j < rows && in_col < cols) tile[threadIdx.y + j][threadIdx.x] = in[(in_row + j) * cols + in_col];
  }
  __syncthreads();

  const long out_col = blockIdx.y * 32L + threadIdx.x, out_row = blockIdx.x * 32L + threadIdx.y;
  for (unsigned j = 0; j < 32; j += blockDim.y) {
    if (out_row + j < cols && out_col < rows) out[(out_row + j) * rows + out_col] = tile[threadIdx.x][threadIdx.y + j];
  }
}

// Every kernel for every type: naming a template's instance is enough for nvcc to compile it.
template <auto... kernel>
struct Compile {};
template <typename T>
struct Ladder : Compile<transpose_copy<T>, transpose_naive_row<T>, transpose_tiled<T>, transpose_tiled_padded<T>> {};
template struct Ladder<unsigned char>;
template struct Ladder<int>;
template struct Ladder<float>;
template struct Ladder<double>;
