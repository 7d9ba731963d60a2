#pragma once
// What the upper rungs share: a block's tile of 128 x 128 elements of c, loaded in slices of 8 along k, four neighbours
// of a row at a time.

constexpr int block_rows = 128, block_cols = 128, slice = 8;

// Four neighbours in a row: one access of 16 bytes for floats.
template <typename T>
struct alignas(4 * sizeof(T)) Vec4 {
  T at[4];
};

// Elements [row][col] to [row][col + 3] of a rows x cols matrix; zero outside, which adds nothing to a sum. A row
// starts on a vector's boundary only where its length is a multiple of four: else one by one.
template <typename T>
__device__ Vec4<T> load4(const T* matrix, long row, int col, int rows, int cols) {
  Vec4<T> v;
  const T* from = matrix + row * cols + col;
  if (row < rows && col < cols && cols % 4 == 0) return *reinterpret_cast<const Vec4<T>*>(from);
  for (int i = 0; i < 4; ++i) v.at[i] = row < rows && col + i < cols ? from[i] : T(0);
  return v;
}

// The way back: sums in a wider type become elements.
template <typename T, typename Sum>
__device__ void store4(T* matrix, long row, int col, int rows, int cols, const Sum* sum) {
  if (row >= rows) return;
  T* to = matrix + row * cols + col;
  if (col < cols && cols % 4 == 0) {
    Vec4<T> v;
    for (int i = 0; i < 4; ++i) v.at[i] = T(sum[i]);
    *reinterpret_cast<Vec4<T>*>(to) = v;
  } else {
    for (int i = 0; i < 4 && col + i < cols; ++i) to[i] = T(sum[i]);
  }
}

// A warp's place in the block's tile, and a lane's in the warp's. Eight warps of 64 x 32 elements, two above each
// other, four side by side; in a warp 8 x 4 lanes with 8 x 8 elements each, as four squares of 4 x 4: rows row + {0-3,
// 32-35}, columns col + {0-3, 16-19}. So the lanes' vectors lie side by side in shared memory, and lanes that want the
// same one are neighbours: no bank conflict, and a load of a's vectors is half as many passes.
struct Place {
  int row, col;
};
__device__ inline Place place_of_lane() {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  return {warp / 4 * 64 + lane / 4 * 4, warp % 4 * 32 + lane % 4 * 4};
}

// sum += one slice of a (transposed: [k][row]) times one slice of b, for the lane's 8 x 8 elements.
template <typename T, typename Sum, int a_stride, int b_stride>
__device__ void multiply_slice(const T (&a)[slice][a_stride], const T (&b)[slice][b_stride], Place at,
                               Sum (&sum)[8][8]) {
  for (int i = 0; i < slice; ++i) {
    const Vec4<T> a_low = *reinterpret_cast<const Vec4<T>*>(&a[i][at.row]);
    const Vec4<T> a_high = *reinterpret_cast<const Vec4<T>*>(&a[i][at.row + 32]);
    const Vec4<T> b_low = *reinterpret_cast<const Vec4<T>*>(&b[i][at.col]);
    const Vec4<T> b_high = *reinterpret_cast<const Vec4<T>*>(&b[i][at.col + 16]);
    for (int r = 0; r < 8; ++r) {
      const Sum left = Sum(r < 4 ? a_low.at[r] : a_high.at[r - 4]);
      for (int c = 0; c < 8; ++c) sum[r][c] += left * Sum(c < 4 ? b_low.at[c] : b_high.at[c - 4]);
    }
  }
}

// The lane's 8 x 8 elements to c; `row` and `col` are those of the block's tile.
template <typename T, typename Sum>
__device__ void store_sums(T* c, long row, int col, Place at, int m, int n, const Sum (&sum)[8][8]) {
  for (int r = 0; r < 8; ++r) {
    const long to = row + at.row + (r < 4 ? r : 28 + r);
    store4(c, to, col + at.col, m, n, &sum[r][0]);
    store4(c, to, col + at.col + 16, m, n, &sum[r][4]);
  }
}

// Tile `t` of tiles_down x tiles_across, as (x, y), counted in bands of `band` rows of tiles, down before across: the
// tiles that are under way at a time are nearly a square, whose rows of a and columns of b are the fewest, and stay in
// L2.
__device__ inline int2 place_of_tile(int t, int tiles_down, int tiles_across, int band) {
  const int first = t / (band * tiles_across) * band, rows = min(band, tiles_down - first);
  const int in_band = t % (band * tiles_across);
  return {in_band / rows, first + in_band % rows};
}
