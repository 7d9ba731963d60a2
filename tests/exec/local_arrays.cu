// An array of a thread's own by a generic address, which the launch alone knows to be one: its accesses are local ones, not global, as
// an H100 counted (Nsight Compute 2025.3.1), sector by sector.
// long
// case: --metrics local_load_sectors,local_store_sectors,global_load_requests :: 0
// err: 2 +local_load_transactions .* 288 +2080 +1184
// err: 2 +local_store_transactions .* 640 +1536 +1088
// err: 2 +gld_request .* 0 +0 +0
using word = unsigned;

__global__ void generic(word* out, int m) {
  word a[16];
  const word t = threadIdx.x;
  for (int k = 0; k < 16; ++k) a[k] = t * k + m;
  volatile word* p = m < 100 ? (volatile word*)a : (volatile word*)out;
  for (int k = 0; k < 4; ++k) p[(t * m + k) & 15] = k;
  word s = 0;
  for (int k = 0; k < 8; ++k) s += p[(t * m + k * 3) & 15];
  out[t] = s + a[m & 15];
}

int main() {
  word* out;
  cudaMalloc(&out, 1024);
  generic<<<1, 256>>>(out, 0);
  generic<<<1, 256>>>(out, 1);
  const bool right = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(out);
  return right ? 0 : 1;
}
