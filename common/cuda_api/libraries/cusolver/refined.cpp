// gesv and gels with refinement of a solution in a lower precision: here it is found in the higher one at once, so no
// step is left to be taken, and `niters` is 0.

#include "common/cuda_api/libraries/cusolver/call.h"
#include "common/cuda_api/libraries/dense/lu.h"
#include "common/cuda_api/libraries/dense/qr.h"

struct cusolverDnIRSParams {
  cusolverPrecType_t main = CUSOLVER_R_64F, lowest = CUSOLVER_R_64F;
  cusolverIRSRefinement_t refinement = CUSOLVER_IRS_REFINE_NOT_SET;
  double tolerance = 0, inner_tolerance = 0;
  int most = 50, inner_most = 50;
  bool precise = false, refines = false;  // what has been set
};
struct cusolverDnIRSInfos {
  int most = 50;
  bool wants_residuals = false;
};

namespace gpulab::cusolver {
namespace {

Status set_bytes(const Call& call, bool valid, std::size_t* bytes) {
  GPULAB_CHECK(valid && bytes != nullptr);
  constexpr std::size_t some = 1024;  // nothing is kept there
  *bytes = some;
  return CUSOLVER_STATUS_SUCCESS;
}

/// Of gesv and gels: an H100 has a status of refinement's parameters for wrong sizes.
Status size_of_solve(const Call& call, bool valid, std::size_t* bytes) {
  GPULAB_CHECK_HANDLE();
  return valid ? set_bytes(call, true, bytes) : CUSOLVER_STATUS_IRS_PARAMS_INVALID;
}

Type of_precision(cusolverPrecType_t precision) {
  switch (precision) {
    case CUSOLVER_R_32F:
      return CUDA_R_32F;
    case CUSOLVER_C_64F:
      return CUDA_C_64F;
    case CUSOLVER_C_32F:
      return CUDA_C_32F;
    default:
      return CUDA_R_64F;
  }
}

/// Which precisions an H100 factorises a matrix of `main` in.
bool goes_with(cusolverPrecType_t main, cusolverPrecType_t lowest) {
  const bool is_complex = main == CUSOLVER_C_64F || main == CUSOLVER_C_32F;
  if (lowest == CUSOLVER_R_64F || lowest == CUSOLVER_C_64F) return lowest == main;
  if (is_complex)
    return lowest == CUSOLVER_C_32F || lowest == CUSOLVER_C_16F || lowest == CUSOLVER_C_16BF ||
           lowest == CUSOLVER_C_TF32;
  return (main == CUSOLVER_R_64F || main == CUSOLVER_R_32F) && (lowest == CUSOLVER_R_32F || lowest == CUSOLVER_R_16F ||
                                                                lowest == CUSOLVER_R_16BF || lowest == CUSOLVER_R_TF32);
}

struct Sides {
  Operand a, b, x, info;
};

template <typename W>
void solve_square(LibraryAccess& memory, const Sides& on, const Operand& rows) {
  const i64 n = on.a.rows;
  auto factor = load<W>(memory, on.a);
  auto side = load<W>(memory, on.b);
  std::vector<i64> pivots;
  const i64 wrong = factorise_lu(factor.all.data(), n, n, pivots);
  if (rows.rows > 0) {
    Values<double> numbers(rows);
    for (std::size_t i = 0; i < numbers.all.size(); ++i) numbers.all[i] = static_cast<double>(pivots[i] + 1);
    store(memory, numbers);
  }
  store_info(memory, on.info, wrong);
  if (wrong != 0) return;
  solve_lu(factor.all.data(), n, pivots, Solve::plain, side.all.data(), on.b.columns);
  Values<W> made(on.x);
  made.all = side.all;
  store(memory, made);
}

template <typename W>
void solve_tall(LibraryAccess& memory, const Sides& on) {
  const i64 m = on.a.rows, n = on.a.columns, columns = on.b.columns;
  auto factor = load<W>(memory, on.a);
  auto side = load<W>(memory, on.b);
  std::vector<W> tau(static_cast<std::size_t>(n));
  factorise_qr(factor.all.data(), m, n, m, tau.data());
  apply_q(factor.all.data(), m, tau.data(), n, false, true, side.all.data(), m, columns);
  for (i64 k = 0; k < n; ++k)
    if (factor.at(k, k) == W(0)) return store_info(memory, on.info, k + 1);
  Values<W> made(on.x);
  for (i64 j = 0; j < columns; ++j)
    for (i64 k = n; k-- > 0;) {
      W sum = side.at(k, j);
      for (i64 i = k + 1; i < n; ++i) sum -= factor.at(k, i) * made.at(i, j);
      made.at(k, j) = sum / factor.at(k, k);
    }
  store(memory, made);
  store_info(memory, on.info, 0);
}

}  // namespace

Status gesv_size(const Call& call, i64 n, i64 nrhs, In, i64 lda, In, In, i64 ldb, In, i64 ldx, In, std::size_t* bytes) {
  return size_of_solve(
      call, n >= 0 && nrhs >= 0 && lda >= at_least_one(n) && ldb >= at_least_one(n) && ldx >= at_least_one(n), bytes);
}
Status gesv(const Call& call, i64 n, i64 nrhs, In a, i64 lda, Out pivots, In b, i64 ldb, Out x, i64 ldx, In,
            std::size_t, int* steps, Out info) {
  GPULAB_CHECK(n >= 0 && nrhs >= 0 && lda >= at_least_one(n) && ldb >= at_least_one(n) && ldx >= at_least_one(n) &&
               steps != nullptr && info != nullptr);
  const Type t = type_of(call);
  const Sides on{matrix("A", a, t, n, n, lda), matrix("B", b, t, n, nrhs, ldb),
                 matrix("X", x, t, n, nrhs, ldx).written(), info_of(info)};
  const Operand rows = vector("dipiv", pivots, CUDA_R_32I, pivots == nullptr ? 0 : n, 1).written();
  *steps = 0;
  return queue(call, n, nrhs, 2 * cube(n, n, n) / 3 + 2 * cube(n, n, nrhs),
               {on.a.buffer(), on.b.buffer(), on.x.buffer(), rows.buffer(), on.info.buffer()},
               [=](LibraryAccess& memory) {
                 for_type(memory, t, [&](auto kind) { solve_square<decltype(kind)>(memory, on, rows); });
               });
}
Status gels_size(const Call& call, i64 m, i64 n, i64 nrhs, In, i64 lda, In, i64 ldb, In, i64 ldx, In,
                 std::size_t* bytes) {
  return size_of_solve(
      call, m >= n && n >= 0 && nrhs >= 0 && lda >= at_least_one(m) && ldb >= at_least_one(m) && ldx >= at_least_one(n),
      bytes);
}
Status gels(const Call& call, i64 m, i64 n, i64 nrhs, In a, i64 lda, In b, i64 ldb, Out x, i64 ldx, In, std::size_t,
            int* steps, Out info) {
  GPULAB_CHECK(m >= n && n >= 0 && nrhs >= 0 && lda >= at_least_one(m) && ldb >= at_least_one(m) &&
               ldx >= at_least_one(n) && steps != nullptr && info != nullptr);
  const Type t = type_of(call);
  const Sides on{matrix("A", a, t, m, n, lda), matrix("B", b, t, m, nrhs, ldb),
                 matrix("X", x, t, n, nrhs, ldx).written(), info_of(info)};
  *steps = 0;
  return queue(call, m, n, 2 * cube(m, n, n) + 4 * cube(m, n, nrhs),
               {on.a.buffer(), on.b.buffer(), on.x.buffer(), on.info.buffer()}, [=](LibraryAccess& memory) {
                 for_type(memory, t, [&](auto kind) { solve_tall<decltype(kind)>(memory, on); });
               });
}

namespace {

/// The call in the precision that parameters name.
Status typed(const Call& call, cusolverDnIRSParams_t params, Call& made) {
  if (call.handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (params == nullptr) return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
  if (!params->precise || !goes_with(params->main, params->lowest)) return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
  if (!params->refines) return CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE;
  made = with_type(call, of_precision(params->main));
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

Status irs_gesv_size(const Call& call, cusolverDnIRSParams_t params, i64 n, i64 nrhs, std::size_t* bytes) {
  Call made = call;
  if (const Status wrong = typed(call, params, made); wrong != CUSOLVER_STATUS_SUCCESS) return wrong;
  return set_bytes(call, n >= 0 && nrhs >= 0, bytes);
}
Status irs_gesv(const Call& call, cusolverDnIRSParams_t params, cusolverDnIRSInfos_t infos, i64 n, i64 nrhs, In a,
                i64 lda, In b, i64 ldb, Out x, i64 ldx, In work, std::size_t bytes, int* steps, Out info) {
  Call made = call;
  if (const Status wrong = typed(call, params, made); wrong != CUSOLVER_STATUS_SUCCESS) return wrong;
  if (infos == nullptr) return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
  return gesv(made, n, nrhs, a, lda, nullptr, b, ldb, x, ldx, work, bytes, steps, info);
}
Status irs_gels_size(const Call& call, cusolverDnIRSParams_t params, i64 m, i64 n, i64 nrhs, std::size_t* bytes) {
  Call made = call;
  if (const Status wrong = typed(call, params, made); wrong != CUSOLVER_STATUS_SUCCESS) return wrong;
  return set_bytes(call, m >= n && n >= 0 && nrhs >= 0, bytes);
}
Status irs_gels(const Call& call, cusolverDnIRSParams_t params, cusolverDnIRSInfos_t infos, i64 m, i64 n, i64 nrhs,
                In a, i64 lda, In b, i64 ldb, Out x, i64 ldx, In work, std::size_t bytes, int* steps, Out info) {
  Call made = call;
  if (const Status wrong = typed(call, params, made); wrong != CUSOLVER_STATUS_SUCCESS) return wrong;
  if (infos == nullptr) return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
  return gels(made, m, n, nrhs, a, lda, b, ldb, x, ldx, work, bytes, steps, info);
}

}  // namespace gpulab::cusolver

#define GPULAB_NEED(what, status) \
  if ((what) == nullptr) return status

extern "C" {

cusolverStatus_t cusolverDnIRSParamsCreate(cusolverDnIRSParams_t* params) {
  GPULAB_NEED(params, CUSOLVER_STATUS_INVALID_VALUE);
  *params = new cusolverDnIRSParams;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  delete params;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetRefinementSolver(cusolverDnIRSParams_t params, cusolverIRSRefinement_t solver) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  params->refinement = solver;
  params->refines = solver != CUSOLVER_IRS_REFINE_NOT_SET;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params, cusolverPrecType_t main,
                                                        cusolverPrecType_t lowest) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  params->main = main;
  params->lowest = lowest;
  params->precise = true;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetSolverMainPrecision(cusolverDnIRSParams_t params, cusolverPrecType_t main) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  return cusolverDnIRSParamsSetSolverPrecisions(params, main, params->lowest);
}
cusolverStatus_t cusolverDnIRSParamsSetSolverLowestPrecision(cusolverDnIRSParams_t params, cusolverPrecType_t lowest) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  params->lowest = lowest;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetTol(cusolverDnIRSParams_t params, double tolerance) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  params->tolerance = tolerance;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetTolInner(cusolverDnIRSParams_t params, double tolerance) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  params->inner_tolerance = tolerance;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetMaxIters(cusolverDnIRSParams_t params, cusolver_int_t most) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  params->most = most;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetMaxItersInner(cusolverDnIRSParams_t params, cusolver_int_t most) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  params->inner_most = most;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params, cusolver_int_t* most) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  GPULAB_NEED(most, CUSOLVER_STATUS_INVALID_VALUE);
  *most = params->most;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params) {
  GPULAB_NEED(params, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t* infos) {
  GPULAB_NEED(infos, CUSOLVER_STATUS_INVALID_VALUE);
  *infos = new cusolverDnIRSInfos;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos) {
  GPULAB_NEED(infos, CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED);
  delete infos;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSInfosGetNiters(cusolverDnIRSInfos_t infos, cusolver_int_t* steps) {
  GPULAB_NEED(infos, CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED);
  GPULAB_NEED(steps, CUSOLVER_STATUS_INVALID_VALUE);
  *steps = 0;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSInfosGetOuterNiters(cusolverDnIRSInfos_t infos, cusolver_int_t* steps) {
  return cusolverDnIRSInfosGetNiters(infos, steps);
}
cusolverStatus_t cusolverDnIRSInfosRequestResidual(cusolverDnIRSInfos_t infos) {
  GPULAB_NEED(infos, CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED);
  infos->wants_residuals = true;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSInfosGetMaxIters(cusolverDnIRSInfos_t infos, cusolver_int_t* most) {
  GPULAB_NEED(infos, CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED);
  GPULAB_NEED(most, CUSOLVER_STATUS_INVALID_VALUE);
  *most = infos->most;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // extern "C"
