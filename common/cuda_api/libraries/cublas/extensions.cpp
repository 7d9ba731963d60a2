// What cuBLAS has beside BLAS: sums, transposes, diagonals, packing.

#include <fmt/format.h>

#include "common/cuda_api/libraries/cublas/products.h"

namespace gpulab::cublas {
namespace {

using Layout = Operand::Layout;

template <typename W>
W element(const Values<W>& a, Op op, i64 i, i64 j) {
  const W one = op == CUBLAS_OP_N ? a.at(i, j) : a.at(j, i);
  return op == CUBLAS_OP_C ? conjugate(one) : one;
}

/// From one form of a triangle to another.
Status repack(const Call& call, const Operand& from, const Operand& to, i64 n, bool valid) {
  GPULAB_CHECK(call.check(call.routine(),
                          {{1, valid}, {2, n >= 0}, {5, from.ld >= at_least_one(n) && to.ld >= at_least_one(n)}}));
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Job job{fmt::format("{0} x {0}", n), 0, LibraryUnit::memory};
  return call.queue(job, buffers_of(from, to.written()), [=](LibraryAccess& memory) {
    for_type(from.type, [&](auto kind) {
      using W = decltype(kind);
      Values<W> values(to);
      values.all = load<W>(memory, from).all;
      store(memory, values);
    });
  });
}

}  // namespace

Status geam(const Call& call, Op opa, Op opb, i64 m, i64 n, In alpha, In a, i64 lda, In beta, In b, i64 ldb, Out c,
            i64 ldc) {
  const bool plain_a = opa == CUBLAS_OP_N, plain_b = opb == CUBLAS_OP_N;
  GPULAB_CHECK(call.check(call.routine(), {{1, is_operation(opa)},
                                           {2, is_operation(opb)},
                                           {3, m >= 0},
                                           {4, n >= 0},
                                           {7, lda >= at_least_one(plain_a ? m : n)},
                                           {10, ldb >= at_least_one(plain_b ? m : n)},
                                           {12, ldc >= at_least_one(m)}}));
  // In place works for what is not transposed, of one leading dimension.
  if ((c == a && (!plain_a || lda != ldc)) || (c == b && (!plain_b || ldb != ldc))) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  GPULAB_CHECK(call.check_host("beta", beta));
  const Type t = call.type();
  const Scalar of_a = call.number("alpha", alpha), of_b = call.number("beta", beta);
  const Operand one = matrix("A", a, t, plain_a ? m : n, plain_a ? n : m, lda);
  const Operand other = matrix("B", b, t, plain_b ? m : n, plain_b ? n : m, ldb);
  const Operand to = matrix("C", c, t, m, n, ldc).written();
  auto buffers = buffers_of(to);
  if (of_a.on_device || of_a.value != Complex(0)) buffers.push_back(one.buffer());
  if (of_b.on_device || of_b.value != Complex(0)) buffers.push_back(other.buffer());
  of_a.add_to(buffers);
  of_b.add_to(buffers);
  const Job job{fmt::format("{} x {}", m, n), 1.5 * flops(t) * static_cast<double>(m) * static_cast<double>(n),
                plain_unit(t)};
  return call.queue(job, buffers, [=](LibraryAccess& memory) {
    for_type(memory, t, [&](auto kind) {
      using W = decltype(kind);
      const W x = of_a.get<W>(memory), y = of_b.get<W>(memory);
      const auto left = x != W(0) ? load<W>(memory, one) : Values<W>(Operand());
      const auto right = y != W(0) ? load<W>(memory, other) : Values<W>(Operand());
      Values<W> sum(to);
      for (i64 j = 0; j < n; ++j)
        for (i64 i = 0; i < m; ++i)
          sum.at(i, j) =
              (x != W(0) ? x * element(left, opa, i, j) : W(0)) + (y != W(0) ? y * element(right, opb, i, j) : W(0));
      store(memory, sum);
    });
  });
}

Status dgmm(const Call& call, Side side, i64 m, i64 n, In a, i64 lda, In x, i64 incx, Out c, i64 ldc) {
  GPULAB_CHECK(call.check(
      call.routine(),
      {{1, is_side(side)}, {2, m >= 0}, {3, n >= 0}, {5, lda >= at_least_one(m)}, {9, ldc >= at_least_one(m)}}));
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Type t = call.type();
  const bool left = side == CUBLAS_SIDE_LEFT;
  const Operand from = matrix("A", a, t, m, n, lda), diagonal = vector("x", x, t, left ? m : n, incx);
  const Operand to = matrix("C", c, t, m, n, ldc).written();
  const Job job{fmt::format("{} x {}", m, n), flops(t) / 2 * static_cast<double>(m) * static_cast<double>(n),
                plain_unit(t)};
  return call.queue(job, buffers_of(from, diagonal, to), [=](LibraryAccess& memory) {
    for_type(memory, t, [&](auto kind) {
      using W = decltype(kind);
      const auto values = load<W>(memory, from), by = load<W>(memory, diagonal);
      Values<W> product(to);
      for (i64 j = 0; j < n; ++j)
        for (i64 i = 0; i < m; ++i) product.at(i, j) = values.at(i, j) * by[left ? i : j];
      store(memory, product);
    });
  });
}

Status tpttr(const Call& call, Fill fill, i64 n, In ap, Out a, i64 lda) {
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  Operand from = matrix("AP", ap, call.type(), n, n, at_least_one(n)), to = matrix("A", a, call.type(), n, n, lda);
  from.layout = upper ? Layout::upper_packed : Layout::lower_packed;
  to.layout = upper ? Layout::upper : Layout::lower;
  return repack(call, from, to, n, is_fill(fill));
}

Status trttp(const Call& call, Fill fill, i64 n, In a, i64 lda, Out ap) {
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  Operand from = matrix("A", a, call.type(), n, n, lda), to = matrix("AP", ap, call.type(), n, n, at_least_one(n));
  from.layout = upper ? Layout::upper : Layout::lower;
  to.layout = upper ? Layout::upper_packed : Layout::lower_packed;
  return repack(call, from, to, n, is_fill(fill));
}

}  // namespace gpulab::cublas
