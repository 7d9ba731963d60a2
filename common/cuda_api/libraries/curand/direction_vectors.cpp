// Tables of Sobol's generators, for programs whose kernels make the numbers themselves.

#include "common/cuda_api/libraries/curand/sobol.h"
#include "common/cuda_api/libraries/curand/vendor_tables.h"
#include "common/cuda_api/libraries/library.h"

using namespace gpulab::curand;

namespace {

const VendorTables& needed_tables(const char* what, void* caller) {
  if (vendor_tables() == nullptr) gpulab::libraries::refuse(what, caller, kNoVendorTables);
  return *vendor_tables();
}

}  // namespace

extern "C" {

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t** vectors, curandDirectionVectorSet_t set) {
  if (vectors == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  if (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6) {
    if (set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
    *vectors =
        needed_tables("curandGetDirectionVectors32 of scrambled vectors", __builtin_return_address(0)).scrambled32;
    return CURAND_STATUS_SUCCESS;
  }
  static auto* const all = [] {
    auto* made = new curandDirectionVectors32_t[kMostDimensions];
    for (unsigned d = 0; d < kMostDimensions; ++d) {
      const auto numbers = direction_numbers(d, 32);
      for (std::size_t i = 0; i < 32; ++i) made[d][i] = static_cast<unsigned>(numbers[i]);
    }
    return made;
  }();
  *vectors = all;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t** vectors, curandDirectionVectorSet_t set) {
  if (vectors == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  if (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6) {
    if (set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
    *vectors =
        needed_tables("curandGetDirectionVectors64 of scrambled vectors", __builtin_return_address(0)).scrambled64;
    return CURAND_STATUS_SUCCESS;
  }
  static auto* const all = [] {
    auto* made = new curandDirectionVectors64_t[kMostDimensions];
    for (unsigned d = 0; d < kMostDimensions; ++d) {
      const auto numbers = direction_numbers(d, 64);
      for (std::size_t i = 0; i < 64; ++i) made[d][i] = numbers[i];
    }
    return made;
  }();
  *vectors = all;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetScrambleConstants32(unsigned** constants) {
  if (constants == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *constants = needed_tables("curandGetScrambleConstants32", __builtin_return_address(0)).constants32;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetScrambleConstants64(unsigned long long** constants) {
  if (constants == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *constants = needed_tables("curandGetScrambleConstants64", __builtin_return_address(0)).constants64;
  return CURAND_STATUS_SUCCESS;
}

}  // extern "C"
