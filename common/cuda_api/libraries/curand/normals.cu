// Normal and log-normal numbers of bits, by the device's own logarithms, sines and error functions, as curand_kernel.h
// says how they are made: NVIDIA's library gives what these give on a GPU (tests/libraries). Run on the simulator
// (LibraryRuntime::compute), a thread for each element of `in`.

namespace {

using u64 = unsigned long long;

constexpr float kTurn = 0x1p-32F * 6.2831855F;  ///< a turn, in units of the last of 32 bits

/// Two normal numbers of a uniform number and an angle (Box and Muller).
__device__ float2 box_muller(float uniform, float angle) {
  const float radius = sqrtf(-2 * logf(uniform));
  float sine, cosine;
  __sincosf(angle, &sine, &cosine);
  return make_float2(sine * radius, cosine * radius);
}
__device__ double2 box_muller(double uniform, double half_turns) {
  const double radius = sqrt(-2 * log(uniform));
  double sine, cosine;
  sincospi(half_turns, &sine, &cosine);
  return make_double2(sine * radius, cosine * radius);
}
__device__ u64 bits_of_53(unsigned x, unsigned y) { return x ^ static_cast<u64>(y) << 21; }

constexpr float kRootOf2Float = 1.41421356F;
constexpr double kRootOf2 = 1.4142135623730951;

/// The quantile of a probability in (0, 1/2], for the lower half of the bits, and its mirror for the upper one.
__device__ float quantile(unsigned x) {
  const bool upper = x > 0x80000000U;
  const float p = static_cast<float>(upper ? ~x : x) * 0x1p-32F + 0x1p-33F;
  return (upper ? kRootOf2Float : -kRootOf2Float) * erfcinvf(2 * p);
}
__device__ double quantile_double(unsigned x) {
  const bool upper = x > 0x80000000U;
  const double p = (upper ? ~x : x) * 0x1p-32 + 0x1p-33;
  return (upper ? kRootOf2 : -kRootOf2) * erfcinv(2 * p);
}
/// Of the 53 upper bits.
__device__ double quantile_double(u64 bits) {
  const u64 x = bits >> 11, most = (1ULL << 53) - 1;
  const bool upper = x > 1ULL << 52;
  const double p = static_cast<double>(upper ? most - x : x) * 0x1p-53 + 0x1p-54;
  return (upper ? kRootOf2 : -kRootOf2) * erfcinv(2 * p);
}

/// What a normal number becomes: of another mean and deviation, or the logarithm of what is given.
struct Shape {
  double mean, deviation;
  unsigned logarithm;

  __device__ float of(float normal) const {
    const float value = static_cast<float>(mean) + static_cast<float>(deviation) * normal;
    return logarithm != 0 ? expf(value) : value;
  }
  __device__ double of(double normal) const {
    const double value = mean + deviation * normal;
    return logarithm != 0 ? exp(value) : value;
  }
};

/// One thread's element, where there is one for it.
template <typename In, typename Out, typename Make>
__device__ void each(const In* in, Out* out, unsigned count, Make make) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = make(in[i]);
}
__device__ float2 shaped(float2 pair, Shape shape) { return make_float2(shape.of(pair.x), shape.of(pair.y)); }
__device__ double2 shaped(double2 pair, Shape shape) { return make_double2(shape.of(pair.x), shape.of(pair.y)); }

}  // namespace

// Two of two words, or of four.
extern "C" __global__ void pairs(const uint2* in, float2* out, unsigned count, Shape shape) {
  each(in, out, count, [=](uint2 x) {
    return shaped(
        box_muller(static_cast<float>(x.x) * 0x1p-32F + 0x1p-33F, static_cast<float>(x.y) * kTurn + kTurn / 2), shape);
  });
}
extern "C" __global__ void pairs_double(const uint4* in, double2* out, unsigned count, Shape shape) {
  each(in, out, count, [=](uint4 x) {
    const double uniform = static_cast<double>(bits_of_53(x.x, x.y)) * 0x1p-53 + 0x1p-54;
    return shaped(box_muller(uniform, static_cast<double>(bits_of_53(x.z, x.w)) * 0x1p-52 + 0x1p-53), shape);
  });
}

// Two of two uniform numbers (MRG32k3a).
extern "C" __global__ void pairs_of_fractions(const float2* in, float2* out, unsigned count, Shape shape) {
  each(in, out, count, [=](float2 u) { return shaped(box_muller(u.x, u.y * 6.2831855F), shape); });
}
extern "C" __global__ void pairs_of_fractions_double(const double2* in, double2* out, unsigned count, Shape shape) {
  each(in, out, count, [=](double2 u) { return shaped(box_muller(u.x, u.y * 2), shape); });
}

// One of a word of 32 or 64 bits.
extern "C" __global__ void quantiles(const unsigned* in, float* out, unsigned count, Shape shape) {
  each(in, out, count, [=](unsigned x) { return shape.of(quantile(x)); });
}
extern "C" __global__ void quantiles_double(const unsigned* in, double* out, unsigned count, Shape shape) {
  each(in, out, count, [=](unsigned x) { return shape.of(quantile_double(x)); });
}
extern "C" __global__ void quantiles_of_64_bits_double(const u64* in, double* out, unsigned count, Shape shape) {
  each(in, out, count, [=](u64 x) { return shape.of(quantile_double(x)); });
}
