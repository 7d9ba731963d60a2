// cuRAND's host API beside the toolkit's own device functions, for the same seeds, subsequences and offsets: bit by bit.
// long
// build: -lcurand
// case:  :: 0
// out: (?m)^XORWOW bits 0 uniform 0 double 0 offset 0$
// out: (?m)^MRG32k3a bits 0 uniform 0 double 0 offset 0$
// out: (?m)^Philox bits 0 uniform 0 double 0 offset 0$
// out: (?m)^MTGP32 bits 0$
// out: (?m)^Sobol32 0 Sobol64 0$
// out: (?m)^normal XORWOW 0 Philox 0, quantile 0$
// out: (?m)^Poisson mean 9\.9|10\.0
// out: (?m)^errors 101 105 103 104 105 0$
// case: -- dynamic :: 3
// err: error: unsupported: CURAND_ORDERING_PSEUDO_DYNAMIC, called by curand_host\.cu:@HERE: dynamic@
// case: -- scrambled :: 0
// out: (?m)^scrambled 0 0, 20000 dimensions 0$
// case: -- small :: 4
// err: out-of-bounds write of 400 bytes at 0x[0-9a-f]+ by curandGenerateUniform \(n = 100, XORWOW\): its 'outputPtr' goes 16 bytes beyond the end of 'cudaMalloc #1', which has 384
#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

constexpr unsigned long long kSeed = 0x123456789abcdefULL;
constexpr int kCount = 12288;

/// What the order of the host API says: `per`: numbers of a subsequence before it is the next one's turn.
template <typename State>
__global__ void by_subsequence(unsigned* bits, float* uniform, double* twice, int subsequences, int per, int count, unsigned long long offset) {
  const int unit = blockIdx.x * blockDim.x + threadIdx.x;
  if (unit * per >= count) return;
  const unsigned long long at = unit + offset / per;
  State state;
  for (int kind = 0; kind < 3; ++kind) {
    const unsigned long long words = kind == 2 && per == 4 ? 2 : 1;
    curand_init(kSeed, at % subsequences, at / subsequences * per * words * (kind == 2 && per == 1 && sizeof(State) == sizeof(curandStateXORWOW_t) ? 2 : 1), &state);
    for (int i = 0; i < per; ++i) {
      if (kind == 0) bits[unit * per + i] = curand(&state);
      if (kind == 1) uniform[unit * per + i] = curand_uniform(&state);
      if (kind == 2) twice[unit * per + i] = curand_uniform_double(&state);
    }
  }
}
/// Philox makes two doubles of four words.
__global__ void philox_doubles(double* to, int count) {
  const int unit = blockIdx.x * blockDim.x + threadIdx.x;
  if (unit * 4 >= count) return;
  curandStatePhilox4_32_10_t state;
  curand_init(kSeed, unit, 0, &state);
  for (int half = 0; half < 2; ++half) {
    const double2 two = curand_uniform2_double(&state);
    to[unit * 4 + 2 * half] = two.x, to[unit * 4 + 2 * half + 1] = two.y;
  }
}
__global__ void xorwow_normals(float* to, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  curandStateXORWOW_t state;
  curand_init(kSeed, i % 4096, i / 4096 * 2, &state);
  const float2 two = curand_normal2(&state);
  to[2 * i] = two.x, to[2 * i + 1] = two.y;
}
__global__ void philox_normals(float* to, int fours) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= fours) return;
  curandStatePhilox4_32_10_t state;
  curand_init(kSeed, i, 0, &state);
  const float4 four = curand_normal4(&state);
  to[4 * i] = four.x, to[4 * i + 1] = four.y, to[4 * i + 2] = four.z, to[4 * i + 3] = four.w;
}
__global__ void twisters(curandStateMtgp32_t* states, unsigned* to) {
  for (int round = 0; round < 2; ++round) to[(round * gridDim.x + blockIdx.x) * 256 + threadIdx.x] = curand(&states[blockIdx.x]);
}
__global__ void sobol(curandDirectionVectors32_t* v32, curandDirectionVectors64_t* v64, unsigned* to32, unsigned long long* to64, float* normals, int each) {
  curandStateSobol32_t a, c;
  curandStateSobol64_t b;
  const int dimension = threadIdx.x;
  curand_init(v32[dimension], 5, &a);
  curand_init(v64[dimension], 5, &b);
  curand_init(v32[dimension], 5, &c);
  for (int i = 0; i < each; ++i) {
    to32[dimension * each + i] = curand(&a);
    to64[dimension * each + i] = curand(&b);
    normals[dimension * each + i] = curand_normal(&c);
  }
}

__global__ void scrambled(curandDirectionVectors32_t* v32, curandDirectionVectors64_t* v64, unsigned* c32, unsigned long long* c64, unsigned* to32, unsigned long long* to64, int each) {
  const int dimension = threadIdx.x;
  curandStateScrambledSobol32_t a;
  curandStateScrambledSobol64_t b;
  curand_init(v32[dimension], c32[dimension], 5, &a);
  curand_init(v64[dimension], c64[dimension], 5, &b);
  for (int i = 0; i < each; ++i) to32[dimension * each + i] = curand(&a), to64[dimension * each + i] = curand(&b);
}

template <typename T>
T* room(size_t count) {
  T* p;
  cudaMalloc(&p, count * sizeof(T));
  return p;
}
template <typename T>
int differ(const T* one, const T* other, size_t count, double tolerance = 0) {
  std::vector<T> a(count), b(count);
  cudaMemcpy(a.data(), one, count * sizeof(T), cudaMemcpyDeviceToHost);
  cudaMemcpy(b.data(), other, count * sizeof(T), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (size_t i = 0; i < count; ++i) wrong += tolerance == 0 ? a[i] != b[i] : std::fabs(double(a[i]) - double(b[i])) > tolerance;
  return wrong;
}

template <typename State>
void compare(const char* name, curandRngType type, int subsequences, int per) {
  unsigned *bits = room<unsigned>(kCount), *other_bits = room<unsigned>(kCount);
  float *uniform = room<float>(kCount), *other_uniform = room<float>(kCount);
  double *twice = room<double>(kCount), *other_twice = room<double>(kCount);
  by_subsequence<State><<<(kCount / per + 127) / 128, 128>>>(bits, uniform, twice, subsequences, per, kCount, 0);
  if (per == 4) philox_doubles<<<kCount / 4 / 128, 128>>>(twice, kCount);
  const auto fresh = [&](unsigned long long offset) {
    curandGenerator_t generator;
    curandCreateGenerator(&generator, type);
    curandSetPseudoRandomGeneratorSeed(generator, kSeed);
    curandSetGeneratorOffset(generator, offset);
    return generator;
  };
  curandGenerator_t g = fresh(0);
  curandGenerate(g, other_bits, 1000);  // two calls give what one does
  curandGenerate(g, other_bits + 1000, kCount - 1000);
  curandDestroyGenerator(g);
  g = fresh(0);
  curandGenerateUniform(g, other_uniform, kCount);
  curandDestroyGenerator(g);
  g = fresh(0);
  curandGenerateUniformDouble(g, other_twice, kCount);
  curandDestroyGenerator(g);
  std::printf("%s bits %d uniform %d double %d", name, differ(bits, other_bits, kCount), differ(uniform, other_uniform, kCount), differ(twice, other_twice, kCount));
  const unsigned long long far = 1000000007ULL / per * per;
  by_subsequence<State><<<(kCount / per + 127) / 128, 128>>>(bits, uniform, twice, subsequences, per, kCount, far);
  g = fresh(far);
  curandGenerate(g, other_bits, kCount);
  curandDestroyGenerator(g);
  std::printf(" offset %d\n", differ(bits, other_bits, kCount));
}

static void twister() {
  curandStateMtgp32_t* states = room<curandStateMtgp32_t>(192);
  mtgp32_kernel_params* parameters = room<mtgp32_kernel_params>(1);
  curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters);
  curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters, 192, kSeed);
  const size_t count = 2 * 192 * 256;
  unsigned *bits = room<unsigned>(count), *other = room<unsigned>(count);
  twisters<<<192, 256>>>(states, bits);
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32);
  curandSetPseudoRandomGeneratorSeed(g, kSeed);
  curandGenerate(g, other, count);
  std::printf("MTGP32 bits %d\n", differ(bits, other, count));
}

static void quasi() {
  const int dimensions = 40, each = 60;
  curandDirectionVectors32_t *v32, *d32 = room<curandDirectionVectors32_t>(dimensions);
  curandDirectionVectors64_t *v64, *d64 = room<curandDirectionVectors64_t>(dimensions);
  curandGetDirectionVectors32(&v32, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
  curandGetDirectionVectors64(&v64, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
  cudaMemcpy(d32, v32, dimensions * sizeof *d32, cudaMemcpyHostToDevice);
  cudaMemcpy(d64, v64, dimensions * sizeof *d64, cudaMemcpyHostToDevice);
  unsigned *a = room<unsigned>(dimensions * each), *b = room<unsigned>(dimensions * each);
  unsigned long long *c = room<unsigned long long>(dimensions * each), *d = room<unsigned long long>(dimensions * each);
  float *n = room<float>(dimensions * each), *m = room<float>(dimensions * each), *x = room<float>(8192), *y = room<float>(8192);
  sobol<<<1, dimensions>>>(d32, d64, a, c, n, each);
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32);
  curandSetQuasiRandomGeneratorDimensions(g, dimensions);
  curandSetGeneratorOffset(g, 5);
  curandGenerate(g, b, dimensions * each);
  curandSetGeneratorOffset(g, 5);
  curandGenerateNormal(g, m, dimensions * each, 0, 1);
  curandDestroyGenerator(g);
  curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL64);
  curandSetQuasiRandomGeneratorDimensions(g, dimensions);
  curandSetGeneratorOffset(g, 5);
  curandGenerateLongLong(g, d, dimensions * each);
  curandDestroyGenerator(g);
  std::printf("Sobol32 %d Sobol64 %d\n", differ(a, b, dimensions * each), differ(c, d, dimensions * each));
  xorwow_normals<<<32, 128>>>(x, 4096);
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_XORWOW);
  curandSetPseudoRandomGeneratorSeed(g, kSeed);
  curandGenerateNormal(g, y, 8192, 0, 1);
  const int of_xorwow = differ(x, y, 8192, 2e-6);
  philox_normals<<<16, 128>>>(x, 2048);
  curandDestroyGenerator(g);
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandSetPseudoRandomGeneratorSeed(g, kSeed);
  curandGenerateNormal(g, y, 8192, 0, 1);
  std::printf("normal XORWOW %d Philox %d, quantile %d\n", of_xorwow, differ(x, y, 8192, 2e-6), differ(n, m, dimensions * each, 2e-6));
  unsigned* counts = room<unsigned>(10000);
  curandGeneratePoisson(g, counts, 10000, 10.0);
  std::vector<unsigned> host(10000);
  cudaMemcpy(host.data(), counts, 40000, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (unsigned one : host) sum += one;
  std::printf("Poisson mean %.1f\n", sum / 10000);
}

/// Tables that are NVIDIA's own: of the toolkit's library.
template <typename T> T* on_device(const T* host, size_t count) {
  T* p = room<T>(count);
  cudaMemcpy(p, host, count * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
void scrambled_sequences() {
  const int dimensions = 3, each = 200;
  curandDirectionVectors32_t* v32;
  curandDirectionVectors64_t* v64;
  unsigned *c32, *a = room<unsigned>(dimensions * each), *b = room<unsigned>(20000);
  unsigned long long *c64, *c = room<unsigned long long>(dimensions * each), *d = room<unsigned long long>(dimensions * each);
  curandGetDirectionVectors32(&v32, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
  curandGetDirectionVectors64(&v64, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
  curandGetScrambleConstants32(&c32);
  curandGetScrambleConstants64(&c64);
  scrambled<<<1, dimensions>>>(on_device(v32, dimensions), on_device(v64, dimensions), on_device(c32, dimensions), on_device(c64, dimensions), a, c, each);
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32);  // HERE: scrambled
  curandSetQuasiRandomGeneratorDimensions(g, dimensions);
  curandSetGeneratorOffset(g, 5);
  curandGenerate(g, b, dimensions * each);
  const int of32 = differ(a, b, dimensions * each);
  curandDestroyGenerator(g);
  curandCreateGenerator(&g, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64);
  curandSetQuasiRandomGeneratorDimensions(g, dimensions);
  curandSetGeneratorOffset(g, 5);
  curandGenerateLongLong(g, d, dimensions * each);
  const int of64 = differ(c, d, dimensions * each);
  curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32);
  const auto status = curandSetQuasiRandomGeneratorDimensions(g, 20000);
  std::printf("scrambled %d %d, 20000 dimensions %d\n", of32, of64, status + curandGenerate(g, b, 20000));
}

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  curandGenerator_t g;
  if (what == "dynamic") {
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_XORWOW);
    curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DYNAMIC);  // HERE: dynamic
  }
  if (what == "scrambled") {
    scrambled_sequences();
    return 0;
  }
  if (what == "small") {
    float* p = room<float>(96);
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
    curandGenerateUniform(g, p, 100);
    return 0;
  }
  compare<curandStateXORWOW_t>("XORWOW", CURAND_RNG_PSEUDO_XORWOW, 4096, 1);
  compare<curandStateMRG32k3a_t>("MRG32k3a", CURAND_RNG_PSEUDO_MRG32K3A, 81920, 1);
  compare<curandStatePhilox4_32_10_t>("Philox", CURAND_RNG_PSEUDO_PHILOX4_32_10, 65536, 4);
  twister();
  quasi();
  curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32);
  curandSetQuasiRandomGeneratorDimensions(g, 3);
  float* p = room<float>(16);
  std::printf("errors %d %d %d %d", curandGenerateUniform(nullptr, p, 4), curandGenerateUniform(g, p, 4), curandSetPseudoRandomGeneratorSeed(g, 1),
              curandSetQuasiRandomGeneratorDimensions(g, 0));
  curandDestroyGenerator(g);
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_XORWOW);
  std::printf(" %d", curandGenerateNormal(g, p, 3, 0, 1));
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);  // takes odd counts, as on an H100
  std::printf(" %d\n", curandGenerateNormal(g, p, 3, 0, 1));
}
