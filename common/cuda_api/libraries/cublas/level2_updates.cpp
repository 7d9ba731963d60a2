// Updates of a matrix by vectors: of rank 1 and 2.

#include <fmt/format.h>

#include "common/cuda_api/libraries/cublas/functions.h"

namespace gpulab::cublas {
namespace {

using Layout = Operand::Layout;

/// What an update adds to element (i, j).
enum class Kind { plain, conjugated, symmetric, hermitian, symmetric2, hermitian2 };

bool is_hermitian(Kind kind) { return kind == Kind::hermitian || kind == Kind::hermitian2; }

struct Update {
  Kind kind;
  template <typename W>
  W term(const W& alpha, const Values<W>& x, const Values<W>& y, i64 i, i64 j) const {
    switch (kind) {
      case Kind::plain:
        return alpha * x[i] * y[j];
      case Kind::conjugated:
        return alpha * x[i] * conjugate(y[j]);
      case Kind::symmetric:
        return alpha * x[i] * x[j];
      case Kind::hermitian:
        return alpha * x[i] * conjugate(x[j]);
      case Kind::symmetric2:
        return alpha * x[i] * y[j] + alpha * y[i] * x[j];
      case Kind::hermitian2:
        return alpha * x[i] * conjugate(y[j]) + conjugate(alpha) * y[i] * conjugate(x[j]);
    }
    return 0;
  }
  template <typename W>
  void operator()(const W& alpha, const Values<W>& x, const Values<W>& y, Values<W>& a) const {
    for (i64 j = 0; j < a.operand.columns; ++j) {
      const Column c = a.operand.column(j);
      W* column = a.column(j);
      for (i64 k = 0; k < c.count; ++k) {
        column[k] += term(alpha, x, y, c.first + k, j);
        if (is_hermitian(kind) && c.first + k == j) column[k] = real_part(column[k]);
      }
    }
  }
};

/// `y` without a name: there is one vector.
Status update(const Call& call, Kind kind, In alpha, Type alpha_type, const Operand& x, const Operand& y,
              const Operand& a, double operations, std::initializer_list<Call::Rule> rules) {
  GPULAB_CHECK(call.check(call.routine(), rules));
  if (a.is_empty()) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  const Scalar factor = call.number("alpha", alpha, alpha_type);
  if (!factor.on_device && factor.value == Complex(0)) return CUBLAS_STATUS_SUCCESS;
  const Operand to = a.changed();
  auto buffers = buffers_of(x, to);
  if (!y.name.empty()) buffers.push_back(y.buffer());
  factor.add_to(buffers);
  const Job job{fmt::format("{} x {}", a.rows, a.columns), operations * flops(a.type), plain_unit(a.type)};
  return call.queue(job, buffers, [=](LibraryAccess& memory) {
    for_type(memory, a.type, [&](auto zero) {
      using W = decltype(zero);
      auto values = load<W>(memory, to);
      Update{kind}(factor.get<W>(memory), load<W>(memory, x), y.name.empty() ? Values<W>(y) : load<W>(memory, y),
                   values);
      store(memory, values);
    });
  });
}

Status rank1(const Call& call, Kind kind, i64 m, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out a, i64 lda) {
  const Type t = call.type();
  return update(call, kind, alpha, t, vector("x", x, t, m, incx), vector("y", y, t, n, incy),
                matrix("A", a, t, m, n, lda), static_cast<double>(m) * static_cast<double>(n),
                {{1, m >= 0}, {2, n >= 0}, {5, incx != 0}, {7, incy != 0}, {9, lda >= at_least_one(m)}});
}

/// Of a triangle; lda of 0: packed.
Status triangle(const Call& call, Kind kind, Fill fill, i64 n, In alpha, In x, i64 incx, In y, i64 incy, bool two,
                Out a, i64 lda, bool is_packed) {
  const Type t = call.type();
  Operand to = matrix(is_packed ? "AP" : "A", a, t, n, n, is_packed ? n : lda);
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  to.layout = is_packed ? (upper ? Layout::upper_packed : Layout::lower_packed) : upper ? Layout::upper : Layout::lower;
  const Type alpha_type = kind == Kind::hermitian ? real_of(t) : t;
  return update(call, kind, alpha, alpha_type, vector("x", x, t, n, incx), two ? vector("y", y, t, n, incy) : Operand(),
                to, (two ? 1 : 0.5) * static_cast<double>(n) * static_cast<double>(n),
                {{1, is_fill(fill)},
                 {2, n >= 0},
                 {5, incx != 0},
                 {7, two ? incy != 0 : is_packed || lda >= at_least_one(n)},
                 {9, !two || is_packed || lda >= at_least_one(n)}});
}

}  // namespace

Status ger(const Call& call, i64 m, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out a, i64 lda) {
  return rank1(call, Kind::plain, m, n, alpha, x, incx, y, incy, a, lda);
}
Status gerc(const Call& call, i64 m, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out a, i64 lda) {
  return rank1(call, Kind::conjugated, m, n, alpha, x, incx, y, incy, a, lda);
}
Status syr(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, Out a, i64 lda) {
  return triangle(call, Kind::symmetric, fill, n, alpha, x, incx, nullptr, 1, false, a, lda, false);
}
Status her(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, Out a, i64 lda) {
  return triangle(call, Kind::hermitian, fill, n, alpha, x, incx, nullptr, 1, false, a, lda, false);
}
Status spr(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, Out ap) {
  return triangle(call, Kind::symmetric, fill, n, alpha, x, incx, nullptr, 1, false, ap, 0, true);
}
Status hpr(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, Out ap) {
  return triangle(call, Kind::hermitian, fill, n, alpha, x, incx, nullptr, 1, false, ap, 0, true);
}
Status syr2(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out a, i64 lda) {
  return triangle(call, Kind::symmetric2, fill, n, alpha, x, incx, y, incy, true, a, lda, false);
}
Status her2(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out a, i64 lda) {
  return triangle(call, Kind::hermitian2, fill, n, alpha, x, incx, y, incy, true, a, lda, false);
}
Status spr2(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out ap) {
  return triangle(call, Kind::symmetric2, fill, n, alpha, x, incx, y, incy, true, ap, 0, true);
}
Status hpr2(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out ap) {
  return triangle(call, Kind::hermitian2, fill, n, alpha, x, incx, y, incy, true, ap, 0, true);
}

}  // namespace gpulab::cublas
