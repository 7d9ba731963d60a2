// Normal and log-normal numbers of cuRAND's host API, bit by bit as an H100 gives them (CUDA 13.0, driver 580): of each generator 20,000 floats
// and doubles of mean 0.75 and deviation 1.5, as FNV-1a of their words; and those of the host's generators, of mean 0 and deviation 1, as NVIDIA's library
// makes them on a CPU.
// build: -lcurand
// case:  :: 0
// out: (?m)^XORWOW 797f0fcdd842181d 710bdc7a2d50042d 0c023ba8cedccd72 c97f40f281da8098
// out: (?m)^MRG32k3a 9eca26df876bca45 021d6607a5956903 250a548688696e47 c05fe99a077e8e26
// out: (?m)^MTGP32 256bfbf229978041 d921910722b8a0f4 ba5ce9110f9ed9db 2922614c61b6fdf4
// out: (?m)^MT19937 3fd882f584e7f143 815591159fb4443d 34c258af71ef27f8 3a081b623e84b02f
// out: (?m)^Philox d525bc1f1fa10038 e04206c56b3f159f f70a2d21b195b653 b22a3bb582e4d4d7
// out: (?m)^Sobol32 0dd102c904fc47ea 61a4565a9dd9da50 11f6050d1801d2e5 f87b6ff0a4cb01b6
// out: (?m)^scrambled32 532de4084d3f3d48 b4b80e9556473aeb 2d12271c42f44bda e34ff9f308a5a30a
// out: (?m)^Sobol64 0dd102c904fc47ea cac867399a21a285 11f6050d1801d2e5 a23b9e5d428ee90f
// out: (?m)^scrambled64 532de4084d3f3d48 236e978c80e3dcb9 2d12271c42f44bda 542e89b554bedd29
// out: (?m)^host XORWOW 00c64f70895d4293 83217e0f1d018582 322583f365e4b8b7 f6687aec2ed05406
// out: (?m)^host MT19937 24845fae1a9248f1 112fa4321c5d4e02 4569606c22e77fa5 6eaf7b2bc6ce4924
// out: (?m)^host Sobol32 f9fcebb504c7781f 314c4d912140956e a1cf82cdd32e5343 1b0c171efc3bcc1d
// out: (?m)^host Sobol64 f9fcebb504c7781f 5d8bac1e05c57e61 a1cf82cdd32e5343 5457406dbbc46764
// out: (?m)^host scrambled32 772b383fa83191f5 90fafe989612bf17 fbb06b2cababe351 3da6dadd498e04c6
#include <curand.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr size_t kCount = 20000;

static std::uint64_t hash_of(const void* numbers, size_t bytes) {
  std::vector<std::uint32_t> words(bytes / 4);
  cudaMemcpy(words.data(), numbers, bytes, cudaMemcpyDefault);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const auto word : words) hash = (hash ^ word) * 0x100000001b3u;
  return hash;
}

template <typename T, typename Generate>
static void print(curandRngType_t type, Generate generate, void* device) {
  curandGenerator_t generator;
  curandCreateGenerator(&generator, type);
  generate(generator, static_cast<T*>(device), kCount, T(0.75), T(1.5));
  std::printf(" %016llx", static_cast<unsigned long long>(hash_of(device, kCount * sizeof(T))));
  curandDestroyGenerator(generator);
}

template <typename T, typename Generate>
static void print_host(curandRngType_t type, Generate generate) {
  curandGenerator_t generator;
  curandCreateGeneratorHost(&generator, type);
  std::vector<T> numbers(kCount);
  generate(generator, numbers.data(), kCount, T(0), T(1));
  std::printf(" %016llx", static_cast<unsigned long long>(hash_of(numbers.data(), kCount * sizeof(T))));
  curandDestroyGenerator(generator);
}

int main() {
  void* device;
  cudaMalloc(&device, kCount * sizeof(double));
  struct { const char* name; curandRngType_t type; } const all[] = {
      {"XORWOW", CURAND_RNG_PSEUDO_XORWOW}, {"MRG32k3a", CURAND_RNG_PSEUDO_MRG32K3A}, {"MTGP32", CURAND_RNG_PSEUDO_MTGP32}, {"MT19937", CURAND_RNG_PSEUDO_MT19937},
      {"Philox", CURAND_RNG_PSEUDO_PHILOX4_32_10}, {"Sobol32", CURAND_RNG_QUASI_SOBOL32}, {"scrambled32", CURAND_RNG_QUASI_SCRAMBLED_SOBOL32},
      {"Sobol64", CURAND_RNG_QUASI_SOBOL64}, {"scrambled64", CURAND_RNG_QUASI_SCRAMBLED_SOBOL64}};
  for (const auto& one : all) {
    std::printf("%s", one.name);
    print<float>(one.type, curandGenerateNormal, device), print<double>(one.type, curandGenerateNormalDouble, device);
    print<float>(one.type, curandGenerateLogNormal, device), print<double>(one.type, curandGenerateLogNormalDouble, device);
    std::printf("\n");
  }
  for (const auto& one : all) {
    const bool shown = one.type == CURAND_RNG_PSEUDO_XORWOW || one.type == CURAND_RNG_PSEUDO_MT19937 || one.type == CURAND_RNG_QUASI_SOBOL32 || one.type == CURAND_RNG_QUASI_SOBOL64 || one.type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32;
    if (!shown) continue;
    std::printf("host %s", one.name);
    print_host<float>(one.type, curandGenerateNormal), print_host<double>(one.type, curandGenerateNormalDouble);
    print_host<float>(one.type, curandGenerateLogNormal), print_host<double>(one.type, curandGenerateLogNormalDouble);
    std::printf("\n");
  }
}
