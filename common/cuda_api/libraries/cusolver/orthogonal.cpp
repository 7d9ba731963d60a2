#include <algorithm>
#include <string_view>

#include "common/cuda_api/libraries/cusolver/call.h"
#include "common/cuda_api/libraries/dense/qr.h"

namespace gpulab::cusolver {

Status geqrf(const Call& call, i64 m, i64 n, Out a, i64 lda, Out tau, Out, i64, Out info) {
  if (m < 0) return tell_parameter(call, 1, info);
  if (n < 0) return tell_parameter(call, 2, info);
  if (lda < at_least_one(m)) return tell_parameter(call, 4, info);
  GPULAB_CHECK_HANDLE();
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

}  // namespace gpulab::cusolver
