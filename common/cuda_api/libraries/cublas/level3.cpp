// Products with symmetric matrices, and symmetric products: the whole is made, what is asked for is written.

#include <fmt/format.h>

#include <optional>

#include "common/cuda_api/libraries/cublas/products.h"

namespace gpulab::cublas {
namespace {

using Layout = Operand::Layout;

double volume(i64 m, i64 n, i64 k) { return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }

/// The whole of a matrix of which a triangle is stored.
template <typename W>
std::vector<W> whole(const Values<W>& a, bool hermitian) {
  const i64 n = a.operand.columns;
  std::vector<W> made(static_cast<std::size_t>(n * n));
  for (i64 j = 0; j < n; ++j) {
    const Column c = a.operand.column(j);
    for (i64 k = 0; k < c.count; ++k) {
      const i64 i = c.first + k;
      const W one = hermitian && i == j ? W(real_part(a.column(j)[k])) : a.column(j)[k];
      made[static_cast<std::size_t>(j * n + i)] = one;
      if (i != j) made[static_cast<std::size_t>(i * n + j)] = hermitian ? conjugate(one) : one;
    }
  }
  return made;
}

Status symmetric_product(const Call& call, bool hermitian, Side side, Fill fill, i64 m, i64 n, In alpha, In a, i64 lda,
                         In b, i64 ldb, In beta, Out c, i64 ldc) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  const i64 size = left ? m : n;
  GPULAB_CHECK(call.check(call.routine(), {{1, is_side(side)},
                                           {2, is_fill(fill)},
                                           {3, m >= 0},
                                           {4, n >= 0},
                                           {7, lda >= at_least_one(size)},
                                           {9, ldb >= at_least_one(m)},
                                           {12, ldc >= at_least_one(m)}}));
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  GPULAB_CHECK(call.check_host("beta", beta));
  const Type t = call.type();
  const Scalars scalars{call.number("alpha", alpha), call.number("beta", beta)};
  if (scalars.changes_nothing()) return CUBLAS_STATUS_SUCCESS;
  Operand stored = matrix("A", a, t, size, size, lda);
  stored.layout = fill == CUBLAS_FILL_MODE_UPPER ? Layout::upper : Layout::lower;
  const Operand other = matrix("B", b, t, m, n, ldb), to = matrix("C", c, t, m, n, ldc);
  const Job job{fmt::format("{} x {}", m, n), flops(t) * volume(m, n, size), unit_of(call, t)};
  return call.queue(job, product_buffers(scalars, to, {stored, other}, true), [=](LibraryAccess& memory) {
    for_type(memory, t, [&](auto kind) {
      using W = decltype(kind);
      const W by = scalars.alpha.get<W>(memory);
      std::vector<W> sums(static_cast<std::size_t>(m * n));
      const auto all = whole(load<W>(memory, stored), hermitian);
      const auto values = load<W>(memory, other);
      const Factor<W> square{all.data(), 1, size}, rest{values.all.data(), 1, m};
      add_product(m, n, size, left ? square : rest, left ? rest : square, 1, sums.data(), m);
      finish(memory, to, sums, by, scalars.beta.get<W>(memory));
    });
  });
}

/// C = alpha * op(A) * op(B)^T + beta * C, and with `two` alpha * op(B) * op(A)^T beside; of one triangle.
struct RankK {
  bool hermitian, two;
  int first_number;  ///< of ldb: 0 where there is no B
  Type alpha_type, beta_type;
  std::optional<Type> of_a = std::nullopt;  ///< where A's is not that of C
};

Status rank_k(const Call& call, const RankK& what, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In b,
              i64 ldb, In beta, Out c, i64 ldc) {
  const bool plain = op == CUBLAS_OP_N, has_b = what.first_number != 0;
  const i64 rows = plain ? n : k;
  const Type t = call.type();
  // Transposed is conjugated in a Hermitian product, and conjugated is transposed in a symmetric one: seen of an H100.
  GPULAB_CHECK(call.check(call.routine(), {{1, is_fill(fill)},
                                           {2, is_operation(op)},
                                           {3, n >= 0},
                                           {4, k >= 0},
                                           {7, lda >= at_least_one(rows)},
                                           {9, !has_b || ldb >= at_least_one(rows)},
                                           {has_b ? 12 : 10, ldc >= at_least_one(n)}}));
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  GPULAB_CHECK(call.check_host("beta", beta));
  const Scalars scalars{call.number("alpha", alpha, what.alpha_type), call.number("beta", beta, what.beta_type)};
  if (scalars.changes_nothing() || (k == 0 && !scalars.beta.on_device && scalars.beta.value == Complex(1)))
    return CUBLAS_STATUS_SUCCESS;
  const Operand one = matrix("A", a, what.of_a.value_or(t), rows, plain ? k : n, lda);
  const Operand other = has_b ? matrix("B", b, t, rows, plain ? k : n, ldb) : one;
  Operand to = matrix("C", c, t, n, n, ldc);
  to.layout = fill == CUBLAS_FILL_MODE_UPPER ? Layout::upper : Layout::lower;
  const Job job{fmt::format("{} x {}", n, k), flops(t) * volume(n, n, k) * (what.two ? 1 : 0.5), unit_of(call, t)};
  const auto buffers = product_buffers(scalars, to, {one, other}, true);
  return call.queue(job, buffers, [=](LibraryAccess& memory) {
    for_type(memory, t, [&](auto kind) {
      using W = decltype(kind);
      const W by = scalars.alpha.get<W>(memory);
      std::vector<W> sums;
      if (k > 0) {
        sums.resize(static_cast<std::size_t>(n * n));
        const auto x = load<W>(memory, one);
        const auto y = has_b ? load<W>(memory, other) : x;
        const auto left = [&](const Values<W>& v) {
          return plain ? Factor<W>{v.all.data(), 1, rows, false} : Factor<W>{v.all.data(), rows, 1, what.hermitian};
        };
        const auto right = [&](const Values<W>& v) {
          return plain ? Factor<W>{v.all.data(), rows, 1, what.hermitian} : Factor<W>{v.all.data(), 1, rows, false};
        };
        add_product(n, n, k, left(x), right(y), 1, sums.data(), n);
        if (what.two) {
          std::vector<W> mirrored(sums.size());
          add_product(n, n, k, left(y), right(x), 1, mirrored.data(), n);
          const W factor = what.hermitian ? conjugate(by) : by;
          for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = by * sums[i] + factor * mirrored[i];
        }
      }
      finish(memory, to, sums, what.two ? W(1) : by, scalars.beta.get<W>(memory), what.hermitian);
    });
  });
}

}  // namespace

Status symm(const Call& call, Side side, Fill fill, i64 m, i64 n, In alpha, In a, i64 lda, In b, i64 ldb, In beta,
            Out c, i64 ldc) {
  return symmetric_product(call, false, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}
Status hemm(const Call& call, Side side, Fill fill, i64 m, i64 n, In alpha, In a, i64 lda, In b, i64 ldb, In beta,
            Out c, i64 ldc) {
  return symmetric_product(call, true, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}
Status syrk(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In beta, Out c, i64 ldc) {
  const Type t = call.type();
  return rank_k(call, {false, false, 0, t, t}, fill, op, n, k, alpha, a, lda, nullptr, 0, beta, c, ldc);
}
Status herk(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In beta, Out c, i64 ldc) {
  const Type t = call.real_type();
  return rank_k(call, {true, false, 0, t, t}, fill, op, n, k, alpha, a, lda, nullptr, 0, beta, c, ldc);
}
/// Of C_8I or C_32F, into C_32F.
static bool takes(Type of_a, Type of_c) { return (of_a == CUDA_C_8I || of_a == CUDA_C_32F) && of_c == CUDA_C_32F; }
Status syrk_ex(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, Type of_a, i64 lda, In beta, Out c,
               Type of_c, i64 ldc) {
  GPULAB_CHECK(call.check(call.routine(), {}));
  if (!takes(of_a, of_c)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return rank_k(call, {false, false, 0, CUDA_C_32F, CUDA_C_32F, of_a}, fill, op, n, k, alpha, a, lda, nullptr, 0, beta,
                c, ldc);
}
Status herk_ex(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, Type of_a, i64 lda, In beta, Out c,
               Type of_c, i64 ldc) {
  GPULAB_CHECK(call.check(call.routine(), {}));
  if (!takes(of_a, of_c)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return rank_k(call, {true, false, 0, CUDA_R_32F, CUDA_R_32F, of_a}, fill, op, n, k, alpha, a, lda, nullptr, 0, beta,
                c, ldc);
}
Status syr2k(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb, In beta, Out c,
             i64 ldc) {
  const Type t = call.type();
  return rank_k(call, {false, true, 9, t, t}, fill, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
Status her2k(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb, In beta, Out c,
             i64 ldc) {
  return rank_k(call, {true, true, 9, call.type(), call.real_type()}, fill, op, n, k, alpha, a, lda, b, ldb, beta, c,
                ldc);
}
Status syrkx(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb, In beta, Out c,
             i64 ldc) {
  const Type t = call.type();
  return rank_k(call, {false, false, 9, t, t}, fill, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
Status herkx(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb, In beta, Out c,
             i64 ldc) {
  return rank_k(call, {true, false, 9, call.type(), call.real_type()}, fill, op, n, k, alpha, a, lda, b, ldb, beta, c,
                ldc);
}

}  // namespace gpulab::cublas
