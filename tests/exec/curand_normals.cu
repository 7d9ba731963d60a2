// Normal and log-normal numbers of cuRAND's host API, bit by bit as an H100 gives them (CUDA 13.0, driver 580): of each generator 20,000 floats
// and doubles of mean 0.75 and deviation 1.5, as FNV-1a of their words.
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
#include <curand.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr size_t kCount = 20000;

static std::uint64_t hash_of(const void* device, size_t bytes) {
  std::vector<std::uint32_t> words(bytes / 4);
  cudaMemcpy(words.data(), device, bytes, cudaMemcpyDeviceToHost);
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
}
