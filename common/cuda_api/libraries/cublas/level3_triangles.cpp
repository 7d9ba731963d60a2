// trmm, trsm, and trsm of many.

#include <fmt/format.h>

#include <initializer_list>
#include <vector>

#include "common/cuda_api/libraries/cublas/pointer_arrays.h"
#include "common/cuda_api/libraries/cublas/products.h"
#include "common/cuda_api/libraries/products/triangles.h"

namespace gpulab::cublas {
namespace {

struct Problem {
  Side side;
  Fill fill;
  Op op;
  Diag diag;
  i64 m, n;
  [[nodiscard]] bool left() const { return side == CUBLAS_SIDE_LEFT; }
  [[nodiscard]] i64 size() const { return left() ? m : n; }
};

Operand stored(const Problem& p, In a, Type t, i64 lda) {
  Operand made = matrix("A", a, t, p.size(), p.size(), lda);
  made.layout = p.fill == CUBLAS_FILL_MODE_UPPER ? Operand::Layout::upper : Operand::Layout::lower;
  return made;
}

/// alpha * op(A) * B or B * op(A), or what these make alpha * B of. From the right it is the transposed problem.
template <typename W>
void compute(const Problem& p, bool solves, const Values<W>& a, Values<W>& b, W alpha) {
  for (W& one : b.all) one *= alpha;
  const bool turned = (p.op != CUBLAS_OP_N) == p.left();
  const Triangle<W> t(a, p.fill == CUBLAS_FILL_MODE_UPPER, turned, p.op == CUBLAS_OP_C, p.diag == CUBLAS_DIAG_UNIT);
  if (!p.left()) b.all = transposed(b.all, p.m, p.n);
  const i64 columns = p.left() ? p.n : p.m;
  solves ? solve(t, b.all.data(), columns) : multiply(t, b.all.data(), columns);
  if (!p.left()) b.all = transposed(b.all, p.n, p.m);
}

/// What all three check of their first arguments, at the places where these stand.
Status check(const Call& call, const Problem& p, i64 lda, i64 ldb, std::initializer_list<Call::Rule> others) {
  std::vector<Call::Rule> rules{{1, is_side(p.side)},
                                {2, is_fill(p.fill)},
                                {3, is_operation(p.op)},
                                {4, is_diagonal(p.diag)},
                                {5, p.m >= 0},
                                {6, p.n >= 0},
                                {9, lda >= at_least_one(p.size())},
                                {11, ldb >= at_least_one(p.m)}};
  rules.insert(rules.end(), others);
  return call.check(call.routine(), rules);
}

std::string shape_of(const Problem& p) { return fmt::format("{} x {}", p.m, p.n); }

double operations_of(const Problem& p, Type t) {
  return flops(t) / 2 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.size());
}

}  // namespace

Status trmm(const Call& call, Side side, Fill fill, Op op, Diag diag, i64 m, i64 n, In alpha, In a, i64 lda, In b,
            i64 ldb, Out c, i64 ldc) {
  const Problem p{side, fill, op, diag, m, n};
  GPULAB_CHECK(check(call, p, lda, ldb, {{13, ldc >= at_least_one(m)}}));
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  const Type t = call.type();
  const Scalar by = call.number("alpha", alpha);
  const bool nothing = !by.on_device && by.value == Complex(0);
  const Operand triangle = stored(p, a, t, lda), from = matrix("B", b, t, m, n, ldb);
  const Operand to = matrix("C", c, t, m, n, ldc).written();
  auto buffers = nothing ? buffers_of(to) : buffers_of(triangle, from, to);
  by.add_to(buffers);
  return call.queue({shape_of(p), operations_of(p, t), unit_of(call, t)}, buffers, [=](LibraryAccess& memory) {
    for_type(memory, t, [&](auto kind) {
      using W = decltype(kind);
      const W factor = by.get<W>(memory);
      Values<W> result(to);
      if (factor != W(0)) {
        result.all = load<W>(memory, from).all;
        compute(p, false, load<W>(memory, triangle), result, factor);
      }
      store(memory, result);
    });
  });
}

Status trsm(const Call& call, Side side, Fill fill, Op op, Diag diag, i64 m, i64 n, In alpha, In a, i64 lda, Out b,
            i64 ldb) {
  const Problem p{side, fill, op, diag, m, n};
  GPULAB_CHECK(check(call, p, lda, ldb, {}));
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  const Type t = call.type();
  const Scalar by = call.number("alpha", alpha);
  const bool nothing = !by.on_device && by.value == Complex(0);
  const Operand triangle = stored(p, a, t, lda), whole = matrix("B", b, t, m, n, ldb);
  const Operand to = nothing ? whole.written() : whole.changed();
  auto buffers = nothing ? buffers_of(to) : buffers_of(triangle, to);
  by.add_to(buffers);
  return call.queue({shape_of(p), operations_of(p, t), unit_of(call, t)}, buffers, [=](LibraryAccess& memory) {
    for_type(memory, t, [&](auto kind) {
      using W = decltype(kind);
      const W factor = by.get<W>(memory);
      auto values = factor == W(0) ? Values<W>(to) : load<W>(memory, to);
      if (factor != W(0)) compute(p, true, load<W>(memory, triangle), values, factor);
      store(memory, values);
    });
  });
}

Status trsm_batched(const Call& call, Side side, Fill fill, Op op, Diag diag, i64 m, i64 n, In alpha, In a, i64 lda,
                    In b, i64 ldb, i64 batch) {
  const Problem p{side, fill, op, diag, m, n};
  GPULAB_CHECK(check(call, p, lda, ldb, {{12, batch >= 0}}));
  if (m == 0 || n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  const Type t = call.type();
  const Scalar by = call.number("alpha", alpha);
  const PointerArrays arrays({{"A", a}, {"B", b}}, batch);
  auto buffers = arrays.buffers();
  by.add_to(buffers);
  const Job job{fmt::format("{}, {} times", shape_of(p), batch), operations_of(p, t) * static_cast<double>(batch),
                plain_unit(t)};
  return call.queue(job, buffers, [=](LibraryAccess& memory) {
    const auto places = arrays.load(memory);
    Operand triangle = stored(p, nullptr, t, lda), to = matrix("B", nullptr, t, m, n, ldb).changed();
    for (std::size_t i = 0; i < places[0].size(); ++i) {
      triangle.address = places[0][i], to.address = places[1][i];
      memory.use(buffers_of(triangle, to));
      for_type(memory, t, [&](auto kind) {
        using W = decltype(kind);
        auto values = load<W>(memory, to);
        compute(p, true, load<W>(memory, triangle), values, by.get<W>(memory));
        store(memory, values);
      });
    }
  });
}

}  // namespace gpulab::cublas
