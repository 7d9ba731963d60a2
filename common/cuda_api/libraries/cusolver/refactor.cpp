// cusolverRf: factors of matrices that have one pattern, with the pivots of the first. L and U that the program brings
// say nothing that P, Q and A do not: the factors are made anew, without pivoting.

#include <cmath>

#include "common/cuda_api/libraries/cusolver/sparse.h"

#if __has_include(<cusolverRf.h>)

struct cusolverRfCommon : GpulabSolver {
  using i64 = gpulab::libraries::i64;
  cusolverRfMatrixFormat_t format = CUSOLVERRF_MATRIX_FORMAT_CSR;
  cusolverRfUnitDiagonal_t diagonal = CUSOLVERRF_UNIT_DIAGONAL_STORED_L;
  cusolverRfFactorization_t factors = CUSOLVERRF_FACTORIZATION_ALG0;
  cusolverRfTriangularSolve_t solves = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
  cusolverRfResetValuesFastMode_t fast = CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF;
  double zero = 0, boost = 0;
  bool analysed = false;
  struct Matrix {
    i64 n = 0;
    gpulab::libraries::Pattern pattern;  ///< of A, by its rows
    std::vector<i64> p, q;               ///< row k of L U is row p[k] of A, and column k column q[k]
    std::vector<double> values;
    gpulab::libraries::SparseLu<double> lu;
    bool factorised = false;
  };
  std::shared_ptr<Matrix> matrix = std::make_shared<Matrix>();
};

namespace gpulab::cusolver {
namespace {

using Handle = cusolverRfHandle_t;

Call call_of(Handle handle, const char* name, void* caller) { return {handle, name, "D", false, caller}; }

struct Given {
  i64 n, elements;
  const int *starts, *indices;
  const double* values;
  const int *p, *q;
};

/// Of host memory. CSC is the transposed matrix: rows and columns change places.
bool take(Handle handle, const Given& given) {
  auto& to = *handle->matrix;
  const auto pattern = pattern_of(given.n, given.n, given.elements, given.starts, given.indices, 0);
  if (!pattern) return false;
  const auto order_from = [&](const int* from, std::vector<i64>& order) {
    std::vector<char> named(static_cast<std::size_t>(given.n));
    order.clear();
    for (i64 k = 0; k < given.n; ++k) {
      if (from[k] < 0 || from[k] >= given.n || named[static_cast<std::size_t>(from[k])]++ != 0) return false;
      order.push_back(from[k]);
    }
    return true;
  };
  if (!order_from(given.p, to.p) || !order_from(given.q, to.q)) return false;
  to.n = given.n;
  to.values.assign(given.values, given.values + pattern->indices.size());
  to.pattern = *pattern;
  if (handle->format == CUSOLVERRF_MATRIX_FORMAT_CSC) {
    std::vector<i64> places;
    to.pattern = transposed(*pattern, &places);
    for (std::size_t i = 0; i < places.size(); ++i) to.values[i] = given.values[places[i]];
  }
  to.factorised = false;
  return true;
}

Status from_device(Handle handle, const char* name, void* caller, const Given& given) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (given.n < 0 || given.elements < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  const Call call = call_of(handle, name, caller);
  const std::vector<Operand> all = {vector("csrRowPtrA", given.starts, CUDA_R_32I, given.n + 1, 1),
                                    vector("csrColIndA", given.indices, CUDA_R_32I, given.elements, 1),
                                    vector("csrValA", given.values, CUDA_R_64F, given.elements, 1),
                                    vector("P", given.p, CUDA_R_32I, given.n, 1),
                                    vector("Q", given.q, CUDA_R_32I, given.n, 1)};
  std::vector<LibraryBuffer> buffers;
  for (const auto& one : all) buffers.push_back(one.buffer());
  bool taken = false;
  const Status status = queue(
      call, given.n, given.n, 0, buffers,
      [&](LibraryAccess& memory) {
        std::vector<std::vector<char>> bytes;
        for (const auto& one : all) bytes.push_back(load_bytes(memory, one));
        taken = take(handle,
                     {given.n, given.elements, reinterpret_cast<const int*>(bytes[0].data()),
                      reinterpret_cast<const int*>(bytes[1].data()), reinterpret_cast<const double*>(bytes[2].data()),
                      reinterpret_cast<const int*>(bytes[3].data()), reinterpret_cast<const int*>(bytes[4].data())});
      },
      true);
  return status != CUSOLVER_STATUS_SUCCESS ? status : taken ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

/// L U = A(p, q), each pivot where the program wants it; small ones are boosted.
void refactor(cusolverRfCommon::Matrix& to, double zero, double boost) {
  std::vector<i64> place(static_cast<std::size_t>(to.n));
  for (i64 k = 0; k < to.n; ++k) place[static_cast<std::size_t>(to.q[static_cast<std::size_t>(k)])] = k;
  Pattern moved{to.n, to.n, {0}, {}};
  std::vector<double> values;
  for (const i64 row : to.p) {
    for (i64 at = to.pattern.starts[static_cast<std::size_t>(row)];
         at < to.pattern.starts[static_cast<std::size_t>(row + 1)]; ++at) {
      moved.indices.push_back(place[static_cast<std::size_t>(to.pattern.indices[static_cast<std::size_t>(at)])]);
      values.push_back(to.values[static_cast<std::size_t>(at)]);
    }
    moved.starts.push_back(static_cast<i64>(moved.indices.size()));
  }
  to.lu = factorise_sparse(moved, values, order_of(moved, 0), 0);
  if (to.lu.too_large) return;
  for (i64 k = 0; k < to.n && boost > 0; ++k) {
    double& pivot = to.lu.u.values[static_cast<std::size_t>(to.lu.u.starts[static_cast<std::size_t>(k + 1)] - 1)];
    if (std::fabs(pivot) < zero) pivot = boost;
  }
  to.factorised = true;
}

}  // namespace
}  // namespace gpulab::cusolver

using namespace gpulab::cusolver;  // NOLINT: what follows are NVIDIA's names

#define GPULAB_NEED(handle) \
  if ((handle) == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED
#define GPULAB_CALLER __builtin_return_address(0)

extern "C" {

cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t* handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  (void)runtime();
  *handle = new cusolverRfCommon;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle) {
  GPULAB_NEED(handle);
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfSetMatrixFormat(cusolverRfHandle_t handle, cusolverRfMatrixFormat_t format,
                                           cusolverRfUnitDiagonal_t diagonal) {
  GPULAB_NEED(handle);
  handle->format = format;
  handle->diagonal = diagonal;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfGetMatrixFormat(cusolverRfHandle_t handle, cusolverRfMatrixFormat_t* format,
                                           cusolverRfUnitDiagonal_t* diagonal) {
  GPULAB_NEED(handle);
  *format = handle->format;
  *diagonal = handle->diagonal;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfSetNumericProperties(cusolverRfHandle_t handle, double zero, double boost) {
  GPULAB_NEED(handle);
  handle->zero = zero;
  handle->boost = boost;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfGetNumericProperties(cusolverRfHandle_t handle, double* zero, double* boost) {
  GPULAB_NEED(handle);
  *zero = handle->zero;
  *boost = handle->boost;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfSetAlgs(cusolverRfHandle_t handle, cusolverRfFactorization_t factors,
                                   cusolverRfTriangularSolve_t solves) {
  GPULAB_NEED(handle);
  handle->factors = factors;
  handle->solves = solves;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfGetAlgs(cusolverRfHandle_t handle, cusolverRfFactorization_t* factors,
                                   cusolverRfTriangularSolve_t* solves) {
  GPULAB_NEED(handle);
  *factors = handle->factors;
  *solves = handle->solves;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle, cusolverRfResetValuesFastMode_t fast) {
  GPULAB_NEED(handle);
  handle->fast = fast;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfGetResetValuesFastMode(cusolverRfHandle_t handle, cusolverRfResetValuesFastMode_t* fast) {
  GPULAB_NEED(handle);
  *fast = handle->fast;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetupHost(int n, int elements, int* starts, int* indices, double* values, int, int*, int*,
                                     double*, int, int*, int*, double*, int* p, int* q, cusolverRfHandle_t handle) {
  GPULAB_NEED(handle);
  if (n < 0 || elements < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  return take(handle, {n, elements, starts, indices, values, p, q}) ? CUSOLVER_STATUS_SUCCESS
                                                                    : CUSOLVER_STATUS_INVALID_VALUE;
}
cusolverStatus_t cusolverRfSetupDevice(int n, int elements, int* starts, int* indices, double* values, int, int*, int*,
                                       double*, int, int*, int*, double*, int* p, int* q, cusolverRfHandle_t handle) {
  return from_device(handle, "cusolverRfSetupDevice", GPULAB_CALLER, {n, elements, starts, indices, values, p, q});
}
cusolverStatus_t cusolverRfResetValues(int n, int elements, int* starts, int* indices, double* values, int* p, int* q,
                                       cusolverRfHandle_t handle) {
  return from_device(handle, "cusolverRfResetValues", GPULAB_CALLER, {n, elements, starts, indices, values, p, q});
}
cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle) {
  GPULAB_NEED(handle);
  handle->analysed = true;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle) {
  GPULAB_NEED(handle);
  if (!handle->analysed) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const auto matrix = handle->matrix;
  const Status status = queue(
      call_of(handle, "cusolverRfRefactor", GPULAB_CALLER), matrix->n, matrix->n,
      static_cast<double>(matrix->values.size()) * 200, {},
      [matrix, zero = handle->zero, boost = handle->boost](LibraryAccess&) { refactor(*matrix, zero, boost); }, true);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  if (matrix->lu.too_large) return CUSOLVER_STATUS_ALLOC_FAILED;
  return matrix->lu.broken >= 0 && handle->boost <= 0 ? CUSOLVER_STATUS_ZERO_PIVOT : CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle, cusolverRfNumericBoostReport_t* report) {
  GPULAB_NEED(handle);
  *report = handle->boost > 0 ? CUSOLVERRF_NUMERIC_BOOST_USED : CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int* p, int* q, int nrhs, double* temporary, int,
                                 double* xf, int ldxf) {
  GPULAB_NEED(handle);
  const auto matrix = handle->matrix;
  const i64 n = matrix->n;
  if (nrhs < 0 || ldxf < n || p == nullptr || q == nullptr || temporary == nullptr)
    return CUSOLVER_STATUS_INVALID_VALUE;
  if (!matrix->factorised) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const Operand to = gpulab::libraries::matrix("XF", xf, CUDA_R_64F, n, nrhs, ldxf).changed();
  return queue(call_of(handle, "cusolverRfSolve", GPULAB_CALLER), n, nrhs, cube(n, n, nrhs), {to.buffer()},
               [=](LibraryAccess& memory) {
                 auto values = load<double>(memory, to);
                 for (i64 column = 0; column < nrhs; ++column) {
                   double* const x = values.column(column);
                   std::vector<double> y(static_cast<std::size_t>(n));
                   for (i64 k = 0; k < n; ++k)
                     y[static_cast<std::size_t>(k)] = x[matrix->p[static_cast<std::size_t>(k)]];
                   matrix->lu.solve(y);
                   for (i64 k = 0; k < n; ++k)
                     x[matrix->q[static_cast<std::size_t>(k)]] = y[static_cast<std::size_t>(k)];
                 }
                 store(memory, values);
               });
}

}  // extern "C"

#endif
