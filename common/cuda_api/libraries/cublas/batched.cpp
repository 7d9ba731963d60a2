// Many products of one call: of groups that differ, and of matrices with vectors.

#include <fmt/format.h>

#include <string_view>

#include "common/cuda_api/libraries/cublas/gemm.h"

namespace gpulab::cublas {
namespace {

struct Gemv {
  Op op;
  i64 m, n;
  i64 lda, incx, incy;
  Type from, to;
  i64 batch, sa = 0, sx = 0, sy = 0;
  [[nodiscard]] bool plain() const { return op == CUBLAS_OP_N; }
  [[nodiscard]] Operand of(Operand o, i64 stride) const {
    o.batch = batch;
    o.batch_stride = stride;
    return o;
  }
  [[nodiscard]] Operand a(In p) const { return of(matrix("A", p, from, m, n, lda), sa); }
  [[nodiscard]] Operand x(In p) const { return of(vector("x", p, from, plain() ? n : m, incx), sx); }
  [[nodiscard]] Operand y(In p) const { return of(vector("y", p, to, plain() ? m : n, incy), sy); }
};

template <typename W>
void multiply(LibraryAccess& memory, const Gemv& g, const Operand& a, const Operand& x, const Operand& y, W alpha,
              W beta, i64 index) {
  auto to = beta == W(0) ? Values<W>(y) : load<W>(memory, y, index);
  for (W& one : to.all) one = beta == W(0) ? W(0) : beta * one;
  if (alpha != W(0)) {
    const auto matrix = load<W>(memory, a, index), vector = load<W>(memory, x, index);
    for (i64 j = 0; j < g.n; ++j)
      for (i64 i = 0; i < g.m; ++i) {
        const W one = g.op == CUBLAS_OP_C ? conjugate(matrix.at(i, j)) : matrix.at(i, j);
        if (g.plain())
          to[i] += alpha * one * vector[j];
        else
          to[j] += alpha * one * vector[i];
      }
  }
  store(memory, to, index);
}

Status check(const Call& call, const Gemv& g) {
  return call.check(call.routine(), {{1, is_operation(g.op)},
                                     {2, g.m >= 0},
                                     {3, g.n >= 0},
                                     {6, g.lda >= at_least_one(g.m)},
                                     {8, g.incx != 0},
                                     {11, g.incy != 0},
                                     {12, g.batch >= 0}});
}

Job job_of(const Gemv& g) {
  return {fmt::format("{} x {}, {} times", g.m, g.n, g.batch),
          flops(g.from) * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.batch),
          plain_unit(g.from)};
}

/// Of "HSH": A and x in half, y in half; of "TSS": bf16 and float. Scalars are float there.
void types_of(const Call& call, Type& from, Type& to, Type& scalars) {
  const std::string_view letters = call.letters;
  from = to = scalars = call.type();
  if (letters.size() < 3) return;
  from = letters[0] == 'H' ? CUDA_R_16F : CUDA_R_16BF;
  to = letters[2] == 'S' ? CUDA_R_32F : from;
  scalars = CUDA_R_32F;
}

i64 number_at(const Call& call, In array, i64 index) {
  return call.wide ? static_cast<const std::int64_t*>(array)[index] : static_cast<const std::int32_t*>(array)[index];
}

struct Grouped {
  In a, b, c;
  Type at, bt, ct, scalars;
  In m, n, k, lda, ldb, ldc, alpha, beta, sizes;
  const Op *opa, *opb;
  i64 groups;
};

Status grouped(const Call& call, const Grouped& all, cublasComputeType_t compute) {
  GPULAB_CHECK(call.check(call.routine(), {{14, all.groups >= 0}}));
  i64 first = 0;
  for (i64 group = 0; group < all.groups; ++group) {
    const auto at = [&](In array) { return number_at(call, array, group); };
    const auto pointers = [&](In array) { return static_cast<const char*>(array) + first * i64{sizeof(void*)}; };
    const Gemm g{all.opa[group], all.opb[group],  at(all.m),       at(all.n),
                 at(all.k),      pointers(all.a), pointers(all.b), const_cast<char*>(pointers(all.c)),
                 at(all.lda),    at(all.ldb),     at(all.ldc),     all.at,
                 all.bt,         all.ct,          at(all.sizes)};
    GPULAB_CHECK(check(call, g, {8, 10, 13, 15}));
    if (!is_supported(g, compute)) return CUBLAS_STATUS_NOT_SUPPORTED;
    const i64 size = bytes_of(all.scalars);
    GPULAB_CHECK(queue_pointers(call, g, static_cast<const char*>(all.alpha) + group * size,
                                static_cast<const char*>(all.beta) + group * size, all.scalars,
                                unit_for(call, compute, all.at)));
    first += g.batch;
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

Status gemv_strided(const Call& call, Op op, i64 m, i64 n, In alpha, In a, i64 lda, i64 sa, In x, i64 incx, i64 sx,
                    In beta, Out y, i64 incy, i64 sy, i64 batch) {
  Gemv g{op, m, n, lda, incx, incy, CUDA_R_32F, CUDA_R_32F, batch, sa, sx, sy};
  Type scalars_type{};
  types_of(call, g.from, g.to, scalars_type);
  GPULAB_CHECK(check(call, g));
  if (m == 0 || n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  GPULAB_CHECK(call.check_host("beta", beta));
  const Scalars scalars{call.number("alpha", alpha, scalars_type), call.number("beta", beta, scalars_type)};
  if (scalars.changes_nothing()) return CUBLAS_STATUS_SUCCESS;
  const Operand matrix = g.a(a), from = g.x(x), to = g.y(y);
  return call.queue(job_of(g), product_buffers(scalars, to, {matrix, from}), [=](LibraryAccess& memory) {
    for_type(memory, g.from, [&](auto kind) {
      using W = decltype(kind);
      const W by = scalars.alpha.get<W>(memory), kept = scalars.beta.get<W>(memory);
      for (i64 i = 0; i < batch; ++i) multiply(memory, g, matrix, from, to, by, kept, i);
    });
  });
}

Status gemv_batched(const Call& call, Op op, i64 m, i64 n, In alpha, In a, i64 lda, In x, i64 incx, In beta, In y,
                    i64 incy, i64 batch) {
  Gemv g{op, m, n, lda, incx, incy, CUDA_R_32F, CUDA_R_32F, batch};
  Type scalars_type{};
  types_of(call, g.from, g.to, scalars_type);
  GPULAB_CHECK(check(call, g));
  if (m == 0 || n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  GPULAB_CHECK(call.check_host("alpha", alpha));
  GPULAB_CHECK(call.check_host("beta", beta));
  const Scalars scalars{call.number("alpha", alpha, scalars_type), call.number("beta", beta, scalars_type)};
  const PointerArrays arrays({{"Aarray", a}, {"xarray", x}, {"yarray", y}}, batch);
  return call.queue(job_of(g), arrays.buffers(), [=](LibraryAccess& memory) {
    const auto places = arrays.load(memory);
    Gemv one = g;
    one.batch = 1;
    Operand matrix = one.a(nullptr), from = one.x(nullptr), to = one.y(nullptr);
    for (std::size_t i = 0; i < places[0].size(); ++i) {
      matrix.address = places[0][i], from.address = places[1][i], to.address = places[2][i];
      memory.use(product_buffers(scalars, to, {matrix, from}));
      for_type(memory, g.from, [&](auto kind) {
        using W = decltype(kind);
        multiply(memory, one, matrix, from, to, scalars.alpha.get<W>(memory), scalars.beta.get<W>(memory), 0);
      });
    }
  });
}

Status gemm_grouped(const Call& call, const Op* opa, const Op* opb, In m, In n, In k, In alpha, In a, In lda, In b,
                    In ldb, In beta, In c, In ldc, i64 groups, In sizes) {
  const Type t = call.type();
  return grouped(call, {a, b, c, t, t, t, t, m, n, k, lda, ldb, ldc, alpha, beta, sizes, opa, opb, groups},
                 t == CUDA_R_64F ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F);
}

Status gemm_grouped_ex(const Call& call, const Op* opa, const Op* opb, In m, In n, In k, In alpha, In a, Type at,
                       In lda, In b, Type bt, In ldb, In beta, In c, Type ct, In ldc, i64 groups, In sizes,
                       cublasComputeType_t compute) {
  return grouped(
      call,
      {a, b, c, at, bt, ct, scalar_type_of(compute, ct), m, n, k, lda, ldb, ldc, alpha, beta, sizes, opa, opb, groups},
      compute);
}

}  // namespace gpulab::cublas
