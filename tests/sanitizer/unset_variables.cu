// Variables that are used before they have a value. README.md says how the comments are read.

// A sum without a first value.
// guilty <<<2, 64>>> in[512] out[128] 4
extern "C" __global__ void a_sum_that_starts_nowhere(const int* in, int* out, int n) {
  const int t = blockIdx.x * 64 + threadIdx.x;
  int sum;
  for (int k = 0; k < n; ++k) sum += in[t * n + k];  // guilty: initcheck
  out[t] = sum;
}

// guilty <<<1, 64>>> in[64] sum[1]=0 50
extern "C" __global__ void added_up_by_atomics(const int* in, int* sum, int n) {
  int v;
  if (threadIdx.x < n) v = in[threadIdx.x];
  atomicAdd(sum, v);  // guilty: initcheck atomic
}

// Those behind the end have no value, and the tree adds them all.
// guilty <<<1, 64>>> in[64] out[1] 50
extern "C" __global__ void a_tree_whose_last_leaves_have_no_value(const int* in, int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v;
  if (t < n) v = in[t];
  s[t] = v;  // guilty: initcheck write
  for (int d = 32; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) out[0] = s[0];
}

// guilty <<<1, 32>>> in[32] out[32] 16
extern "C" __global__ void an_index_that_was_counted_from_nowhere(const int* in, int* out, int n) {
  int i;
  for (int k = 0; k < n; ++k) i += in[k];  // guilty: initcheck
  atomicAdd(&out[i & 31], 1);
}

// guilty <<<1, 32>>> in[32] out[32] 16
extern "C" __global__ void a_choice_by_the_largest_of_nothing(const float* in, int* out, int n) {
  float most;
  for (int k = 0; k < n; ++k) most = fmaxf(most, in[k]);  // guilty: initcheck
  if (most > 3) out[threadIdx.x] = 1;
}

// innocent <<<1, 64>>> in[64] sum[1]=0 50
extern "C" __global__ void a_variable_of_those_that_have_one(const int* in, int* sum, int n) {
  int v;
  if (threadIdx.x < n) v = 3 * in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < n) atomicAdd(sum, v + 1);
}

// innocent <<<1, 64>>> in[64] out[64] 50
extern "C" __global__ void chosen_where_it_has_a_value(const int* in, int* out, int n) {
  int v;
  if (threadIdx.x < n) v = in[threadIdx.x];
  const int more = 2 * v + 1;
  out[threadIdx.x] = threadIdx.x < n ? more : 0;
}

// innocent <<<1, 64>>> in[256] out[256] 50
extern "C" __global__ void a_component_that_nobody_needs(const float* in, float4* out, int n) {
  const float* mine = in + 4 * threadIdx.x;
  float weight;
  if (threadIdx.x < n) weight = mine[3];
  out[threadIdx.x] = make_float4(mine[0], mine[1], mine[2], weight);
}

// innocent <<<1, 32>>> in[256] out[256]
extern "C" __global__ void what_came_before_the_first(const int* in, int* out) {
  int before;
  for (int k = 0; k < 8; ++k) {
    const int now = in[threadIdx.x * 8 + k];
    out[threadIdx.x * 8 + k] = k == 0 ? now : now - before;
    before = now;
  }
}
