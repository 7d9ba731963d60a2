// The reference: a block for each bag, a thread for each place of its rows. Neighbours load neighbours.
//! item {"name": "coalesced", "kind": "require", "points": 30, "require": ["global_load_sectors<=1.3*reference"]}
__global__ void bags(const float* x, const int* first_row, const float* fallback, float* out, int bags) {
  const int bag = blockIdx.x;
  if (bag >= bags) return;
  //! correct no_test: if (bag > bags) return;
  const int first = first_row[bag], end = first_row[bag + 1];
  for (int place = threadIdx.x; place < 128; place += blockDim.x) {
    //! correct half_a_row: for (int place = threadIdx.x; place < 64; place += blockDim.x) {
    const int f = place;
    //! coalesced strided: const int f = place % 32 * 4 + place / 32;
    float sum = first == end ? fallback[f] : 0;
    //! correct no_fallback: float sum = 0;
    for (int row = first; row < end; ++row) sum += x[row * 128 + f];
    //! correct without_the_last: for (int row = first; row < end - 1; ++row) sum += x[row * 128 + f];
    out[bag * 128 + f] = sum;
  }
}
