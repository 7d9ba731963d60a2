// Eigenvalues of Hermitian matrices, and of pairs of them: all, some, or of many matrices at once. Jacobi's rotations
// find them in each of the real library's ways, which differ in time.

#include <limits>

#include "common/cuda_api/libraries/cusolver/call.h"
#include "common/cuda_api/libraries/cusolver/requests.h"
#include "common/cuda_api/libraries/dense/cholesky.h"
#include "common/cuda_api/libraries/dense/generalised.h"
#include "common/cuda_api/libraries/dense/jacobi.h"

namespace gpulab::cusolver {
namespace {

/// Which of ascending values a request asks for: [first, end).
template <typename R>
std::pair<i64, i64> asked_of(const EigenRequest& request, const std::vector<R>& values) {
  const auto n = static_cast<i64>(values.size());
  if (n == 0) return {0, 0};
  if (request.range == CUSOLVER_EIG_RANGE_I) return {request.il - 1, request.iu};
  if (request.range != CUSOLVER_EIG_RANGE_V) return {0, n};
  const auto above = [&](double bound) {
    return std::ranges::upper_bound(values, static_cast<R>(bound)) - values.begin();
  };
  return {above(request.vl), above(request.vu)};  // (vl, vu]
}

/// From one matrix to the next; more than a pointer reaches where the product is: memcheck then says so.
i64 stride_of(const EigenRequest& r) {
  i64 elements = 0;
  return __builtin_mul_overflow(r.n, r.lda, &elements) ? std::numeric_limits<i64>::max() : elements;
}

/// Operands of one request.
struct Places {
  Operand from, to, factor, values, info;
  explicit Places(const EigenRequest& r, Type t)
      : from(batched(triangle(r.a, t, r.n, r.lda, r.upper), r.batch, stride_of(r))),
        to(batched(matrix("A", r.a, t, r.n, r.n, r.lda).written(), r.batch, stride_of(r))),
        factor(triangle(r.b, t, r.kind != 0 ? r.n : 0, r.ldb, r.upper).changed()),
        values(batched(vector("W", r.w, real_of(t), r.n, 1).written(), r.batch, r.n)),
        info(info_of(r.info, r.batch)) {
    factor.name = "B";
  }
  [[nodiscard]] std::vector<LibraryBuffer> buffers() const {
    return {from.buffer(), to.buffer(), factor.buffer(), values.buffer(), info.buffer()};
  }
};

template <typename W>
void find_one(LibraryAccess& memory, const EigenRequest& r, const Places& places, i64 index) {
  auto whole = lower_of(load<W>(memory, places.from, index), r.upper);
  mirror(whole, r.n);
  std::vector<W> factor;
  if (r.kind != 0) {
    auto values = load<W>(memory, places.factor);
    factor = lower_of(values, r.upper);
    const i64 wrong = factorise_cholesky(factor.data(), r.n);
    put_lower(factor, values, r.upper);
    store(memory, values);
    if (wrong != 0) return store_info(memory, places.info, r.n + wrong, index);
    to_standard(whole, factor, r.n, r.kind);
  }
  int sweeps = 0;
  const auto found = eigen(whole, r.n, &sweeps, r.sorted);
  if (r.jacobi != nullptr) r.jacobi->tell(sweeps, 0);
  if (r.kind != 0) from_standard(whole, factor, r.n, r.kind);
  const auto [first, end] = asked_of(r, found);
  if (r.count) r.count(end - first);
  const auto part = [count = end - first](Operand o, bool columns) {
    (columns ? o.columns : o.rows) = count;
    return o;
  };
  Values<RealOf<W>> values(part(places.values, false));
  values.all.assign(found.begin() + first, found.begin() + end);
  store(memory, values, index);
  if (r.vectors) {
    Values<W> made(part(places.to, true));
    made.all.assign(whole.begin() + first * r.n, whole.begin() + end * r.n);
    store(memory, made, index);
  }
  store_info(memory, places.info, 0, index);
}

}  // namespace

Status eigenvalues(const Call& call, const EigenRequest& request) {
  const int at = request.first;  // of A: what stands before it is n
  if (request.range != CUSOLVER_EIG_RANGE_ALL && request.range != CUSOLVER_EIG_RANGE_I &&
      request.range != CUSOLVER_EIG_RANGE_V)
    return tell_parameter(call, at - 3, request.info);
  if (request.n < 0) return tell_parameter(call, at - 1, request.info);
  if (request.lda < at_least_one(request.n)) return tell_parameter(call, at + 1, request.info);
  if (request.kind != 0 && request.ldb < at_least_one(request.n)) return tell_parameter(call, at + 3, request.info);
  const int beside = request.kind != 0 ? at + 3 : at + 1;
  if (request.range == CUSOLVER_EIG_RANGE_V && request.n > 0 && !(request.vl < request.vu))
    return tell_parameter(call, beside + 2, request.info);
  if (request.range == CUSOLVER_EIG_RANGE_I && request.n > 0) {
    if (request.il < 1 || request.il > request.n) return tell_parameter(call, beside + 3, request.info);
    if (request.iu < request.il || request.iu > request.n) return tell_parameter(call, beside + 4, request.info);
  }
  GPULAB_CHECK(request.batch >= 0);
  const Type t = type_of(call);
  const Places places(request, t);
  const double times = static_cast<double>(request.batch);
  return queue(
      call, request.n, request.n, 9 * cube(request.n, request.n, request.n) * times, places.buffers(),
      [=](LibraryAccess& memory) {
        for_type(memory, t, [&](auto kind) {
          for (i64 i = 0; i < request.batch; ++i) find_one<decltype(kind)>(memory, request, places, i);
        });
      },
      static_cast<bool>(request.count));
}

Status syevd_size(const Call& call, cusolverEigMode_t, cublasFillMode_t, i64 n, In, i64 lda, In, int* size) {
  return give_size(call, n >= 0 && lda >= at_least_one(n), size);
}
Status syevd(const Call& call, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out w, Out, i64,
             Out info) {
  if (n < 0) return tell_parameter(call, 3, info);
  if (lda < at_least_one(n)) return tell_parameter(call, 5, info);
  GPULAB_CHECK(is_fill(fill));
  return eigenvalues(call, {.vectors = mode == CUSOLVER_EIG_MODE_VECTOR,
                            .upper = fill == CUBLAS_FILL_MODE_UPPER,
                            .n = n,
                            .a = a,
                            .lda = lda,
                            .w = w,
                            .info = info,
                            .first = 4});
}

Status syevdx_size(const Call& call, cusolverEigMode_t, cusolverEigRange_t, cublasFillMode_t, i64 n, In, i64 lda,
                   double, double, i64, i64, int*, In, int* size) {
  return give_size(call, n >= 0 && lda >= at_least_one(n), size);
}
Status syevdx(const Call& call, cusolverEigMode_t mode, cusolverEigRange_t range, cublasFillMode_t fill, i64 n, Out a,
              i64 lda, double vl, double vu, i64 il, i64 iu, int* found, Out w, Out, i64, Out info) {
  if (!is_fill(fill)) return tell_parameter(call, 3, info);
  GPULAB_CHECK(found != nullptr);
  return eigenvalues(call, {.vectors = mode == CUSOLVER_EIG_MODE_VECTOR,
                            .upper = fill == CUBLAS_FILL_MODE_UPPER,
                            .n = n,
                            .a = a,
                            .lda = lda,
                            .range = range,
                            .vl = vl,
                            .vu = vu,
                            .il = il,
                            .iu = iu,
                            .w = w,
                            .info = info,
                            .count = [found](i64 count) { *found = static_cast<int>(count); },
                            .first = 5});
}

Status sygvd_size(const Call& call, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, i64 n, In, i64 lda, In,
                  i64 ldb, In, int* size) {
  return give_size(call, n >= 0 && lda >= at_least_one(n) && ldb >= at_least_one(n), size);
}
Status sygvd(const Call& call, cusolverEigType_t kind, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a,
             i64 lda, Out b, i64 ldb, Out w, Out, i64, Out info) {
  if (kind < CUSOLVER_EIG_TYPE_1 || kind > CUSOLVER_EIG_TYPE_3) return tell_parameter(call, 1, info);
  if (!is_fill(fill)) return tell_parameter(call, 3, info);
  return eigenvalues(call, {.vectors = mode == CUSOLVER_EIG_MODE_VECTOR,
                            .upper = fill == CUBLAS_FILL_MODE_UPPER,
                            .kind = kind,
                            .n = n,
                            .a = a,
                            .lda = lda,
                            .b = b,
                            .ldb = ldb,
                            .w = w,
                            .info = info,
                            .first = 5});
}
Status sygvdx_size(const Call& call, cusolverEigType_t, cusolverEigMode_t, cusolverEigRange_t, cublasFillMode_t, i64 n,
                   In, i64 lda, In, i64 ldb, double, double, i64, i64, int*, In, int* size) {
  return give_size(call, n >= 0 && lda >= at_least_one(n) && ldb >= at_least_one(n), size);
}
Status sygvdx(const Call& call, cusolverEigType_t kind, cusolverEigMode_t mode, cusolverEigRange_t range,
              cublasFillMode_t fill, i64 n, Out a, i64 lda, Out b, i64 ldb, double vl, double vu, i64 il, i64 iu,
              int* found, Out w, Out, i64, Out info) {
  if (kind < CUSOLVER_EIG_TYPE_1 || kind > CUSOLVER_EIG_TYPE_3) return tell_parameter(call, 1, info);
  if (!is_fill(fill)) return tell_parameter(call, 4, info);
  GPULAB_CHECK(found != nullptr);
  return eigenvalues(call, {.vectors = mode == CUSOLVER_EIG_MODE_VECTOR,
                            .upper = fill == CUBLAS_FILL_MODE_UPPER,
                            .kind = kind,
                            .n = n,
                            .a = a,
                            .lda = lda,
                            .b = b,
                            .ldb = ldb,
                            .range = range,
                            .vl = vl,
                            .vu = vu,
                            .il = il,
                            .iu = iu,
                            .w = w,
                            .info = info,
                            .count = [found](i64 count) { *found = static_cast<int>(count); },
                            .first = 6});
}

Status syevj_size(const Call& call, cusolverEigMode_t, cublasFillMode_t, i64 n, In, i64 lda, In, int* size,
                  syevjInfo_t info) {
  return give_size(call, n >= 0 && lda >= at_least_one(n) && info != nullptr, size);
}
Status syevj(const Call& call, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out w, Out, i64,
             Out info, syevjInfo_t jacobi) {
  if (!is_fill(fill)) return tell_parameter(call, 2, info);
  GPULAB_CHECK(jacobi != nullptr);
  return eigenvalues(call, {.vectors = mode == CUSOLVER_EIG_MODE_VECTOR,
                            .upper = fill == CUBLAS_FILL_MODE_UPPER,
                            .n = n,
                            .a = a,
                            .lda = lda,
                            .w = w,
                            .info = info,
                            .first = 4,
                            .sorted = jacobi->sorted != 0,
                            .jacobi = jacobi->done});
}
Status sygvj_size(const Call& call, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, i64 n, In, i64 lda, In,
                  i64 ldb, In, int* size, syevjInfo_t info) {
  return give_size(call, n >= 0 && lda >= at_least_one(n) && ldb >= at_least_one(n) && info != nullptr, size);
}
Status sygvj(const Call& call, cusolverEigType_t kind, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a,
             i64 lda, Out b, i64 ldb, Out w, Out, i64, Out info, syevjInfo_t jacobi) {
  if (kind < CUSOLVER_EIG_TYPE_1 || kind > CUSOLVER_EIG_TYPE_3) return tell_parameter(call, 1, info);
  if (!is_fill(fill)) return tell_parameter(call, 3, info);
  GPULAB_CHECK(jacobi != nullptr);
  return eigenvalues(call, {.vectors = mode == CUSOLVER_EIG_MODE_VECTOR,
                            .upper = fill == CUBLAS_FILL_MODE_UPPER,
                            .kind = kind,
                            .n = n,
                            .a = a,
                            .lda = lda,
                            .b = b,
                            .ldb = ldb,
                            .w = w,
                            .info = info,
                            .first = 5,
                            .sorted = jacobi->sorted != 0,
                            .jacobi = jacobi->done});
}
Status syevj_batched_size(const Call& call, cusolverEigMode_t, cublasFillMode_t, i64 n, In, i64 lda, In, int* size,
                          syevjInfo_t info, i64 batch) {
  return give_size(call, n >= 0 && lda >= at_least_one(n) && info != nullptr && batch >= 0, size);
}
Status syevj_batched(const Call& call, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out w, Out,
                     i64, Out info, syevjInfo_t jacobi, i64 batch) {
  if (!is_fill(fill)) return tell_parameter(call, 2, info);
  GPULAB_CHECK(jacobi != nullptr && batch >= 0);
  return eigenvalues(call, {.vectors = mode == CUSOLVER_EIG_MODE_VECTOR,
                            .upper = fill == CUBLAS_FILL_MODE_UPPER,
                            .n = n,
                            .a = a,
                            .lda = lda,
                            .w = w,
                            .info = info,
                            .batch = batch,
                            .first = 4,
                            .sorted = jacobi->sorted != 0,
                            .jacobi = jacobi->done});
}

}  // namespace gpulab::cusolver
