// The first numbers of each generator of cuRAND's host API: to be run on a GPU and under `gpulab exec`, and compared (diff). Each line is
// a generator, an order, a seed, an offset, a form, and the FNV-1a of 10^5 numbers beside the first four.
// build: -lcurand
// long
// case:  :: 0
// What an H100 printed (driver 580); normal numbers differ in their last bits, for its sine does.
// out: XORWOW default seed 11400714819323198485 offset 12345 bits 8b84ce1194c32f5b
// out: XORWOW default seed 11400714819323198485 offset 12345 uniform_double f0e0c17012b7c45c
// out: XORWOW legacy seed 11400714819323198485 offset 12345 bits 8b84ce1194c32f5b
// out: XORWOW legacy seed 11400714819323198485 offset 12345 uniform_double f0e0c17012b7c45c
// out: XORWOW seeded seed 11400714819323198485 offset 12345 bits 4758c11616d2753f
// out: XORWOW seeded seed 11400714819323198485 offset 12345 uniform_double 5da1b3ddc4cdeadc
// out: MRG32k3a default seed 11400714819323198485 offset 12345 bits 68495934c5cf2b37
// out: MRG32k3a default seed 11400714819323198485 offset 12345 uniform_double f2e650c5a1367a7a
// out: MRG32k3a legacy seed 11400714819323198485 offset 12345 bits c3afe197035b046c
// out: MRG32k3a legacy seed 11400714819323198485 offset 12345 uniform_double 92fd433a499f494e
// out: MTGP32 default seed 11400714819323198485 offset 0 bits 7cdfcd53755cadff
// out: MTGP32 default seed 11400714819323198485 offset 0 uniform_double a5a88bec6e2a961f
// out: MTGP32 legacy seed 11400714819323198485 offset 0 bits 4938ac91e33b1b65
// out: MTGP32 legacy seed 11400714819323198485 offset 0 uniform_double f8c33ad7ae9fa76e
// out: MT19937 default seed 0 offset 0 bits 2e71bbcf668154e3
// out: MT19937 legacy seed 0 offset 0 bits 2e71bbcf668154e3
// out: Philox default seed 11400714819323198485 offset 12345 bits e4feb13d3f0a0641
// out: Philox default seed 11400714819323198485 offset 12345 uniform_double 910338814c1ce04e
// out: Philox legacy seed 11400714819323198485 offset 12345 bits e4feb13d3f0a0641
// out: Philox legacy seed 11400714819323198485 offset 12345 uniform_double 910338814c1ce04e
// out: Sobol32 default seed 0 offset 12345 bits 880229960e5e3e9c
// out: Sobol32 default seed 0 offset 12345 uniform_double 850931a910635785
// out: Sobol64 default seed 0 offset 12345 bits 08a02bef532dc75c
// out: Sobol64 default seed 0 offset 12345 uniform_double c3562f9269cbdf1d
#include <curand.h>

#include <cstdio>
#include <cstring>
#include <vector>

static void* device;
constexpr size_t kCount = 100000;

static void print(const char* name, const char* order, unsigned long long seed, unsigned long long offset, const char* form, curandStatus_t status, size_t bytes) {
  std::printf("%s %s seed %llu offset %llu %s ", name, order, seed, offset, form);
  if (status != CURAND_STATUS_SUCCESS) {
    std::printf("status %d\n", status);
    return;
  }
  std::vector<unsigned char> host(kCount * bytes);
  cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDeviceToHost);
  unsigned long long hash = 0xcbf29ce484222325ULL;
  for (unsigned char byte : host) hash = (hash ^ byte) * 0x100000001b3ULL;
  std::printf("%016llx", hash);
  for (size_t i = 0; i < 4; ++i) {
    unsigned long long word = 0;
    std::memcpy(&word, host.data() + i * bytes, bytes);
    std::printf(" %llx", word);
  }
  std::printf("\n");
}

int main() {
  cudaMalloc(&device, kCount * 8);
  struct Type { const char* name; curandRngType type; };
  struct Order { const char* name; curandOrdering order; };
  const Type types[] = {{"XORWOW", CURAND_RNG_PSEUDO_XORWOW}, {"MRG32k3a", CURAND_RNG_PSEUDO_MRG32K3A}, {"MTGP32", CURAND_RNG_PSEUDO_MTGP32},
                        {"MT19937", CURAND_RNG_PSEUDO_MT19937}, {"Philox", CURAND_RNG_PSEUDO_PHILOX4_32_10}, {"Sobol32", CURAND_RNG_QUASI_SOBOL32}, {"Sobol64", CURAND_RNG_QUASI_SOBOL64}};
  const Order orders[] = {{"default", CURAND_ORDERING_PSEUDO_DEFAULT}, {"best", CURAND_ORDERING_PSEUDO_BEST}, {"legacy", CURAND_ORDERING_PSEUDO_LEGACY}, {"seeded", CURAND_ORDERING_PSEUDO_SEEDED}};
  for (const auto& type : types)
    for (const unsigned long long seed : {0ULL, 0x9e3779b97f4a7c15ULL})
      for (const auto& order : orders)
        for (const unsigned long long offset : {0ULL, 12345ULL}) {
          const bool quasi = type.type >= CURAND_RNG_QUASI_DEFAULT;
          if (quasi && (seed != 0 || order.order != CURAND_ORDERING_PSEUDO_DEFAULT)) continue;
          const auto with = [&](const char* form, size_t bytes, auto generate) {
            curandGenerator_t g;
            curandCreateGenerator(&g, type.type);
            auto status = quasi ? CURAND_STATUS_SUCCESS : curandSetGeneratorOrdering(g, order.order);
            if (status == CURAND_STATUS_SUCCESS && !quasi) status = curandSetPseudoRandomGeneratorSeed(g, seed);
            if (status == CURAND_STATUS_SUCCESS && offset != 0) status = curandSetGeneratorOffset(g, offset);
            if (status == CURAND_STATUS_SUCCESS) status = generate(g);
            print(type.name, order.name, seed, offset, form, status, bytes);
            curandDestroyGenerator(g);
          };
          if (type.type == CURAND_RNG_QUASI_SOBOL64)
            with("bits", 8, [](auto g) { return curandGenerateLongLong(g, (unsigned long long*)device, kCount); });
          else
            with("bits", 4, [](auto g) { return curandGenerate(g, (unsigned*)device, kCount); });
          with("uniform", 4, [](auto g) { return curandGenerateUniform(g, (float*)device, kCount); });
          with("uniform_double", 8, [](auto g) { return curandGenerateUniformDouble(g, (double*)device, kCount); });
          with("normal", 4, [](auto g) { return curandGenerateNormal(g, (float*)device, kCount, 0, 1); });
          with("normal_double", 8, [](auto g) { return curandGenerateNormalDouble(g, (double*)device, kCount, 0, 1); });
          with("poisson", 4, [](auto g) { return curandGeneratePoisson(g, (unsigned*)device, kCount, 10); });
        }
}
