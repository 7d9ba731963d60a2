// The work of three rungs of the labs in OpenCL C, each as plain as its kernel: what beside_opencl.py compares with.
// A work-group has 256 work-items, as the labs' blocks have threads.

// reduce_shared_sequential: thread t adds word t + stride of the work-group's array to word t.
kernel void sum_sequential(global const int* in, global int* out, int n, local int* words) {
  const uint t = get_local_id(0);
  const size_t at = get_global_id(0);
  words[t] = at < n ? in[at] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
    if (t < stride) words[t] += words[t + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = words[0];
}

// reduce_neighbored: pairs of neighbours, in place, in global memory.
kernel void sum_neighbored(global int* in, global int* out, int n) {
  const uint t = get_local_id(0), size = get_local_size(0);
  const size_t first = get_group_id(0) * (size_t)size;
  const uint count = min((ulong)size, (ulong)n - first);
  global int* part = in + first;
  for (uint offset = 1; offset <= size / 2; offset *= 2) {
    if (t % (2 * offset) == 0 && t + offset < count) part[t] += part[t + offset];
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}

// matmul_tiled<float, 16, 0>: c = a * b, all n x n.
#define TILE 16
kernel void matmul_tiled(global const float* a, global const float* b, global float* c, int n) {
  local float a_tile[TILE][TILE], b_tile[TILE][TILE];
  const int x = get_local_id(0), y = get_local_id(1);
  const long row = get_global_id(1), column = get_global_id(0);
  float sum = 0;
  for (int first = 0; first < n; first += TILE) {
    a_tile[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
    b_tile[y][x] = first + y < n && column < n ? b[(long)(first + y) * n + column] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i) sum = fma(a_tile[y][i], b_tile[i][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
