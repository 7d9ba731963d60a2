// Singular values and vectors: by rotations of columns, whichever of the real library's ways is asked for.

#include <cmath>
#include <string_view>

#include "common/cuda_api/libraries/cusolver/call.h"
#include "common/cuda_api/libraries/cusolver/requests.h"
#include "common/cuda_api/libraries/dense/jacobi.h"

namespace gpulab::cusolver {
namespace {

/// |A - U S V^H|, in the sense of Frobenius.
template <typename W>
double residual_of(const Values<W>& a, const Singular<W>& found, i64 m, i64 n, i64 count) {
  double sum = 0;
  for (i64 j = 0; j < n; ++j)
    for (i64 i = 0; i < m; ++i) {
      W left = a.at(i, j);
      for (i64 k = 0; k < count; ++k)
        left -= found.u[static_cast<std::size_t>(k * m + i)] * found.values[static_cast<std::size_t>(k)] *
                conjugate(found.v[static_cast<std::size_t>(k * n + j)]);
      sum += static_cast<double>(std::norm(left));
    }
  return std::sqrt(sum);
}

struct Places {
  Operand from, values, left, right, info;
  Places(const SingularRequest& r, Type t)
      : from(batched(matrix("A", r.a, t, r.m, r.n, r.lda), r.batch, r.stride_a)),
        values(batched(vector("S", r.s, real_of(t), r.count, 1).written(), r.batch, r.stride_s)),
        left(batched(matrix("U", r.u, t, r.m, r.left, r.ldu).written(), r.batch, r.stride_u)),
        right(batched((r.adjoint ? matrix("VT", r.v, t, r.right, r.n, r.ldv) : matrix("V", r.v, t, r.n, r.right, r.ldv))
                          .written(),
                      r.batch, r.stride_v)),
        info(info_of(r.info, r.batch)) {}
  [[nodiscard]] std::vector<LibraryBuffer> buffers() const {
    return {from.buffer(), values.buffer(), left.buffer(), right.buffer(), info.buffer()};
  }
};

template <typename W>
void find_one(LibraryAccess& memory, const SingularRequest& r, const Places& places, i64 index) {
  const auto a = load<W>(memory, places.from, index);
  const bool tells = static_cast<bool>(r.residual);
  const i64 least = tells ? r.count : 0;
  const auto found = decompose(a.all, r.m, r.n, std::max(r.left, least), std::max(r.right, least), r.sorted);
  if (r.jacobi != nullptr) r.jacobi->tell(found.sweeps, 0);
  if (tells) r.residual(index, residual_of(a, found, r.m, r.n, r.count));
  Values<RealOf<W>> values(places.values);
  std::copy_n(found.values.begin(), r.count, values.all.begin());
  store(memory, values, index);
  Values<W> u(places.left), v(places.right);
  std::copy_n(found.u.begin(), r.m * r.left, u.all.begin());
  for (i64 k = 0; k < r.right; ++k)
    for (i64 i = 0; i < r.n; ++i) {
      const W one = found.v[static_cast<std::size_t>(k * r.n + i)];
      (r.adjoint ? v.at(k, i) : v.at(i, k)) = r.adjoint ? conjugate(one) : one;
    }
  store(memory, u, index);
  store(memory, v, index);
  store_info(memory, places.info, 0, index);
}

}  // namespace

Status singular_values(const Call& call, const SingularRequest& request) {
  GPULAB_CHECK(request.batch >= 0);
  const Type t = type_of(call);
  const Places places(request, t);
  return queue(
      call, request.m, request.n,
      14 * cube(request.m, request.n, std::min(request.m, request.n)) * static_cast<double>(request.batch),
      places.buffers(),
      [=](LibraryAccess& memory) {
        for_type(memory, t, [&](auto kind) {
          for (i64 i = 0; i < request.batch; ++i) find_one<decltype(kind)>(memory, request, places, i);
        });
      },
      static_cast<bool>(request.residual));
}

Status gesvd_size(const Call& call, i64 m, i64 n, int* size) { return give_size(call, m >= 0 && n >= 0, size); }
Status gesvd(const Call& call, signed char jobu, signed char jobvt, i64 m, i64 n, Out a, i64 lda, Out s, Out u, i64 ldu,
             Out vt, i64 ldvt, Out, i64, Out, Out info) {
  constexpr std::string_view known = "ASON";
  const bool wants_u = jobu != 'N', wants_v = jobvt != 'N', over_u = jobu == 'O', over_v = jobvt == 'O';
  if (call.handle != nullptr && over_u && over_v) return tell_parameter(call, 2, info);
  if (m >= 0 && m < n) return tell_parameter(call, 0, info);  // as an H100 has it: refused, and no parameter is named
  const auto is_known = [&](signed char job) { return known.find(static_cast<char>(job)) != known.npos; };
  const int wrong = !is_known(jobu)                                ? 1
                    : !is_known(jobvt)                             ? 2
                    : m < 0                                        ? 3
                    : n < 0                                        ? 4
                    : lda < at_least_one(m)                        ? 6
                    : wants_u && !over_u && ldu < at_least_one(m)  ? 9
                    : wants_v && !over_v && ldvt < at_least_one(n) ? 11
                                                                   : 0;
  if (wrong != 0) return tell_parameter(call, wrong, info);
  return singular_values(call, {.m = m,
                                .n = n,
                                .a = a,
                                .lda = lda,
                                .s = s,
                                .count = n,
                                .u = over_u ? a : u,
                                .left = !wants_u      ? 0
                                        : jobu == 'A' ? m
                                                      : n,
                                .ldu = over_u ? lda : ldu,
                                .v = over_v ? a : vt,
                                .right = wants_v ? n : 0,
                                .ldv = over_v ? lda : ldvt,
                                .adjoint = true,
                                .info = info});
}

Status gesvdj_size(const Call& call, cusolverEigMode_t, int, i64 m, i64 n, In, i64 lda, In, In, i64, In, i64, int* size,
                   gesvdjInfo_t info) {
  return give_size(call, m >= 0 && n >= 0 && lda >= at_least_one(m) && info != nullptr, size);
}
Status gesvdj(const Call& call, cusolverEigMode_t mode, int econ, i64 m, i64 n, Out a, i64 lda, Out s, Out u, i64 ldu,
              Out v, i64 ldv, Out, i64, Out info, gesvdjInfo_t jacobi) {
  const bool vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
  const int wrong = m < 0                              ? 3
                    : n < 0                            ? 4
                    : lda < at_least_one(m)            ? 6
                    : vectors && ldu < at_least_one(m) ? 9
                    : vectors && ldv < at_least_one(n) ? 11
                                                       : 0;
  if (wrong != 0) return tell_parameter(call, wrong, info);
  GPULAB_CHECK(jacobi != nullptr);
  const i64 least = std::min(m, n);
  return singular_values(call, {.m = m,
                                .n = n,
                                .a = a,
                                .lda = lda,
                                .s = s,
                                .count = least,
                                .u = u,
                                .left = written_vectors(vectors, econ != 0, least, m),
                                .ldu = ldu,
                                .v = v,
                                .right = written_vectors(vectors, econ != 0, least, n),
                                .ldv = ldv,
                                .info = info,
                                .sorted = jacobi->sorted != 0,
                                .jacobi = jacobi->done});
}
Status gesvdj_batched_size(const Call& call, cusolverEigMode_t, i64 m, i64 n, In, i64 lda, In, In, i64, In, i64,
                           int* size, gesvdjInfo_t info, i64 batch) {
  return give_size(call, m >= 0 && n >= 0 && lda >= at_least_one(m) && info != nullptr && batch >= 0, size);
}
Status gesvdj_batched(const Call& call, cusolverEigMode_t mode, i64 m, i64 n, Out a, i64 lda, Out s, Out u, i64 ldu,
                      Out v, i64 ldv, Out, i64, Out info, gesvdjInfo_t jacobi, i64 batch) {
  const bool vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
  constexpr i64 most = 32;  // rows and columns that the real one takes
  GPULAB_CHECK(m >= 0 && n >= 0 && m <= most && n <= most && lda >= at_least_one(m) && batch >= 0 &&
               jacobi != nullptr && (!vectors || (ldu >= at_least_one(m) && ldv >= at_least_one(n))));
  return singular_values(call, {.m = m,
                                .n = n,
                                .a = a,
                                .lda = lda,
                                .stride_a = lda * n,
                                .s = s,
                                .count = std::min(m, n),
                                .stride_s = std::min(m, n),
                                .u = u,
                                .left = vectors ? m : 0,
                                .ldu = ldu,
                                .stride_u = ldu * m,
                                .v = v,
                                .right = vectors ? n : 0,
                                .ldv = ldv,
                                .stride_v = ldv * n,
                                .info = info,
                                .batch = batch,
                                .sorted = jacobi->sorted != 0,
                                .jacobi = jacobi->done});
}

Status gesvda_size(const Call& call, cusolverEigMode_t, i64 rank, i64 m, i64 n, In, i64 lda, i64, In, i64, In, i64, i64,
                   In, i64, i64, int* size, i64 batch) {
  return give_size(call, m >= 0 && n >= 0 && rank >= 0 && lda >= at_least_one(m) && batch >= 0, size);
}
Status gesvda(const Call& call, cusolverEigMode_t mode, i64 rank, i64 m, i64 n, In a, i64 lda, i64 stride_a, Out s,
              i64 stride_s, Out u, i64 ldu, i64 stride_u, Out v, i64 ldv, i64 stride_v, Out, i64, Out info,
              double* residuals, i64 batch) {
  const bool vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
  if (m < n) return tell_parameter(call, 3, info);
  GPULAB_CHECK(n >= 0 && rank >= 0 && rank <= n && lda >= at_least_one(m) && batch >= 0 &&
               (!vectors || (ldu >= at_least_one(m) && ldv >= at_least_one(n))));
  SingularRequest request{.m = m,
                          .n = n,
                          .a = a,
                          .lda = lda,
                          .stride_a = stride_a,
                          .s = s,
                          .count = rank,
                          .stride_s = stride_s,
                          .u = u,
                          .left = vectors ? rank : 0,
                          .ldu = ldu,
                          .stride_u = stride_u,
                          .v = v,
                          .right = vectors ? rank : 0,
                          .ldv = ldv,
                          .stride_v = stride_v,
                          .info = info,
                          .batch = batch};
  if (residuals != nullptr && vectors) request.residual = [residuals](i64 i, double one) { residuals[i] = one; };
  return singular_values(call, request);
}

}  // namespace gpulab::cusolver
