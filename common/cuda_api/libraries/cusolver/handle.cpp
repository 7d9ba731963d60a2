// What is no computation: handles, parameters, the records of Jacobi's methods, modes, the log.

#include <cstdio>

#include "common/cuda_api/libraries/cusolver/call.h"
#include "common/cuda_api/libraries/cusolver/requests.h"

struct cusolverDnParams {
  cusolverAlgMode_t algorithms[16] = {};
};

namespace {

cusolverStatus_t need(bool valid) { return valid ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE; }

template <typename T>
cusolverStatus_t make(T** made) {
  if (made == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *made = new T;
  return CUSOLVER_STATUS_SUCCESS;
}
template <typename T>
cusolverStatus_t drop(T* made) {
  if (made == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  delete made;
  return CUSOLVER_STATUS_SUCCESS;
}
template <typename V>
cusolverStatus_t set(GpulabSolver* handle, V GpulabSolver::*member, V value) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->*member = value;
  return CUSOLVER_STATUS_SUCCESS;
}
template <typename V>
cusolverStatus_t get(const GpulabSolver* handle, V GpulabSolver::*member, V* value) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (value == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *value = handle->*member;
  return CUSOLVER_STATUS_SUCCESS;
}
template <typename Info, typename V>
cusolverStatus_t put(Info* info, V syevjInfo::*member, V value) {
  if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  info->*member = value;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  (void)gpulab::libraries::runtime();
  *handle = new cusolverDnContext;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  return set(handle, &GpulabSolver::stream, stream);
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream) {
  return get(handle, &GpulabSolver::stream, stream);
}
cusolverStatus_t cusolverGetVersion(int* version) {
  if (version == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *version = CUSOLVER_VERSION;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (type != MAJOR_VERSION && type != MINOR_VERSION && type != PATCH_LEVEL) return CUSOLVER_STATUS_INVALID_VALUE;
  *value = type == MAJOR_VERSION ? CUSOLVER_VER_MAJOR : type == MINOR_VERSION ? CUSOLVER_VER_MINOR : CUSOLVER_VER_PATCH;
  return CUSOLVER_STATUS_SUCCESS;
}

// Parameters of the 64-bit functions.
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) { return make(params); }
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) { return drop(params); }
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm) {
  if (params == nullptr || function < 0 || function > 15) return CUSOLVER_STATUS_INVALID_VALUE;
  params->algorithms[function] = algorithm;
  return CUSOLVER_STATUS_SUCCESS;
}

// Results here are the same in each run anyway, and no mode changes them.
#if CUSOLVER_VERSION >= 11500
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t mode) {
  if (mode != CUSOLVER_DETERMINISTIC_RESULTS && mode != CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS)
    return CUSOLVER_STATUS_INVALID_VALUE;
  return set(handle, &GpulabSolver::deterministic, static_cast<int>(mode));
}
cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t* mode) {
  int value = 0;
  const auto status = get(handle, &GpulabSolver::deterministic, mode == nullptr ? nullptr : &value);
  if (status == CUSOLVER_STATUS_SUCCESS) *mode = static_cast<cusolverDeterministicMode_t>(value);
  return status;
}
#endif

#if CUSOLVER_VERSION >= 12004
cusolverStatus_t cusolverDnSetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t mode) {
  return set(handle, &GpulabSolver::math, static_cast<int>(mode));
}
cusolverStatus_t cusolverDnGetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t* mode) {
  int value = 0;
  const auto status = get(handle, &GpulabSolver::math, mode == nullptr ? nullptr : &value);
  if (status == CUSOLVER_STATUS_SUCCESS) *mode = static_cast<cusolverMathMode_t>(value);
  return status;
}
#endif

// Jacobi's methods.
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* info) { return make(info); }
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info) {
  delete info;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance) {
  return put(info, &syevjInfo::tolerance, tolerance);
}
cusolverStatus_t cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int most) {
  return put(info, &syevjInfo::most_sweeps, most);
}
cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int sorted) {
  return put(info, &syevjInfo::sorted, sorted);
}
cusolverStatus_t cusolverDnXsyevjGetResidual(cusolverDnHandle_t handle, syevjInfo_t info, double* residual) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr || residual == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *residual = info->done->residual;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXsyevjGetSweeps(cusolverDnHandle_t handle, syevjInfo_t info, int* sweeps) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr || sweeps == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *sweeps = info->done->sweeps;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info) { return make(info); }
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info) {
  delete info;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance) {
  return put(info, &syevjInfo::tolerance, tolerance);
}
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int most) {
  return put(info, &syevjInfo::most_sweeps, most);
}
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sorted) {
  return put(info, &syevjInfo::sorted, sorted);
}
cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t handle, gesvdjInfo_t info, double* residual) {
  return cusolverDnXsyevjGetResidual(handle, reinterpret_cast<syevjInfo_t>(info), residual);
}
cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t handle, gesvdjInfo_t info, int* sweeps) {
  return cusolverDnXsyevjGetSweeps(handle, reinterpret_cast<syevjInfo_t>(info), sweeps);
}

// Nothing is logged.
#if CUSOLVER_VERSION >= 11200
cusolverStatus_t cusolverDnLoggerSetCallback(cusolverDnLoggerCallback_t) { return CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t cusolverDnLoggerSetFile(FILE*) { return CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t cusolverDnLoggerOpenFile(const char* name) { return need(name != nullptr); }
cusolverStatus_t cusolverDnLoggerSetLevel(int level) { return need(level >= 0 && level <= 5); }
cusolverStatus_t cusolverDnLoggerSetMask(int) { return CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t cusolverDnLoggerForceDisable() { return CUSOLVER_STATUS_SUCCESS; }
#endif

}  // extern "C"
