// Sums of bags: x has one row of 128 features per instance, bag b owns the rows first_row[b] to first_row[b + 1] - 1,
// out[b] is the sum of its rows, or the default row where it has none. Bags differ in length by a factor of 1000: how
// is the work to be divided?
constexpr int features = 128;

// --- 1: a kernel per bag ---------------------------------------------------------------------------------------------
// What array code does: for each bag, sum a slice. One launch per bag, a thread for each feature. Loads are coalesced
// and nobody diverges, but a launch takes microseconds, most bags are a few rows, and one block at a time leaves all
// SMs but one idle.
__global__ void segsum_one_bag(const float* x, const int* first_row, const float* fallback, float* out, int bags,
                               int bag) {
  if (blockIdx.x > 0 || bag >= bags) return;
  const int first = first_row[bag], end = first_row[bag + 1];
  for (int f = threadIdx.x; f < features; f += blockDim.x) {
    float sum = first < end ? 0 : fallback[f];
    for (int row = first; row < end; ++row) sum += x[long(row) * features + f];
    out[long(bag) * features + f] = sum;
  }
}

// --- 2: a thread per bag ---------------------------------------------------------------------------------------------
// One launch for all bags. But the 32 lanes of a warp now walk through 32 different bags: each load touches 32 sectors
// to use one word of each, and the warp is as slow as its longest bag, while lanes whose bag is short wait.
__global__ void segsum_thread_per_bag(const float* x, const int* first_row, const float* fallback, float* out,
                                      int bags) {
  const int bag = blockIdx.x * blockDim.x + threadIdx.x;
  if (bag >= bags) return;
  const int first = first_row[bag], end = first_row[bag + 1];
  for (int f = 0; f < features; ++f) {
    float sum = first < end ? 0 : fallback[f];
    for (int row = first; row < end; ++row) sum += x[long(row) * features + f];
    out[long(bag) * features + f] = sum;
  }
}

__device__ void add(float4& sum, float4 row) {
  sum.x += row.x;
  sum.y += row.y;
  sum.z += row.z;
  sum.w += row.w;
}

// --- 3: a warp per bag -----------------------------------------------------------------------------------------------
// The lanes take the features instead: 32 lanes with four features each are a row, one load of 512 bytes in a piece.
// All lanes of a warp work on the same bag, so none waits for another. Warps still do: a bag of 1000 rows is one
// warp's, and the launch ends when it does.
__global__ void segsum_warp_per_bag(const float4* x, const int* first_row, const float4* fallback, float4* out,
                                    int bags) {
  const int lane = threadIdx.x % 32;
  const int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (bag >= bags) return;
  const int first = first_row[bag], end = first_row[bag + 1];
  float4 sum = first < end ? float4{} : fallback[lane];
  for (int row = first; row < end; ++row) add(sum, x[long(row) * 32 + lane]);
  out[long(bag) * 32 + lane] = sum;
}

// --- 4: balanced -----------------------------------------------------------------------------------------------------
// Divide the work, not the bags. Lay out all items in one line: each bag's rows, then its end, at which a sum is
// written. Every warp takes 32 items, wherever bags begin and end, and finds its first bag by binary search: bag b
// begins at item first_row[b] + b. A bag within one warp is stored; the pieces of longer ones are added atomically, so
// `out` starts with zeros. Ends count as items because empty bags are work, too: rows alone would leave a thousand of
// them to one warp. (The merge path of Merrill and Garland's sparse matrix products divides work like this.)
constexpr int items_per_warp = 32;

__device__ void add_atomically(float* out, float4 sum) {
  atomicAdd(out + 0, sum.x);
  atomicAdd(out + 1, sum.y);
  atomicAdd(out + 2, sum.z);
  atomicAdd(out + 3, sum.w);
}

__global__ void segsum_balanced(const float4* x, const int* first_row, const float4* fallback, float* out, int bags) {
  const int lane = threadIdx.x % 32;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int begin = warp * items_per_warp, end = min(begin + items_per_warp, first_row[bags] + bags);
  if (begin >= end) return;

  int bag = 0;  // the last one that begins at `begin` or before
  for (int after = bags; after - bag > 1;) {
    const int middle = (bag + after) / 2;
    if (first_row[middle] + middle <= begin)
      bag = middle;
    else
      after = middle;
  }

  for (int item = begin; item < end; ++bag) {
    const int first = item - bag;                         // of the bag's rows, the first that is ours
    const int last = min(first_row[bag + 1], end - bag);  // behind the last one
    const bool whole = first == first_row[bag] && last + bag < end;
    float4 sum = {};
    for (int row = first; row < last; ++row) add(sum, x[long(row) * 32 + lane]);
    float* to = out + long(bag) * features + 4 * lane;
    if (whole) {
      *reinterpret_cast<float4*>(to) = first < last ? sum : fallback[lane];
    } else if (first < last) {
      add_atomically(to, sum);
    }
    item = last + bag + 1;  // behind the bag's end
  }
}
