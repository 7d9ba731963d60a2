// A matrix and a vector: products and solves. A matrix is its columns, as they are stored; a symmetric one is the
// triangle that is read, and its mirror.

#include <fmt/format.h>

#include <algorithm>

#include "common/cuda_api/libraries/cublas/functions.h"

namespace gpulab::cublas {
namespace {

using Layout = Operand::Layout;

std::string square(i64 n) { return fmt::format("{0} x {0}", n); }

/// y = beta * y, where beta of 0 does not read it.
template <typename W>
Values<W> scaled(LibraryAccess& memory, const Operand& y, W beta) {
  if (beta == W(0)) return Values<W>(y);
  auto values = load<W>(memory, y);
  if (beta != W(1))
    for (W& one : values.all) one *= beta;
  return values;
}

struct Scalars {
  Scalar alpha, beta;
};

/// What an alpha of 0 that the host knows means (seen on an H100): A and x are not read, or their products are made and
/// multiplied by it, where beta is 1 or not, so that their NaNs come through.
enum class ByZero { reads_nothing, multiplies, multiplies_always };

/// y = alpha * (what `apply` makes of A and x) + beta * y. In host pointer mode the scalars say what is read at all.
template <typename Apply>
Status product(const Call& call, const Job& job, const Scalars& scalars, const Operand& a, const Operand& x, Operand y,
               ByZero by_zero, const Apply& apply) {
  const bool known = !scalars.alpha.on_device;
  const bool zero = known && scalars.alpha.value == Complex(0), nothing = zero && by_zero == ByZero::reads_nothing;
  if (zero && scalars.beta.value == Complex(1) && by_zero != ByZero::multiplies_always) return CUBLAS_STATUS_SUCCESS;
  y = known && scalars.beta.value == Complex(0) ? y.written() : y.changed();
  std::vector<LibraryBuffer> buffers{y.buffer()};
  if (!nothing) buffers.push_back(a.buffer());
  if (!nothing) buffers.push_back(x.buffer());
  scalars.alpha.add_to(buffers);
  scalars.beta.add_to(buffers);
  return call.queue(job, buffers, [=](LibraryAccess& memory) {
    for_type(memory, a.type, [&](auto kind) {
      using W = decltype(kind);
      const W alpha = scalars.alpha.get<W>(memory);
      auto to = scaled(memory, y, scalars.beta.get<W>(memory));
      if (alpha != W(0) || by_zero != ByZero::reads_nothing) {
        std::vector<W> sums(to.all.size());
        apply(load<W>(memory, a), load<W>(memory, x), sums);
        for (std::size_t i = 0; i < sums.size(); ++i) to.all[i] += alpha * sums[i];
      }
      store(memory, to);
    });
  });
}

/// Of A as it is stored, or transposed.
struct General {
  Op op;
  template <typename W>
  void operator()(const Values<W>& a, const Values<W>& x, std::vector<W>& y) const {
    for (i64 j = 0; j < a.operand.columns; ++j) {
      const Column c = a.operand.column(j);
      const W* column = a.column(j);
      if (op == CUBLAS_OP_N) {
        const W factor = x[j];
        for (i64 i = 0; i < c.count; ++i) y[static_cast<std::size_t>(c.first + i)] += column[i] * factor;
      } else {
        W sum = 0;
        for (i64 i = 0; i < c.count; ++i)
          sum += (op == CUBLAS_OP_C ? conjugate(column[i]) : column[i]) * x[c.first + i];
        y[static_cast<std::size_t>(j)] += sum;
      }
    }
  }
};

/// Of a triangle and its mirror; of a Hermitian one the diagonal is real.
struct Mirrored {
  bool hermitian;
  template <typename W>
  void operator()(const Values<W>& a, const Values<W>& x, std::vector<W>& y) const {
    for (i64 j = 0; j < a.operand.columns; ++j) {
      const Column c = a.operand.column(j);
      const W* column = a.column(j);
      for (i64 k = 0; k < c.count; ++k) {
        const i64 i = c.first + k;
        W one = column[k];
        if (hermitian && i == j) one = real_part(one);
        y[static_cast<std::size_t>(i)] += one * x[j];
        if (i != j) y[static_cast<std::size_t>(j)] += (hermitian ? conjugate(one) : one) * x[i];
      }
    }
  }
};

/// Symmetric, neither a band nor packed.
bool is_whole(const Operand& a) { return a.layout == Operand::Layout::upper || a.layout == Operand::Layout::lower; }

Status mirrored(const Call& call, bool hermitian, const Operand& a, i64 n, In alpha, In x, i64 incx, In beta, Out y,
                i64 incy, std::initializer_list<Call::Rule> rules) {
  GPULAB_CHECK(call.check(call.routine(), rules));
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  GPULAB_CHECK(call.check_host("beta", beta));
  const Type t = call.type();
  const Job job{square(n), flops(t) * static_cast<double>(n) * static_cast<double>(n), plain_unit(t)};
  return product(call, job, {call.number("alpha", alpha), call.number("beta", beta)}, a, vector("x", x, t, n, incx),
                 vector("y", y, t, n, incy), is_whole(a) ? ByZero::multiplies_always : ByZero::multiplies,
                 Mirrored{hermitian});
}

Operand triangle(const Call& call, const char* name, In a, i64 n, i64 lda, Fill fill) {
  Operand made = matrix(name, a, call.type(), n, n, lda);
  made.layout = fill == CUBLAS_FILL_MODE_UPPER ? Layout::upper : Layout::lower;
  return made;
}
Operand band(const Call& call, const char* name, In a, i64 n, i64 k, i64 lda, Fill fill) {
  Operand made = matrix(name, a, call.type(), n, n, lda);
  made.layout = Layout::band;
  (fill == CUBLAS_FILL_MODE_UPPER ? made.above : made.below) = std::min(k, n);
  // A band's diagonal lies in row k of its columns, for all that its matrix is smaller.
  if (fill == CUBLAS_FILL_MODE_UPPER && k > n)
    made.address += static_cast<std::uint64_t>((k - n) * bytes_of(made.type));
  return made;
}
Operand packed(const Call& call, const char* name, In a, i64 n, Fill fill) {
  Operand made = matrix(name, a, call.type(), n, n, n);
  made.layout = fill == CUBLAS_FILL_MODE_UPPER ? Layout::upper_packed : Layout::lower_packed;
  return made;
}

/// x = op(A) x, or what gives x by op(A).
struct Triangular {
  Op op;
  bool unit, solves;

  template <typename W>
  void operator()(const Values<W>& a, std::vector<W>& x) const {
    const bool upper =
        a.operand.layout == Layout::upper || a.operand.layout == Layout::upper_packed || a.operand.above > 0;
    // By columns for A itself, by sums for its transposed: from where nothing is needed any more that has changed.
    const bool ascending = (op == CUBLAS_OP_N) == (upper != solves);
    const i64 n = a.operand.columns;
    for (i64 step = 0; step < n; ++step) one(a, x, ascending ? step : n - 1 - step);
  }

 private:
  template <typename W>
  void one(const Values<W>& a, std::vector<W>& x, i64 j) const {
    const Column c = a.operand.column(j);
    const W* column = a.column(j);
    const auto flip = [&](W value) { return op == CUBLAS_OP_C ? conjugate(value) : value; };
    const W diagonal = unit ? W(1) : flip(column[j - c.first]);
    auto& mine = x[static_cast<std::size_t>(j)];
    if (op == CUBLAS_OP_N) {
      if (solves && !unit) mine = mine / diagonal;
      const W factor = solves ? -mine : mine;
      for (i64 k = 0; k < c.count; ++k)
        if (c.first + k != j) x[static_cast<std::size_t>(c.first + k)] += column[k] * factor;
      if (!solves && !unit) mine *= diagonal;
      return;
    }
    W sum = 0;
    for (i64 k = 0; k < c.count; ++k)
      if (c.first + k != j) sum += flip(column[k]) * x[static_cast<std::size_t>(c.first + k)];
    if (solves)
      mine = unit ? mine - sum : (mine - sum) / diagonal;
    else
      mine = (unit ? mine : mine * diagonal) + sum;
  }
};

Status triangular(const Call& call, bool solves, Operand a, Op op, Diag diag, i64 n, Out x, i64 incx,
                  std::initializer_list<Call::Rule> rules) {
  GPULAB_CHECK(call.check(call.routine(), rules));
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Type t = call.type();
  const Operand to = vector("x", x, t, n, incx).changed();
  const Job job{square(n), flops(t) / 2 * static_cast<double>(n) * static_cast<double>(n), plain_unit(t)};
  const Triangular apply{op, diag == CUBLAS_DIAG_UNIT, solves};
  return call.queue(job, buffers_of(a, to), [=](LibraryAccess& memory) {
    for_type(memory, t, [&](auto kind) {
      using W = decltype(kind);
      auto values = load<W>(memory, to);
      apply(load<W>(memory, a), values.all);
      store(memory, values);
    });
  });
}

}  // namespace

Status gemv(const Call& call, Op op, i64 m, i64 n, In alpha, In a, i64 lda, In x, i64 incx, In beta, Out y, i64 incy) {
  // As on an H100: sizes below 1 are nothing to do, whatever else is wrong.
  GPULAB_CHECK(call.check("", {}));
  if (m <= 0 || n <= 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check(call.routine(),
                          {{1, is_operation(op)}, {6, lda >= at_least_one(m)}, {8, incx != 0}, {11, incy != 0}}));
  GPULAB_CHECK(call.check_host("alpha", alpha));
  GPULAB_CHECK(call.check_host("beta", beta));
  const Type t = call.type();
  const bool plain = op == CUBLAS_OP_N;
  const Job job{fmt::format("{} x {}", m, n), flops(t) * static_cast<double>(m) * static_cast<double>(n),
                plain_unit(t)};
  return product(call, job, {call.number("alpha", alpha), call.number("beta", beta)}, matrix("A", a, t, m, n, lda),
                 vector("x", x, t, plain ? n : m, incx), vector("y", y, t, plain ? m : n, incy), ByZero::reads_nothing,
                 General{op});
}

Status gbmv(const Call& call, Op op, i64 m, i64 n, i64 kl, i64 ku, In alpha, In a, i64 lda, In x, i64 incx, In beta,
            Out y, i64 incy) {
  GPULAB_CHECK(call.check(call.routine(), {{1, is_operation(op)},
                                           {2, m >= 0},
                                           {3, n >= 0},
                                           {4, kl >= 0},
                                           {5, ku >= 0},
                                           {8, lda >= kl + ku + 1},
                                           {10, incx != 0},
                                           {13, incy != 0}}));
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  GPULAB_CHECK(call.check_host("beta", beta));
  const Type t = call.type();
  Operand stored = matrix("A", a, t, m, n, lda);
  stored.layout = Layout::band;
  stored.below = kl;
  stored.above = ku;
  const bool plain = op == CUBLAS_OP_N;
  const Job job{fmt::format("{} x {}, {} diagonals", m, n, kl + ku + 1),
                flops(t) * static_cast<double>(n) * static_cast<double>(std::min(m, kl + ku + 1)), plain_unit(t)};
  return product(call, job, {call.number("alpha", alpha), call.number("beta", beta)}, stored,
                 vector("x", x, t, plain ? n : m, incx), vector("y", y, t, plain ? m : n, incy), ByZero::multiplies,
                 General{op});
}

Status symv(const Call& call, Fill fill, i64 n, In alpha, In a, i64 lda, In x, i64 incx, In beta, Out y, i64 incy) {
  return mirrored(call, false, triangle(call, "A", a, n, lda, fill), n, alpha, x, incx, beta, y, incy,
                  {{1, is_fill(fill)}, {2, n >= 0}, {5, lda >= at_least_one(n)}, {7, incx != 0}, {10, incy != 0}});
}
Status hemv(const Call& call, Fill fill, i64 n, In alpha, In a, i64 lda, In x, i64 incx, In beta, Out y, i64 incy) {
  return mirrored(call, true, triangle(call, "A", a, n, lda, fill), n, alpha, x, incx, beta, y, incy,
                  {{1, is_fill(fill)}, {2, n >= 0}, {5, lda >= at_least_one(n)}, {7, incx != 0}, {10, incy != 0}});
}
Status sbmv(const Call& call, Fill fill, i64 n, i64 k, In alpha, In a, i64 lda, In x, i64 incx, In beta, Out y,
            i64 incy) {
  return mirrored(call, false, band(call, "A", a, n, k, lda, fill), n, alpha, x, incx, beta, y, incy,
                  {{1, is_fill(fill)}, {2, n >= 0}, {3, k >= 0}, {6, lda > k}, {8, incx != 0}, {11, incy != 0}});
}
Status hbmv(const Call& call, Fill fill, i64 n, i64 k, In alpha, In a, i64 lda, In x, i64 incx, In beta, Out y,
            i64 incy) {
  return mirrored(call, true, band(call, "A", a, n, k, lda, fill), n, alpha, x, incx, beta, y, incy,
                  {{1, is_fill(fill)}, {2, n >= 0}, {3, k >= 0}, {6, lda > k}, {8, incx != 0}, {11, incy != 0}});
}
Status spmv(const Call& call, Fill fill, i64 n, In alpha, In ap, In x, i64 incx, In beta, Out y, i64 incy) {
  return mirrored(call, false, packed(call, "AP", ap, n, fill), n, alpha, x, incx, beta, y, incy,
                  {{1, is_fill(fill)}, {2, n >= 0}, {6, incx != 0}, {9, incy != 0}});
}
Status hpmv(const Call& call, Fill fill, i64 n, In alpha, In ap, In x, i64 incx, In beta, Out y, i64 incy) {
  return mirrored(call, true, packed(call, "AP", ap, n, fill), n, alpha, x, incx, beta, y, incy,
                  {{1, is_fill(fill)}, {2, n >= 0}, {6, incx != 0}, {9, incy != 0}});
}

#define GPULAB_TRIANGULAR(full, banded, packed_one, solves)                                                    \
  Status full(const Call& call, Fill fill, Op op, Diag diag, i64 n, In a, i64 lda, Out x, i64 incx) {          \
    return triangular(call, solves, triangle(call, "A", a, n, lda, fill), op, diag, n, x, incx,                \
                      {{1, is_fill(fill)},                                                                     \
                       {2, is_operation(op)},                                                                  \
                       {3, is_diagonal(diag)},                                                                 \
                       {4, n >= 0},                                                                            \
                       {6, lda >= at_least_one(n)},                                                            \
                       {8, incx != 0}});                                                                       \
  }                                                                                                            \
  Status banded(const Call& call, Fill fill, Op op, Diag diag, i64 n, i64 k, In a, i64 lda, Out x, i64 incx) { \
    return triangular(call, solves, band(call, "A", a, n, k, lda, fill), op, diag, n, x, incx,                 \
                      {{1, is_fill(fill)},                                                                     \
                       {2, is_operation(op)},                                                                  \
                       {3, is_diagonal(diag)},                                                                 \
                       {4, n >= 0},                                                                            \
                       {5, k >= 0},                                                                            \
                       {7, lda > k},                                                                           \
                       {9, incx != 0}});                                                                       \
  }                                                                                                            \
  Status packed_one(const Call& call, Fill fill, Op op, Diag diag, i64 n, In ap, Out x, i64 incx) {            \
    return triangular(                                                                                         \
        call, solves, packed(call, "AP", ap, n, fill), op, diag, n, x, incx,                                   \
        {{1, is_fill(fill)}, {2, is_operation(op)}, {3, is_diagonal(diag)}, {4, n >= 0}, {7, incx != 0}});     \
  }
GPULAB_TRIANGULAR(trmv, tbmv, tpmv, false)
GPULAB_TRIANGULAR(trsv, tbsv, tpsv, true)
#undef GPULAB_TRIANGULAR

}  // namespace gpulab::cublas
