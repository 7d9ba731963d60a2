// The 64-bit functions: a type is an argument, and each is the function of that type's letter, with pivots of 64 bits.

#include <fmt/format.h>

#include "common/cuda_api/libraries/cusolver/call.h"
#include "common/cuda_api/libraries/cusolver/requests.h"
#include "common/cuda_api/libraries/dense/general_eigen.h"
#include "common/cuda_api/libraries/products/triangles.h"

namespace gpulab::cusolver {
namespace {

Status give_bytes(const Call& call, bool valid, std::size_t* device, std::size_t* host) {
  if (const auto status = check(call, valid && device != nullptr && host != nullptr); status != CUSOLVER_STATUS_SUCCESS)
    return status;
  constexpr std::size_t some = 1024;  // nothing is kept there
  *device = some;
  *host = 0;
  return CUSOLVER_STATUS_SUCCESS;
}

double number_at(const void* pointer, Type type) {
  double value = 0;
  if (pointer != nullptr) decode(real_of(type), pointer, &value, 1);
  return value;
}

#define GPULAB_TYPES(one, other) GPULAB_CHECK(is_solvable(one) && real_of(one) == real_of(other))

}  // namespace

/// An H100 takes any size and type here; the factorisation refuses.
Status xpotrf_size(const Call& call, cusolverDnParams_t, cublasFillMode_t, i64, Type, In, i64, Type,
                   std::size_t* device, std::size_t* host) {
  return give_bytes(call, true, device, host);
}
Status xpotrf(const Call& call, cusolverDnParams_t, cublasFillMode_t fill, i64 n, Type type, Out a, i64 lda,
              Type compute, Out, std::size_t, Out, std::size_t, Out info) {
  GPULAB_TYPES(type, compute);
  return potrf(with_type(call, type), fill, n, a, lda, nullptr, 0, info);
}
Status xpotrs(const Call& call, cusolverDnParams_t, cublasFillMode_t fill, i64 n, i64 nrhs, Type type, In a, i64 lda,
              Type other, Out b, i64 ldb, Out info) {
  GPULAB_TYPES(type, other);
  return potrs(with_type(call, type), fill, n, nrhs, a, lda, b, ldb, info);
}
Status xgetrf_size(const Call& call, cusolverDnParams_t, i64 m, i64 n, Type type, In, i64 lda, Type,
                   std::size_t* device, std::size_t* host) {
  return give_bytes(call, m >= 0 && n >= 0 && lda >= at_least_one(m) && is_solvable(type), device, host);
}
/// An H100 returns success for wrong sizes and computes in the matrix's type, whatever else is asked for.
Status xgetrf(const Call& call, cusolverDnParams_t, i64 m, i64 n, Type type, Out a, i64 lda, Out pivots, Type, Out,
              std::size_t, Out, std::size_t, Out info) {
  GPULAB_CHECK(is_solvable(type));
  if (m < 0 || n < 0) {
    find_wrong(call, fmt::format("a matrix of {} x {}", m, n));
    return set_info(with_type(call, type), 0, info);
  }
  if (lda < at_least_one(m)) {
    find_wrong(call, fmt::format("its 'lda' is {}, less than m, which is {}", lda, m));
    return set_info(with_type(call, type), -4, info);
  }
  return getrf(with_type(call, type), m, n, a, lda, nullptr, pivots, info);
}
Status xgetrs(const Call& call, cusolverDnParams_t, cublasOperation_t op, i64 n, i64 nrhs, Type type, In a, i64 lda,
              In pivots, Type other, Out b, i64 ldb, Out info) {
  GPULAB_TYPES(type, other);
  return getrs(with_type(call, type), op, n, nrhs, a, lda, pivots, b, ldb, info);
}
Status xgeqrf_size(const Call& call, cusolverDnParams_t, i64 m, i64 n, Type type, In, i64 lda, Type, In, Type,
                   std::size_t* device, std::size_t* host) {
  return give_bytes(call, m >= 0 && n >= 0 && lda >= at_least_one(m) && is_solvable(type), device, host);
}
Status xgeqrf(const Call& call, cusolverDnParams_t, i64 m, i64 n, Type type, Out a, i64 lda, Type of_tau, Out tau,
              Type compute, Out, std::size_t, Out, std::size_t, Out info) {
  GPULAB_TYPES(type, compute);
  GPULAB_TYPES(type, of_tau);
  return geqrf(with_type(call, type), m, n, a, lda, tau, nullptr, 0, info);
}

/// An H100 takes any n and leading dimension here; xsyevd refuses.
Status xsyevd_size(const Call& call, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t fill, i64, Type type, In,
                   i64, Type, In, Type, std::size_t* device, std::size_t* host) {
  return give_bytes(call, is_fill(fill) && is_solvable(type), device, host);
}
Status xsyevd(const Call& call, cusolverDnParams_t, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Type type,
              Out a, i64 lda, Type of_w, Out w, Type compute, Out, std::size_t, Out, std::size_t, Out info) {
  GPULAB_TYPES(type, compute);
  GPULAB_TYPES(type, of_w);
  return syevd(with_type(call, type), mode, fill, n, a, lda, w, nullptr, 0, info);
}
Status xsyev_batched_size(const Call& call, cusolverDnParams_t params, cusolverEigMode_t mode, cublasFillMode_t fill,
                          i64 n, Type type, In a, i64 lda, Type of_w, In w, Type compute, std::size_t* device,
                          std::size_t* host, i64 batch) {
  GPULAB_CHECK(batch >= 0 && n >= 0 && lda >= at_least_one(n));
  return xsyevd_size(call, params, mode, fill, n, type, a, lda, of_w, w, compute, device, host);
}
Status xsyev_batched(const Call& call, cusolverDnParams_t, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n,
                     Type type, Out a, i64 lda, Type of_w, Out w, Type compute, Out, std::size_t, Out, std::size_t,
                     Out info, i64 batch) {
  GPULAB_TYPES(type, compute);
  GPULAB_TYPES(type, of_w);
  GPULAB_CHECK(is_fill(fill) && batch >= 0);
  return eigenvalues(with_type(call, type), {.vectors = mode == CUSOLVER_EIG_MODE_VECTOR,
                                             .upper = fill == CUBLAS_FILL_MODE_UPPER,
                                             .n = n,
                                             .a = a,
                                             .lda = lda,
                                             .w = w,
                                             .info = info,
                                             .batch = batch,
                                             .first = 4});
}
Status xsyevdx_size(const Call& call, cusolverDnParams_t, cusolverEigMode_t, cusolverEigRange_t, cublasFillMode_t fill,
                    i64 n, Type type, In, i64 lda, In, In, i64, i64, std::int64_t* found, Type, In, Type,
                    std::size_t* device, std::size_t* host) {
  if (found != nullptr) *found = n;
  return give_bytes(call, is_fill(fill) && n >= 0 && lda >= at_least_one(n) && is_solvable(type), device, host);
}
Status xsyevdx(const Call& call, cusolverDnParams_t, cusolverEigMode_t mode, cusolverEigRange_t range,
               cublasFillMode_t fill, i64 n, Type type, Out a, i64 lda, In vl, In vu, i64 il, i64 iu,
               std::int64_t* found, Type of_w, Out w, Type compute, Out, std::size_t, Out, std::size_t, Out info) {
  GPULAB_TYPES(type, compute);
  GPULAB_TYPES(type, of_w);
  GPULAB_CHECK(is_fill(fill) && found != nullptr);
  return eigenvalues(with_type(call, type), {.vectors = mode == CUSOLVER_EIG_MODE_VECTOR,
                                             .upper = fill == CUBLAS_FILL_MODE_UPPER,
                                             .n = n,
                                             .a = a,
                                             .lda = lda,
                                             .range = range,
                                             .vl = number_at(vl, of_w),
                                             .vu = number_at(vu, of_w),
                                             .il = il,
                                             .iu = iu,
                                             .w = w,
                                             .info = info,
                                             .count = [found](i64 count) { *found = count; },
                                             .first = 5});
}

Status xgesvd_size(const Call& call, cusolverDnParams_t, signed char, signed char, i64 m, i64 n, Type type, In, i64 lda,
                   Type, In, Type, In, i64, Type, In, i64, Type, std::size_t* device, std::size_t* host) {
  return give_bytes(call, m >= n && n >= 0 && lda >= at_least_one(m) && is_solvable(type), device, host);
}
Status xgesvd(const Call& call, cusolverDnParams_t, signed char jobu, signed char jobvt, i64 m, i64 n, Type type, Out a,
              i64 lda, Type of_s, Out s, Type, Out u, i64 ldu, Type, Out vt, i64 ldvt, Type compute, Out, std::size_t,
              Out, std::size_t, Out info) {
  GPULAB_TYPES(type, compute);
  GPULAB_TYPES(type, of_s);
  return gesvd(with_type(call, type), jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, nullptr, 0, nullptr, info);
}
Status xgesvdp_size(const Call& call, cusolverDnParams_t, cusolverEigMode_t, int, i64 m, i64 n, Type type, In, i64 lda,
                    Type, In, Type, In, i64, Type, In, i64, Type, std::size_t* device, std::size_t* host) {
  return give_bytes(call, m >= 0 && n >= 0 && lda >= at_least_one(m) && is_solvable(type), device, host);
}
Status xgesvdp(const Call& call, cusolverDnParams_t, cusolverEigMode_t mode, int econ, i64 m, i64 n, Type type, Out a,
               i64 lda, Type of_s, Out s, Type, Out u, i64 ldu, Type, Out v, i64 ldv, Type compute, Out, std::size_t,
               Out, std::size_t, Out info, double* disturbed) {
  GPULAB_TYPES(type, compute);
  GPULAB_TYPES(type, of_s);
  const bool vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
  const i64 least = std::min(m, n);
  GPULAB_CHECK(m >= 0 && n >= 0 && lda >= at_least_one(m) &&
               (!vectors || (ldu >= at_least_one(m) && ldv >= at_least_one(n))));
  if (disturbed != nullptr) *disturbed = 0;  // singular values are those of A itself, none is moved
  return singular_values(with_type(call, type), {.m = m,
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
                                                 .info = info});
}
Status xgesvdr_size(const Call& call, cusolverDnParams_t, signed char, signed char, i64 m, i64 n, i64 rank, i64, i64,
                    Type type, In, i64 lda, Type, In, Type, In, i64, Type, In, i64, Type, std::size_t* device,
                    std::size_t* host) {
  return give_bytes(call, m >= 0 && n >= 0 && rank >= 0 && lda >= at_least_one(m) && is_solvable(type), device, host);
}
Status xgesvdr(const Call& call, cusolverDnParams_t, signed char jobu, signed char jobv, i64 m, i64 n, i64 rank,
               i64 more, i64, Type type, Out a, i64 lda, Type of_s, Out s, Type, Out u, i64 ldu, Type, Out v, i64 ldv,
               Type compute, Out, std::size_t, Out, std::size_t, Out info) {
  GPULAB_TYPES(type, compute);
  GPULAB_TYPES(type, of_s);
  GPULAB_CHECK(m >= 0 && n >= 0 && lda >= at_least_one(m) && rank >= 0 && more >= 0 && rank + more <= std::min(m, n));
  const bool wants_u = jobu == 'S', wants_v = jobv == 'S';
  GPULAB_CHECK((!wants_u || ldu >= at_least_one(m)) && (!wants_v || ldv >= at_least_one(n)));
  // The first values of A itself, where the real one has those of a random projection.
  return singular_values(with_type(call, type), {.m = m,
                                                 .n = n,
                                                 .a = a,
                                                 .lda = lda,
                                                 .s = s,
                                                 .count = rank,
                                                 .u = u,
                                                 .left = wants_u ? rank : 0,
                                                 .ldu = ldu,
                                                 .v = v,
                                                 .right = wants_v ? rank : 0,
                                                 .ldv = ldv,
                                                 .info = info});
}

Status xtrtri_size(const Call& call, cublasFillMode_t fill, cublasDiagType_t, i64 n, Type type, In, i64 lda,
                   std::size_t* device, std::size_t* host) {
  return give_bytes(call, is_fill(fill) && n >= 0 && lda >= at_least_one(n) && is_solvable(type), device, host);
}
Status xtrtri(const Call& call, cublasFillMode_t fill, cublasDiagType_t diag, i64 n, Type type, Out a, i64 lda, Out,
              std::size_t, Out, std::size_t, Out info) {
  GPULAB_CHECK(is_solvable(type));
  const Call typed = with_type(call, type);
  const int wrong = !is_fill(fill)                                             ? 1
                    : diag != CUBLAS_DIAG_UNIT && diag != CUBLAS_DIAG_NON_UNIT ? 2
                    : n < 0                                                    ? 3
                    : lda < at_least_one(n)                                    ? 6
                                                                               : 0;
  if (wrong != 0) return tell_parameter(typed, wrong, info);
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER, unit = diag == CUBLAS_DIAG_UNIT;
  const Operand to = triangle(a, type, n, lda, upper).changed(), result = info_of(info);
  return queue(typed, n, n, cube(n, n, n) / 3, {to.buffer(), result.buffer()}, [=](LibraryAccess& memory) {
    for_type(memory, type, [&](auto kind) {
      using W = decltype(kind);
      auto values = load<W>(memory, to);
      for (i64 j = 0; j < n && !unit; ++j)
        if (values.column(j)[upper ? j : 0] == W(0)) return store_info(memory, result, j + 1);
      std::vector<W> inverse(static_cast<std::size_t>(n * n));
      for (i64 i = 0; i < n; ++i) inverse[static_cast<std::size_t>(i * n + i)] = 1;
      solve(Triangle<W>(values, upper, false, false, unit), inverse.data(), n);
      for (i64 j = 0; j < n; ++j) {
        const Column c = to.column(j);
        for (i64 k = 0; k < c.count; ++k)
          if (!unit || c.first + k != j) values.column(j)[k] = inverse[static_cast<std::size_t>(j * n + c.first + k)];
      }
      store(memory, values);
      store_info(memory, result, 0);
    });
  });
}

namespace {

/// Values as the program wants them: complex ones, or all real parts and then all imaginary ones.
template <typename W>
void store_values(LibraryAccess& memory, const Operand& to, const std::vector<W>& values) {
  if (is_complex(to.type)) {
    Values<W> made(to);
    made.all = values;
    return store(memory, made);
  }
  Values<RealOf<W>> made(to);
  for (std::size_t i = 0; i < values.size(); ++i) {
    made.all[i] = values[i].real();
    made.all[values.size() + i] = values[i].imag();
  }
  store(memory, made);
}
/// Of a real matrix a pair's vector is two columns: its real and its imaginary part.
template <typename W>
void store_vectors(LibraryAccess& memory, const Operand& to, const std::vector<W>& values,
                   const std::vector<W>& vectors) {
  if (is_complex(to.type)) {
    Values<W> made(to);
    made.all = vectors;
    return store(memory, made);
  }
  Values<RealOf<W>> made(to);
  const auto n = values.size();
  for (std::size_t j = 0; j < n; ++j) {
    const bool second = values[j].imag() < 0 && j > 0;
    for (std::size_t i = 0; i < n; ++i)
      made.all[j * n + i] = second ? vectors[(j - 1) * n + i].imag() : vectors[j * n + i].real();
  }
  store(memory, made);
}

}  // namespace

/// Left vectors are not in NVIDIA's library either, and it says so by this status.
Status xgeev_size(const Call& call, cusolverDnParams_t, cusolverEigMode_t left, cusolverEigMode_t, i64 n, Type type, In,
                  i64 lda, Type of_w, In, Type, In, i64, Type, In, i64, Type, std::size_t* device, std::size_t* host) {
  if (call.handle != nullptr && left != CUSOLVER_EIG_MODE_NOVECTOR) return CUSOLVER_STATUS_INTERNAL_ERROR;
  const bool types = is_solvable(type) && (is_complex(of_w) || !is_complex(type));
  return give_bytes(call, n >= 0 && lda >= at_least_one(n) && types, device, host);
}
Status xgeev(const Call& call, cusolverDnParams_t, cusolverEigMode_t left, cusolverEigMode_t right, i64 n, Type type,
             Out a, i64 lda, Type of_w, Out w, Type, Out, i64, Type of_vr, Out vr, i64 ldvr, Type compute, Out,
             std::size_t, Out, std::size_t, Out info) {
  GPULAB_TYPES(type, compute);
  GPULAB_TYPES(type, of_w);
  const bool vectors = right == CUSOLVER_EIG_MODE_VECTOR;
  GPULAB_CHECK(left == CUSOLVER_EIG_MODE_NOVECTOR && n >= 0 && lda >= at_least_one(n) &&
               (!vectors || ldvr >= at_least_one(n)) && (is_complex(of_w) || !is_complex(type)) &&
               (!vectors || of_vr == type));
  const Operand from = matrix("A", a, type, n, n, lda), result = info_of(info),
                values = vector("W", w, of_w, is_complex(of_w) ? n : 2 * n, 1).written(),
                columns = matrix("VR", vr, type, vectors ? n : 0, n, ldvr).written();
  return queue(with_type(call, type), n, n, 25 * cube(n, n, n),
               {from.buffer(), values.buffer(), columns.buffer(), result.buffer()}, [=](LibraryAccess& memory) {
                 for_type(memory, type, [&](auto kind) {
                   using W = std::complex<RealOf<decltype(kind)>>;
                   std::vector<W> all;
                   for (const auto& one : load<decltype(kind)>(memory, from).all) all.emplace_back(one);
                   std::vector<W> found;
                   bool converged = true;
                   const auto eigen =
                       general_eigen(std::move(all), n, !is_complex(type), vectors ? &found : nullptr, converged);
                   store_values(memory, values, eigen);
                   if (vectors) store_vectors(memory, columns, eigen, found);
                   store_info(memory, result, converged ? 0 : 1);
                 });
               });
}

#undef GPULAB_TYPES

}  // namespace gpulab::cusolver
