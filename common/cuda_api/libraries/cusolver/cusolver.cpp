#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/cuda_api/libraries/cusolver/functions.h"
#include "common/cuda_api/libraries/dense/cholesky.h"
#include "common/cuda_api/libraries/dense/jacobi.h"
#include "common/cuda_api/libraries/dense/lu.h"
#include "common/cuda_api/libraries/dense/qr.h"
#include "common/cuda_api/libraries/operands.h"
#include "common/cuda_api/libraries/products/triangles.h"

namespace gpulab::cusolver {
namespace {

using namespace gpulab::libraries;
using Layout = Operand::Layout;

Type type_of(const Call& call) {
  switch (*call.letters) {
    case 'S':
      return CUDA_R_32F;
    case 'D':
      return CUDA_R_64F;
    case 'C':
      return CUDA_C_32F;
    default:
      return CUDA_C_64F;
  }
}

i64 at_least_one(i64 value) { return std::max<i64>(1, value); }
double cube(i64 a, i64 b, i64 c) { return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c); }

Operand info_of(Out info) { return vector("devInfo", info, CUDA_R_32I, 1, 1).written(); }
void store_info(LibraryAccess& memory, const Operand& to, i64 value) {
  Values<double> number(to);
  number.all[0] = static_cast<double>(value);
  store(memory, number);
}

Status queue(const Call& call, i64 m, i64 n, double operations, const std::vector<LibraryBuffer>& buffers,
             const cuda_api::LibraryWork& work) {
  LibraryOperation operation;
  operation.function = call.name;
  operation.shape = fmt::format("{} x {}", m, n);
  operation.operations = operations * (is_complex(type_of(call)) ? 4 : 1);
  operation.unit = real_of(type_of(call)) == CUDA_R_64F ? LibraryUnit::fp64 : LibraryUnit::fp32;
  operation.kernels = static_cast<double>(std::min(m, n)) / 32 + 1;
  operation.stream = call.handle->stream;
  operation.caller = call.caller;
  const cudaError_t error = runtime().queue(operation, [=](LibraryAccess& memory) {
    memory.use(buffers);
    work(memory);
  });
  return error == cudaSuccess ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}

Status check(const Call& call, bool valid) {
  if (call.handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return valid ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
/// A parameter is wrong (from 1, the handle not counted): devInfo says so, too.
Status tell_parameter(const Call& call, int parameter, Out info) {
  if (call.handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  const Operand result = info_of(info);
  const auto status =
      queue(call, 0, 0, 0, {result.buffer()}, [=](LibraryAccess& memory) { store_info(memory, result, -parameter); });
  return status == CUSOLVER_STATUS_SUCCESS ? CUSOLVER_STATUS_INVALID_VALUE : status;
}
Status give_size(const Call& call, bool valid, int* size) {
  if (const auto status = check(call, valid && size != nullptr); status != CUSOLVER_STATUS_SUCCESS) return status;
  *size = 1;
  return CUSOLVER_STATUS_SUCCESS;
}

/// A triangle as a whole lower one: of an upper one its mirror.
template <typename W>
std::vector<W> lower_of(const Values<W>& a, bool upper) {
  const i64 n = a.operand.columns;
  std::vector<W> made(static_cast<std::size_t>(n * n));
  for (i64 j = 0; j < n; ++j) {
    const Column c = a.operand.column(j);
    for (i64 k = 0; k < c.count; ++k) {
      const i64 i = c.first + k;
      made[static_cast<std::size_t>(upper ? i * n + j : j * n + i)] =
          upper ? conjugate(a.column(j)[k]) : a.column(j)[k];
    }
  }
  return made;
}
template <typename W>
void put_lower(const std::vector<W>& from, Values<W>& a, bool upper) {
  const i64 n = a.operand.columns;
  for (i64 j = 0; j < n; ++j) {
    const Column c = a.operand.column(j);
    for (i64 k = 0; k < c.count; ++k) {
      const i64 i = c.first + k;
      a.column(j)[k] =
          upper ? conjugate(from[static_cast<std::size_t>(i * n + j)]) : from[static_cast<std::size_t>(j * n + i)];
    }
  }
}

Operand triangle(In a, Type t, i64 n, i64 lda, bool upper) {
  Operand made = matrix("A", a, t, n, n, lda);
  made.layout = upper ? Layout::upper : Layout::lower;
  return made;
}

std::vector<i64> load_pivots(LibraryAccess& memory, const Operand& from, i64 n) {
  std::vector<i64> pivots;
  for (const double one : load<double>(memory, from).all) {
    const auto row = static_cast<i64>(one) - 1;
    pivots.push_back(row >= 0 && row < n ? row : static_cast<i64>(pivots.size()));
  }
  return pivots;
}

#define GPULAB_CHECK(valid) \
  if (const Status wrong = check(call, valid); wrong != CUSOLVER_STATUS_SUCCESS) return wrong

bool is_fill(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER; }

}  // namespace

Status potrf_size(const Call& call, cublasFillMode_t, i64, In, i64, int* size) { return give_size(call, true, size); }
Status potrf(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out, i64, Out info) {
  if (!is_fill(fill)) return tell_parameter(call, 1, info);
  if (n < 0) return tell_parameter(call, 2, info);
  if (lda < at_least_one(n)) return tell_parameter(call, 4, info);
  GPULAB_CHECK(true);
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  const Operand to = triangle(a, type_of(call), n, lda, upper).changed(), result = info_of(info);
  return queue(call, n, n, cube(n, n, n) / 3, {to.buffer(), result.buffer()}, [=](LibraryAccess& memory) {
    for_type(memory, to.type, [&](auto kind) {
      auto values = load<decltype(kind)>(memory, to);
      auto whole = lower_of(values, upper);
      store_info(memory, result, factorise_cholesky(whole.data(), n));
      put_lower(whole, values, upper);
      store(memory, values);
    });
  });
}
Status potrs(const Call& call, cublasFillMode_t fill, i64 n, i64 nrhs, In a, i64 lda, Out b, i64 ldb, Out info) {
  if (!is_fill(fill)) return tell_parameter(call, 1, info);
  if (n < 0) return tell_parameter(call, 2, info);
  if (nrhs < 0) return tell_parameter(call, 3, info);
  if (lda < at_least_one(n)) return tell_parameter(call, 5, info);
  if (ldb < at_least_one(n)) return tell_parameter(call, 7, info);
  GPULAB_CHECK(true);
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  const Type t = type_of(call);
  const Operand from = triangle(a, t, n, lda, upper), to = matrix("B", b, t, n, nrhs, ldb).changed(),
                result = info_of(info);
  return queue(call, n, nrhs, 2 * cube(n, n, nrhs), {from.buffer(), to.buffer(), result.buffer()},
               [=](LibraryAccess& memory) {
                 for_type(memory, t, [&](auto kind) {
                   using W = decltype(kind);
                   auto values = load<W>(memory, to);
                   const auto factor = load<W>(memory, from);
                   // L y = b, then L^H x = y; of U^H U the same with U^H.
                   solve(Triangle<W>(factor, upper, upper, upper, false), values.all.data(), nrhs);
                   solve(Triangle<W>(factor, upper, !upper, !upper, false), values.all.data(), nrhs);
                   store(memory, values);
                   store_info(memory, result, 0);
                 });
               });
}

Status getrf_size(const Call& call, i64 m, i64 n, In, i64 lda, int* size) {
  return give_size(call, m >= 0 && n >= 0 && lda >= at_least_one(m), size);
}
Status getrf(const Call& call, i64 m, i64 n, Out a, i64 lda, Out, Out pivots, Out info) {
  GPULAB_CHECK(m >= 0 && n >= 0 && lda >= at_least_one(m));
  const i64 steps = std::min(m, n);
  const Operand to = matrix("A", a, type_of(call), m, n, lda).changed(), result = info_of(info);
  const Operand rows = vector("devIpiv", pivots, CUDA_R_32I, pivots == nullptr ? 0 : steps, 1).written();
  return queue(call, m, n, 2 * cube(m, n, steps) / 3, {to.buffer(), rows.buffer(), result.buffer()},
               [=](LibraryAccess& memory) {
                 for_type(memory, to.type, [&](auto kind) {
                   auto values = load<decltype(kind)>(memory, to);
                   std::vector<i64> exchanged;
                   store_info(memory, result, factorise_lu(values.all.data(), m, n, exchanged, pivots != nullptr));
                   store(memory, values);
                   Values<double> numbers(rows);
                   for (std::size_t i = 0; i < numbers.all.size(); ++i)
                     numbers.all[i] = static_cast<double>(exchanged[i] + 1);
                   store(memory, numbers);
                 });
               });
}
Status getrs(const Call& call, cublasOperation_t op, i64 n, i64 nrhs, In a, i64 lda, In pivots, Out b, i64 ldb,
             Out info) {
  GPULAB_CHECK(op >= CUBLAS_OP_N && op <= CUBLAS_OP_C && n >= 0 && nrhs >= 0 && lda >= at_least_one(n) &&
               ldb >= at_least_one(n));
  const Type t = type_of(call);
  const Operand from = matrix("A", a, t, n, n, lda), to = matrix("B", b, t, n, nrhs, ldb).changed(),
                result = info_of(info);
  const Operand rows = vector("devIpiv", pivots, CUDA_R_32I, pivots == nullptr ? 0 : n, 1);
  const Solve how = op == CUBLAS_OP_N ? Solve::plain : op == CUBLAS_OP_T ? Solve::transposed : Solve::conjugated;
  return queue(call, n, nrhs, 2 * cube(n, n, nrhs), {from.buffer(), rows.buffer(), to.buffer(), result.buffer()},
               [=](LibraryAccess& memory) {
                 for_type(memory, t, [&](auto kind) {
                   using W = decltype(kind);
                   auto values = load<W>(memory, to);
                   solve_lu(load<W>(memory, from).all.data(), n, load_pivots(memory, rows, n), how, values.all.data(),
                            nrhs);
                   store(memory, values);
                   store_info(memory, result, 0);
                 });
               });
}

Status geqrf(const Call& call, i64 m, i64 n, Out a, i64 lda, Out tau, Out, i64, Out info) {
  if (m < 0) return tell_parameter(call, 1, info);
  if (n < 0) return tell_parameter(call, 2, info);
  if (lda < at_least_one(m)) return tell_parameter(call, 4, info);
  GPULAB_CHECK(true);
  const Type t = type_of(call);
  const i64 steps = std::min(m, n);
  const Operand to = matrix("A", a, t, m, n, lda).changed(), taus = vector("TAU", tau, t, steps, 1).written(),
                result = info_of(info);
  return queue(call, m, n, 2 * cube(m, n, steps), {to.buffer(), taus.buffer(), result.buffer()},
               [=](LibraryAccess& memory) {
                 for_type(memory, t, [&](auto kind) {
                   using W = decltype(kind);
                   auto values = load<W>(memory, to);
                   Values<W> factors(taus);
                   factorise_qr(values.all.data(), m, n, m, factors.all.data());
                   store(memory, values);
                   store(memory, factors);
                   store_info(memory, result, 0);
                 });
               });
}
Status ormqr_size(const Call& call, cublasSideMode_t, cublasOperation_t, i64 m, i64 n, i64 k, In, i64, In, In, i64,
                  int* size) {
  return give_size(call, m >= 0 && n >= 0 && k >= 0, size);
}
Status ormqr(const Call& call, cublasSideMode_t side, cublasOperation_t op, i64 m, i64 n, i64 k, In a, i64 lda, In tau,
             Out c, i64 ldc, Out, i64, Out info) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  const i64 rows = left ? m : n;
  if (k < 0 || k > rows) return tell_parameter(call, 5, info);
  if (op == (is_complex(type_of(call)) ? CUBLAS_OP_T : CUBLAS_OP_C)) return tell_parameter(call, 2, info);
  GPULAB_CHECK(m >= 0 && n >= 0 && lda >= at_least_one(rows) && ldc >= at_least_one(m));
  const Type t = type_of(call);
  const Operand from = matrix("A", a, t, rows, k, lda), taus = vector("tau", tau, t, k, 1);
  const Operand to = matrix("C", c, t, m, n, ldc).changed(), result = info_of(info);
  return queue(call, m, n, 4 * cube(m, n, k), {from.buffer(), taus.buffer(), to.buffer(), result.buffer()},
               [=](LibraryAccess& memory) {
                 for_type(memory, t, [&](auto kind) {
                   using W = decltype(kind);
                   auto values = load<W>(memory, to);
                   apply_q(load<W>(memory, from).all.data(), rows, load<W>(memory, taus).all.data(), k, !left,
                           op != CUBLAS_OP_N, values.all.data(), m, n);
                   store(memory, values);
                   store_info(memory, result, 0);
                 });
               });
}
Status orgqr_size(const Call& call, i64 m, i64 n, i64 k, In, i64, In, int* size) {
  return give_size(call, m >= 0 && n >= 0 && k >= 0, size);
}
Status orgqr(const Call& call, i64 m, i64 n, i64 k, Out a, i64 lda, In tau, Out, i64, Out info) {
  if (n < 0 || n > m) return tell_parameter(call, 2, info);
  if (k < 0 || k > n) return tell_parameter(call, 3, info);
  GPULAB_CHECK(lda >= at_least_one(m));
  const Type t = type_of(call);
  const Operand to = matrix("A", a, t, m, n, lda).changed(), taus = vector("tau", tau, t, k, 1), result = info_of(info);
  return queue(
      call, m, n, 4 * cube(m, n, k), {to.buffer(), taus.buffer(), result.buffer()}, [=](LibraryAccess& memory) {
        for_type(memory, t, [&](auto kind) {
          using W = decltype(kind);
          const auto factors = load<W>(memory, to);
          Values<W> q(to);
          for (i64 i = 0; i < n; ++i) q.at(i, i) = 1;
          apply_q(factors.all.data(), m, load<W>(memory, taus).all.data(), k, false, false, q.all.data(), m, n);
          store(memory, q);
          store_info(memory, result, 0);
        });
      });
}

Status syevd_size(const Call& call, cusolverEigMode_t, cublasFillMode_t, i64 n, In, i64 lda, In, int* size) {
  return give_size(call, n >= 0 && lda >= at_least_one(n), size);
}
Status syevd(const Call& call, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out w, Out, i64,
             Out info) {
  if (n < 0) return tell_parameter(call, 3, info);
  if (lda < at_least_one(n)) return tell_parameter(call, 5, info);
  GPULAB_CHECK(is_fill(fill));
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER, vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
  const Type t = type_of(call);
  const Operand from = triangle(a, t, n, lda, upper), to = matrix("A", a, t, n, n, lda).written();
  const Operand values = vector("W", w, real_of(t), n, 1).written(), result = info_of(info);
  return queue(call, n, n, 9 * cube(n, n, n), {from.buffer(), to.buffer(), values.buffer(), result.buffer()},
               [=](LibraryAccess& memory) {
                 for_type(memory, t, [&](auto kind) {
                   using W = decltype(kind);
                   auto whole = lower_of(load<W>(memory, from), upper);
                   for (i64 j = 0; j < n; ++j)
                     for (i64 i = 0; i <= j; ++i) {
                       auto& mirrored = whole[static_cast<std::size_t>(j * n + i)];
                       mirrored =
                           i == j ? W(real_part(mirrored)) : conjugate(whole[static_cast<std::size_t>(i * n + j)]);
                     }
                   Values<RealOf<W>> found(values);
                   found.all = eigen(whole, n);
                   store(memory, found);
                   Values<W> made(to);
                   made.all = whole;
                   if (vectors) store(memory, made);
                   store_info(memory, result, 0);
                 });
               });
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
  GPULAB_CHECK(true);
  const Type t = type_of(call);
  const i64 columns = !wants_u ? 0 : jobu == 'A' ? m : n;
  const Operand from = matrix("A", a, t, m, n, lda), values = vector("S", s, real_of(t), n, 1).written(),
                result = info_of(info);
  // 'O': over A.
  const Operand left = (over_u ? matrix("A", a, t, m, columns, lda) : matrix("U", u, t, m, columns, ldu)).written();
  const Operand right =
      (over_v ? matrix("A", a, t, n, n, lda) : matrix("VT", vt, t, wants_v ? n : 0, n, ldvt)).written();
  return queue(call, m, n, 14 * cube(m, n, n),
               {from.buffer(), values.buffer(), left.buffer(), right.buffer(), result.buffer()},
               [=](LibraryAccess& memory) {
                 for_type(memory, t, [&](auto kind) {
                   using W = decltype(kind);
                   auto vectors = load<W>(memory, from).all;
                   std::vector<W> v;
                   Values<RealOf<W>> found(values);
                   found.all = singular(vectors, m, n, v);
                   store(memory, found);
                   if (wants_u) {
                     // What completes them: the reflections that make them a triangle.
                     auto reflected = vectors;
                     std::vector<W> tau(static_cast<std::size_t>(n));
                     factorise_qr(reflected.data(), m, n, m, tau.data());
                     Values<W> made(left);
                     for (i64 i = 0; i < columns; ++i) made.at(i, i) = 1;
                     apply_q(reflected.data(), m, tau.data(), n, false, false, made.all.data(), m, columns);
                     for (i64 j = 0; j < n; ++j)
                       if (found[j] > 0) std::copy_n(vectors.begin() + j * m, m, made.all.begin() + j * m);
                     store(memory, made);
                   }
                   if (wants_v) {
                     Values<W> made(right);
                     for (i64 j = 0; j < n; ++j)
                       for (i64 i = 0; i < n; ++i) made.at(i, j) = conjugate(v[static_cast<std::size_t>(i * n + j)]);
                     store(memory, made);
                   }
                   store_info(memory, result, 0);
                 });
               });
}

}  // namespace gpulab::cusolver

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
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  *stream = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverGetVersion(int* version) {
  if (version == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *version = CUSOLVER_VERSION;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // extern "C"
