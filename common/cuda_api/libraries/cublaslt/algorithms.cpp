// Algorithms as programs see them that look for the fastest one: numbers, what each can do, and how it is set up. All
// products are computed in one way here, whatever was chosen, and take the same modelled time: so one is listed, of one
// tile, without splits, and a program that tries all of them is soon done.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/cuda_api/libraries/cublaslt/descriptors.h"
#include "common/cuda_api/libraries/library.h"

namespace gpulab::cublaslt {
namespace {

/// Where a setting lies, and how long it is; none: 0 bytes.
struct Setting {
  std::size_t offset = 0, bytes = 0;
};
Setting setting_of(cublasLtMatmulAlgoConfigAttributes_t which) {
  switch (which) {
    case CUBLASLT_ALGO_CONFIG_ID:
      return {offsetof(Algorithm, id), 4};
    case CUBLASLT_ALGO_CONFIG_TILE_ID:
      return {offsetof(Algorithm, tile), 4};
    case CUBLASLT_ALGO_CONFIG_SPLITK_NUM:
      return {offsetof(Algorithm, splits), 4};
    case CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME:
      return {offsetof(Algorithm, reduction), 4};
    case CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING:
      return {offsetof(Algorithm, swizzling), 4};
    case CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION:
      return {offsetof(Algorithm, custom), 4};
    case CUBLASLT_ALGO_CONFIG_STAGES_ID:
      return {offsetof(Algorithm, stages), 4};
    case CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID:
      return {offsetof(Algorithm, inner_shape), 2};
    case CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID:
      return {offsetof(Algorithm, cluster_shape), 2};
    default:
      return {};
  }
}

constexpr std::int32_t kIds = 100;  ///< numbers below it are taken
constexpr std::int32_t kListed = 0;

/// What an algorithm can do: 32-bit words, of which programs may ask for the first alone.
std::vector<std::uint32_t> ability(cublasLtMatmulAlgoCapAttributes_t which) {
  switch (which) {
    case CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT:
    case CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT:
      return {1};
    case CUBLASLT_ALGO_CAP_TILE_IDS:
      return {CUBLASLT_MATMUL_TILE_128x128};
    case CUBLASLT_ALGO_CAP_STAGES_IDS:
      return {CUBLASLT_MATMUL_STAGES_32x3};
    case CUBLASLT_ALGO_CAP_POINTER_MODE_MASK:
      return {CUBLASLT_POINTER_MODE_MASK_HOST | CUBLASLT_POINTER_MODE_MASK_DEVICE};
    case CUBLASLT_ALGO_CAP_EPILOGUE_MASK:
      return {CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU_BIAS | CUBLASLT_EPILOGUE_GELU_BIAS};
    case CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS:
      return {CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA, 0};
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES:
      return {4};
    case CUBLASLT_ALGO_CAP_SPLITK_SUPPORT:
    case CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK:
    case CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT:
    case CUBLASLT_ALGO_CAP_UPLO_SUPPORT:
    case CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX:
    case CUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER:
    case CUBLASLT_ALGO_CAP_LD_NEGATIVE:
      return {0};
    default:  // those of CUDA 13, by number: headers of 12 lack the names. Arrays of pointers, emulated doubles: none
      return which == 21 || which == 22 ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{};
  }
}
/// Whether numbers of that type may scale what is computed so; of other pairs an H100 knows no algorithm.
bool is_scale(cublasComputeType_t compute, cudaDataType_t scale) {
  switch (compute) {
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return scale == CUDA_R_64F || scale == CUDA_C_64F;
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return scale == CUDA_R_16F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return scale == CUDA_R_32I || scale == CUDA_R_32F;
    default:
      return scale == CUDA_R_32F || scale == CUDA_C_32F;
  }
}
bool is_list(cublasLtMatmulAlgoCapAttributes_t which) {
  return which == CUBLASLT_ALGO_CAP_TILE_IDS || which == CUBLASLT_ALGO_CAP_STAGES_IDS;
}

}  // namespace
}  // namespace gpulab::cublaslt

using namespace gpulab::cublaslt;

extern "C" {

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
                                        cudaDataType_t, cudaDataType_t, cudaDataType_t, cudaDataType_t, int requested,
                                        int ids[], int* count) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (count == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (requested < 1 || ids == nullptr) {
    *count = 0;
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (!is_scale(compute, scale)) return CUBLAS_STATUS_NOT_SUPPORTED;
  ids[0] = kListed;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
                                      cudaDataType_t, cudaDataType_t, cudaDataType_t, cudaDataType_t, int id,
                                      cublasLtMatmulAlgo_t* algorithm) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_scale(compute, scale)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (algorithm == nullptr || id < 0 || id >= kIds) return CUBLAS_STATUS_INVALID_VALUE;
  put(algorithm, {.id = id});
  return CUBLAS_STATUS_SUCCESS;
}

/// Of lists a program asks for the length first, with no bytes.
cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t* algorithm,
                                                 cublasLtMatmulAlgoCapAttributes_t which, void* value, size_t bytes,
                                                 size_t* written) {
  if (algorithm == nullptr || (bytes == 0 && written == nullptr)) return CUBLAS_STATUS_INVALID_VALUE;
  const auto words = ability(which);
  const std::size_t all = words.size() * sizeof(std::uint32_t);
  if (words.empty()) return CUBLAS_STATUS_INVALID_VALUE;
  if (written != nullptr) *written = all;
  if (bytes == 0) return CUBLAS_STATUS_SUCCESS;
  if (value == nullptr || (!is_list(which) && bytes < all)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, words.data(), std::min(bytes, all));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t* algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t which, const void* value,
                                                    size_t bytes) {
  const Setting setting = setting_of(which);
  if (algorithm == nullptr || value == nullptr || setting.bytes == 0 || bytes != setting.bytes ||
      which == CUBLASLT_ALGO_CONFIG_ID)  // it is set when an algorithm is made
    return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(reinterpret_cast<char*>(algorithm->data) + setting.offset, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t which, void* value,
                                                    size_t bytes, size_t* written) {
  const Setting setting = setting_of(which);
  if (algorithm == nullptr || setting.bytes == 0 || (bytes == 0 && written == nullptr))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (written != nullptr) *written = setting.bytes;
  if (bytes == 0) return CUBLAS_STATUS_SUCCESS;
  if (value == nullptr || bytes < setting.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, reinterpret_cast<const char*>(algorithm->data) + setting.offset, setting.bytes);
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
