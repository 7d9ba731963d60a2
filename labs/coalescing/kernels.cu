// Copying n floats, out[i] = some element of in. Every kernel stores side by side, lane after lane; what differs is
// where the lanes of a warp load from. Global memory moves whole sectors of 32 bytes: a load of a warp costs as many as
// its 32 lanes touch, four at least (128 bytes), 32 at most. That is all there is to coalescing.
//
// Positions are long: i * stride may be more than 2^31.

// --- 1: anywhere -----------------------------------------------------------------------------------------------------
// A gather from random positions: hardly two lanes share a sector. 32 sectors, of each of which 4 bytes are used and 28
// are moved for nothing. (A hash of i is the position, so that no index array has to be loaded, too.)
__device__ unsigned position(unsigned i, unsigned n) {
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return __umulhi(i ^ (i >> 16), n);  // n * hash / 2^32: below n
}

__global__ void copy_random(const float* in, float* out, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[position(i, n)];
}

// --- 2: every stride-th ----------------------------------------------------------------------------------------------
// Neighbouring lanes load words `stride` apart: 32 * stride words lie between the first and the last, and their sectors
// are all moved. Each sector of eight words serves 8 / stride lanes, until from stride 8 on each lane has one of its
// own: the efficiency is 1 / stride, but 1 / 8 at least.
__global__ void copy_stride(const float* in, float* out, int n, int stride) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride];
}

// --- 3: shifted ------------------------------------------------------------------------------------------------------
// Side by side, but the warp's 128 bytes start in the middle of a sector: five sectors instead of four, 80%. What is
// left over of the fifth belongs to the next warp, and is probably still in the cache when that asks for it. A multiple
// of eight floats costs nothing.
__global__ void copy_offset(const float* in, float* out, int n, int offset) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + offset];
}

// --- 4: array of structures ------------------------------------------------------------------------------------------
// Data as programs like to keep it, all fields of one thing together. A kernel that needs one field of each has a
// stride without having asked for it: 16 bytes, 16 sectors per load, a quarter of what is moved is used.
struct Particle {
  float x, y, z, mass;
};

__global__ void copy_aos(const Particle* in, float* out, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i].x;
}

// --- 5: structure of arrays ------------------------------------------------------------------------------------------
// One array per field: the x of neighbours are neighbours. Four sectors per load, all of them used.
struct Particles {
  const float *x, *y, *z, *mass;
};

__global__ void copy_soa(const float* in, float* out, int n) {
  const Particles all{in, in + n, in + 2L * n, in + 3L * n};
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = all.x[i];
}

// --- 6: vectors ------------------------------------------------------------------------------------------------------
// Each lane loads and stores 16 bytes: a request now moves 16 sectors, all used. As many bytes by a quarter of the
// instructions. What n % 4 leaves over, the first threads copy.
__global__ void copy_vectors(const float* in, float* out, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n / 4) reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
  const long rest = n / 4 * 4L + i;
  if (rest < n) out[rest] = in[rest];
}
