#include <algorithm>
#include <string_view>

#include "common/cuda_api/libraries/cusolver/call.h"
#include "common/cuda_api/libraries/dense/cholesky.h"
#include "common/cuda_api/libraries/dense/lu.h"
#include "common/cuda_api/libraries/products/triangles.h"

namespace gpulab::cusolver {

Status potrf_size(const Call& call, cublasFillMode_t, i64, In, i64, int* size) { return give_size(call, true, size); }
Status potrf(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out, i64, Out info) {
  if (!is_fill(fill)) return tell_parameter(call, 1, info);
  if (n < 0) return tell_parameter(call, 2, info);
  if (lda < at_least_one(n)) return tell_parameter(call, 4, info);
  GPULAB_CHECK_HANDLE();
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
  GPULAB_CHECK_HANDLE();
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
  const Operand rows = pivots_of(call, "devIpiv", pivots, steps).written();
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
  const Operand rows = pivots_of(call, "devIpiv", pivots, n);
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

Status potri_size(const Call& call, cublasFillMode_t, i64, In, i64, int* size) { return give_size(call, true, size); }
Status potri(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out, i64, Out info) {
  if (!is_fill(fill)) return tell_parameter(call, 1, info);
  if (n < 0) return tell_parameter(call, 2, info);
  if (lda < at_least_one(n)) return tell_parameter(call, 4, info);
  GPULAB_CHECK_HANDLE();
  if (n == 0) return CUSOLVER_STATUS_SUCCESS;
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  const Operand to = triangle(a, type_of(call), n, lda, upper).changed(), result = info_of(info);
  return queue(call, n, n, 2 * cube(n, n, n) / 3, {to.buffer(), result.buffer()}, [=](LibraryAccess& memory) {
    for_type(memory, to.type, [&](auto kind) {
      using W = decltype(kind);
      auto values = load<W>(memory, to);
      for (i64 j = 0; j < n; ++j)
        if (values.column(j)[upper ? j : 0] == W(0)) return store_info(memory, result, j + 1);
      std::vector<W> inverse(static_cast<std::size_t>(n * n));
      for (i64 i = 0; i < n; ++i) inverse[static_cast<std::size_t>(i * n + i)] = 1;
      solve(Triangle<W>(values, upper, upper, upper, false), inverse.data(), n);
      solve(Triangle<W>(values, upper, !upper, !upper, false), inverse.data(), n);
      for (i64 j = 0; j < n; ++j) {
        const Column c = to.column(j);
        std::copy_n(inverse.begin() + j * n + c.first, c.count, values.column(j));
      }
      store(memory, values);
      store_info(memory, result, 0);
    });
  });
}

/// U U^H, or L^H L, of a triangle in its place.
Status lauum(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out, i64, Out info) {
  if (!is_fill(fill)) return tell_parameter(call, 1, info);
  if (n < 0) return tell_parameter(call, 2, info);
  if (lda < at_least_one(n)) return tell_parameter(call, 4, info);
  GPULAB_CHECK_HANDLE();
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  const Operand to = triangle(a, type_of(call), n, lda, upper).changed(), result = info_of(info);
  return queue(call, n, n, cube(n, n, n) / 3, {to.buffer(), result.buffer()}, [=](LibraryAccess& memory) {
    for_type(memory, to.type, [&](auto kind) {
      using W = decltype(kind);
      auto values = load<W>(memory, to);
      const auto lower = lower_of(values, upper);  // of U: L = U^H, and U U^H = L^H L
      std::vector<W> made(lower.size());
      for (i64 j = 0; j < n; ++j)
        for (i64 i = j; i < n; ++i)
          for (i64 k = i; k < n; ++k)
            made[static_cast<std::size_t>(j * n + i)] +=
                conjugate(lower[static_cast<std::size_t>(i * n + k)]) * lower[static_cast<std::size_t>(j * n + k)];
      put_lower(made, values, upper);
      store(memory, values);
      store_info(memory, result, 0);
    });
  });
}

Status laswp(const Call& call, i64 n, Out a, i64 lda, i64 first, i64 last, In pivots, i64 step) {
  GPULAB_CHECK(n >= 0 && lda >= 1 && first >= 1 && last >= first && last <= lda && (step == 1 || step == -1));
  const Type t = type_of(call);
  const Operand to = matrix("A", a, t, lda, n, lda).changed(), rows = pivots_of(call, "devIpiv", pivots, last);
  return queue(call, lda, n, 0, {to.buffer(), rows.buffer()}, [=](LibraryAccess& memory) {
    for_type(t, [&](auto kind) {
      auto values = load<decltype(kind)>(memory, to);
      const auto exchanged = load_pivots(memory, rows, lda);
      for (i64 k = 0; k <= last - first; ++k) {
        const i64 i = step > 0 ? first - 1 + k : last - 1 - k;
        for (i64 j = 0; j < n; ++j) std::swap(values.at(i, j), values.at(exchanged[static_cast<std::size_t>(i)], j));
      }
      store(memory, values);
    });
  });
}

Status potrf_batched(const Call& call, cublasFillMode_t fill, i64 n, In a, i64 lda, Out info, i64 batch) {
  // As an H100 has it: the parameter's number is not negative here, and no matrix at all is refused.
  const int wrong = !is_fill(fill) ? 1 : n < 0 ? 2 : lda < at_least_one(n) ? 4 : 0;
  if (wrong != 0) return tell_parameter(call, -wrong, info);
  GPULAB_CHECK(batch > 0);
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  const Type t = type_of(call);
  const Operand array = vector("Aarray", a, CUDA_R_64I, batch, 1), result = info_of(info, batch);
  return queue(call, n, n, cube(n, n, n) / 3 * static_cast<double>(batch), {array.buffer(), result.buffer()},
               [=](LibraryAccess& memory) {
                 const auto places = load_pointers(memory, array);
                 for (i64 i = 0; i < batch; ++i) {
                   Operand to = triangle(nullptr, t, n, lda, upper).changed();
                   to.address = places[static_cast<std::size_t>(i)];
                   memory.use({to.buffer()});
                   for_type(memory, t, [&](auto kind) {
                     auto values = load<decltype(kind)>(memory, to);
                     auto whole = lower_of(values, upper);
                     store_info(memory, result, factorise_cholesky(whole.data(), n), i);
                     put_lower(whole, values, upper);
                     store(memory, values);
                   });
                 }
               });
}
Status potrs_batched(const Call& call, cublasFillMode_t fill, i64 n, i64 nrhs, In a, i64 lda, In b, i64 ldb, Out info,
                     i64 batch) {
  // Of one right side alone, as the header has it.
  const int wrong = !is_fill(fill)          ? 1
                    : n < 0                 ? 2
                    : nrhs != 1             ? 3
                    : lda < at_least_one(n) ? 5
                    : ldb < at_least_one(n) ? 7
                                            : 0;
  if (wrong != 0) return tell_parameter(call, -wrong, info);
  GPULAB_CHECK(batch > 0);
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  const Type t = type_of(call);
  const Operand array = vector("A", a, CUDA_R_64I, batch, 1), others = vector("B", b, CUDA_R_64I, batch, 1),
                result = info_of(info);
  return queue(call, n, nrhs, 2 * cube(n, n, nrhs) * static_cast<double>(batch),
               {array.buffer(), others.buffer(), result.buffer()}, [=](LibraryAccess& memory) {
                 const auto factors = load_pointers(memory, array), sides = load_pointers(memory, others);
                 for (i64 i = 0; i < batch; ++i) {
                   Operand from = triangle(nullptr, t, n, lda, upper), to = matrix("B", nullptr, t, n, nrhs, ldb);
                   from.address = factors[static_cast<std::size_t>(i)];
                   to.address = sides[static_cast<std::size_t>(i)];
                   to = to.changed();
                   memory.use({from.buffer(), to.buffer()});
                   for_type(memory, t, [&](auto kind) {
                     using W = decltype(kind);
                     auto values = load<W>(memory, to);
                     const auto factor = load<W>(memory, from);
                     solve(Triangle<W>(factor, upper, upper, upper, false), values.all.data(), nrhs);
                     solve(Triangle<W>(factor, upper, !upper, !upper, false), values.all.data(), nrhs);
                     store(memory, values);
                   });
                 }
                 store_info(memory, result, 0);
               });
}

}  // namespace gpulab::cusolver
