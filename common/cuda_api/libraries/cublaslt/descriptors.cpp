#include "common/cuda_api/libraries/cublaslt/descriptors.h"

#include <cstddef>
#include <cstdio>
#include <new>

#include "common/cuda_api/libraries/library.h"

using namespace gpulab::cublaslt;

namespace {

template <typename Opaque>
cublasStatus_t create(Opaque** made) {
  if (made == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *made = new (std::nothrow) Opaque{};
  return *made == nullptr ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
template <typename Opaque>
cublasStatus_t destroy(Opaque* made) {
  delete made;
  return CUBLAS_STATUS_SUCCESS;
}

/// A member of a description: where it lies, and how long it is.
struct Member {
  std::size_t offset = 0, bytes = 0;
};

cublasStatus_t set(void* words, Member member, const void* value, std::size_t bytes) {
  if (value == nullptr || member.bytes == 0 || bytes != member.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(static_cast<char*>(words) + member.offset, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
/// `bytes` of 0 asks how many there are.
cublasStatus_t get(const void* words, Member member, void* value, std::size_t bytes, std::size_t* written) {
  if (member.bytes == 0 || (bytes == 0 && written == nullptr)) return CUBLAS_STATUS_INVALID_VALUE;
  if (written != nullptr) *written = member.bytes;
  if (bytes == 0) return CUBLAS_STATUS_SUCCESS;
  if (value == nullptr || bytes < member.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, static_cast<const char*>(words) + member.offset, member.bytes);
  return CUBLAS_STATUS_SUCCESS;
}

Member layout_member(int attribute) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return {offsetof(Layout, type), 4};
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return {offsetof(Layout, order), 4};
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return {offsetof(Layout, rows), 8};
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return {offsetof(Layout, columns), 8};
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return {offsetof(Layout, ld), 8};
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return {offsetof(Layout, batch), 4};
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return {offsetof(Layout, stride), 8};
    case CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET:
      return {offsetof(Layout, plane), 8};
    case 8:
      return {offsetof(Layout, batch_mode), 4};
    default:
      return {};
  }
}

Member product_member(int attribute) {
  const int slot = slot_of(attribute);
  if (slot < 0) return {};
  constexpr int fast_accumulation = 25;
  bool is_long = false;
  for (const int one : {8, 10, 11, 12, 13, 14, 17, 18, 19, 20, 21, 23, 24, 36}) is_long |= attribute == one;
  return {static_cast<std::size_t>(slot) * 8, attribute == fast_accumulation ? std::size_t{1}
                                              : is_long                      ? 8
                                                                             : std::size_t{4}};
}

Member preference_member(int attribute) {
  constexpr int workspace = CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, implementations = CUBLASLT_MATMUL_PREF_IMPL_MASK;
  if (attribute == workspace) return {8, 8};
  if (attribute == implementations) return {16, 8};
  if (attribute < 0 || attribute > implementations) return {};
  return {24 + static_cast<std::size_t>(attribute % 10) * 4, 4};
}

Member transform_member(int attribute) {
  if (attribute < 0 || attribute > 3) return {};
  return {static_cast<std::size_t>(attribute) * 4, 4};
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  (void)gpulab::libraries::runtime();
  *handle = reinterpret_cast<cublasLtHandle_t>(new int(0));
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<int*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasLtGetVersion() { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion() { return CUBLAS_VER_MAJOR * 1000 + CUBLAS_VER_MINOR / 10 * 10; }
cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
  *value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : type == MINOR_VERSION ? CUBLAS_VER_MINOR : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasLtGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
  }
}
const char* cublasLtGetStatusString(cublasStatus_t status) { return cublasLtGetStatusName(status); }
cublasStatus_t cublasLtLoggerSetLevel(int) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtLoggerSetMask(int) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtLoggerForceDisable() { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size, cudaDataType type,
                                                 uint64_t rows, uint64_t columns, int64_t ld) {
  if (layout == nullptr || size < sizeof *layout) return CUBLAS_STATUS_INVALID_VALUE;
  const Layout made{type, CUBLASLT_ORDER_COL, rows, columns, ld, 1, 0, 0, 0};
  std::memcpy(layout->data, &made, sizeof made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld) {
  if (const auto status = create(layout); status != CUBLAS_STATUS_SUCCESS) return status;
  return cublasLtMatrixLayoutInit_internal(*layout, sizeof **layout, type, rows, columns, ld);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return destroy(layout); }
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t which,
                                                const void* value, size_t bytes) {
  return layout == nullptr ? CUBLAS_STATUS_INVALID_VALUE : set(layout->data, layout_member(which), value, bytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t which,
                                                void* value, size_t bytes, size_t* written) {
  return layout == nullptr ? CUBLAS_STATUS_INVALID_VALUE
                           : get(layout->data, layout_member(which), value, bytes, written);
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t description, size_t size,
                                               cublasComputeType_t compute, cudaDataType_t scale) {
  if (description == nullptr || size < sizeof *description) return CUBLAS_STATUS_INVALID_VALUE;
  *description = {};
  const auto put = [&](int which, std::int32_t value) { std::memcpy(&description->data[slot_of(which)], &value, 4); };
  put(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, compute);
  put(CUBLASLT_MATMUL_DESC_SCALE_TYPE, scale);
  put(CUBLASLT_MATMUL_DESC_FILL_MODE, CUBLAS_FILL_MODE_FULL);
  put(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
  put(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, -1);
  put(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, -1);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  if (const auto status = create(description); status != CUBLAS_STATUS_SUCCESS) return status;
  return cublasLtMatmulDescInit_internal(*description, sizeof **description, compute, scale);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) { return destroy(description); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t which,
                                              const void* value, size_t bytes) {
  return description == nullptr ? CUBLAS_STATUS_INVALID_VALUE
                                : set(description->data, product_member(which), value, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t which,
                                              void* value, size_t bytes, size_t* written) {
  return description == nullptr ? CUBLAS_STATUS_INVALID_VALUE
                                : get(description->data, product_member(which), value, bytes, written);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t size) {
  if (preference == nullptr || size < sizeof *preference) return CUBLAS_STATUS_INVALID_VALUE;
  *preference = {};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) { return create(preference); }
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) { return destroy(preference); }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t which, const void* value,
                                                    size_t bytes) {
  return preference == nullptr ? CUBLAS_STATUS_INVALID_VALUE
                               : set(preference->data, preference_member(which), value, bytes);
}
cublasStatus_t cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t which, void* value,
                                                    size_t bytes, size_t* written) {
  return preference == nullptr ? CUBLAS_STATUS_INVALID_VALUE
                               : get(preference->data, preference_member(which), value, bytes, written);
}

cublasStatus_t cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t description, size_t size,
                                                        cudaDataType scale) {
  if (description == nullptr || size < sizeof *description) return CUBLAS_STATUS_INVALID_VALUE;
  *description = {};
  const std::int32_t type = scale;
  std::memcpy(description->data, &type, sizeof type);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t* description, cudaDataType scale) {
  if (const auto status = create(description); status != CUBLAS_STATUS_SUCCESS) return status;
  return cublasLtMatrixTransformDescInit_internal(*description, sizeof **description, scale);
}
cublasStatus_t cublasLtMatrixTransformDescDestroy(cublasLtMatrixTransformDesc_t description) {
  return destroy(description);
}
cublasStatus_t cublasLtMatrixTransformDescSetAttribute(cublasLtMatrixTransformDesc_t description,
                                                       cublasLtMatrixTransformDescAttributes_t which, const void* value,
                                                       size_t bytes) {
  return description == nullptr ? CUBLAS_STATUS_INVALID_VALUE
                                : set(description->data, transform_member(which), value, bytes);
}

}  // extern "C"
