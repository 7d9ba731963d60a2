// Symmetric matrices that are not positive: L D L^T of the lower triangle, U D U^T of the upper one, which is the same
// of the matrix with its rows and columns in falling order.

#include "common/cuda_api/libraries/dense/symmetric.h"

#include <fmt/format.h>

#include <cstdlib>

#include "common/cuda_api/libraries/cusolver/call.h"

namespace gpulab::cusolver {
namespace {

/// A triangle as a whole lower one; an upper one turned round.
template <typename W>
std::vector<W> turned_of(const Values<W>& a, bool upper) {
  const i64 n = a.operand.columns;
  std::vector<W> made(static_cast<std::size_t>(n * n));
  for (i64 j = 0; j < n; ++j) {
    const Column c = a.operand.column(j);
    for (i64 k = 0; k < c.count; ++k) {
      const i64 i = c.first + k;
      made[static_cast<std::size_t>(upper ? (n - 1 - j) * n + n - 1 - i : j * n + i)] = a.column(j)[k];
    }
  }
  return made;
}
template <typename W>
void put_turned(const std::vector<W>& from, Values<W>& a, bool upper) {
  const i64 n = a.operand.columns;
  for (i64 j = 0; j < n; ++j) {
    const Column c = a.operand.column(j);
    for (i64 k = 0; k < c.count; ++k) {
      const i64 i = c.first + k;
      a.column(j)[k] = from[static_cast<std::size_t>(upper ? (n - 1 - j) * n + n - 1 - i : j * n + i)];
    }
  }
}
std::vector<i64> turned(std::vector<i64> pivots, bool upper) {
  if (!upper) return pivots;
  const auto n = static_cast<i64>(pivots.size());
  std::ranges::reverse(pivots);
  for (i64& one : pivots) one = one > 0 ? n + 1 - one : -(n + 1 + one);
  return pivots;
}
std::vector<i64> load_signed(LibraryAccess& memory, const Operand& from) {
  std::vector<i64> pivots;
  for (const double one : load<double>(memory, from).all)
    pivots.push_back(static_cast<i64>(std::clamp(one, -0x1p40, 0x1p40)));
  return pivots;
}
/// Without pivots D is diagonal.
std::vector<i64> plain(i64 n) {
  std::vector<i64> pivots;
  for (i64 i = 0; i < n; ++i) pivots.push_back(i + 1);
  return pivots;
}
template <typename W>
void turn_rows(Values<W>& b, bool upper) {
  if (!upper) return;
  for (i64 j = 0; j < b.operand.columns; ++j) std::reverse(b.column(j), b.column(j) + b.operand.rows);
}

}  // namespace

Status sytrf_size(const Call& call, i64, In, i64, int* size) { return give_size(call, true, size); }
Status sytrf(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out pivots, Out, i64, Out info) {
  if (!is_fill(fill)) return tell_parameter(call, 1, info);
  if (n < 0) return tell_parameter(call, 2, info);
  if (lda < at_least_one(n)) return tell_parameter(call, 4, info);
  GPULAB_CHECK_HANDLE();
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  const Operand to = triangle(a, type_of(call), n, lda, upper).changed(), result = info_of(info),
                rows = pivots_of(call, "ipiv", pivots, n).written();
  return queue(call, n, n, cube(n, n, n) / 3, {to.buffer(), rows.buffer(), result.buffer()},
               [=](LibraryAccess& memory) {
                 for_type(memory, to.type, [&](auto kind) {
                   auto values = load<decltype(kind)>(memory, to);
                   auto whole = turned_of(values, upper);
                   std::vector<i64> exchanged;
                   const i64 wrong = factorise_symmetric(whole.data(), n, exchanged, pivots != nullptr);
                   put_turned(whole, values, upper);
                   store(memory, values);
                   Values<double> numbers(rows);
                   const auto told = turned(exchanged, upper);
                   for (std::size_t i = 0; i < numbers.all.size(); ++i) numbers.all[i] = static_cast<double>(told[i]);
                   store(memory, numbers);
                   store_info(memory, result, wrong == 0 || !upper ? wrong : n + 1 - wrong);
                 });
               });
}

Status sytri_size(const Call& call, cublasFillMode_t fill, i64 n, In, i64 lda, In, int* size) {
  return give_size(call, is_fill(fill) && n >= 0 && lda >= at_least_one(n), size);
}
Status sytri(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, In pivots, Out, i64, Out info) {
  if (!is_fill(fill)) return tell_parameter(call, 1, info);
  if (n < 0) return tell_parameter(call, 2, info);
  GPULAB_CHECK_HANDLE();
  if (lda < at_least_one(n)) {  // an H100 takes it, and leaves info as it was
    find_wrong(call, fmt::format("its 'lda' is {}, less than n, which is {}", lda, n));
    return CUSOLVER_STATUS_SUCCESS;
  }
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  const Operand to = triangle(a, type_of(call), n, lda, upper).changed(), result = info_of(info),
                rows = pivots_of(call, "ipiv", pivots, n);
  return queue(
      call, n, n, 2 * cube(n, n, n) / 3, {to.buffer(), rows.buffer(), result.buffer()}, [=](LibraryAccess& memory) {
        for_type(memory, to.type, [&](auto kind) {
          using W = decltype(kind);
          auto values = load<W>(memory, to);
          const auto factor = turned_of(values, upper);
          const auto exchanged = rows.rows > 0 ? turned(load_signed(memory, rows), upper) : plain(n);
          for (i64 k = 0; k < n; ++k)
            if (exchanged[static_cast<std::size_t>(k)] > 0 && factor[static_cast<std::size_t>(k * n + k)] == W(0))
              return store_info(memory, result, upper ? n - k : k + 1);
          std::vector<W> inverse(static_cast<std::size_t>(n * n));
          for (i64 i = 0; i < n; ++i) inverse[static_cast<std::size_t>(i * n + i)] = 1;
          solve_symmetric(factor.data(), n, exchanged, inverse.data(), n);
          put_turned(inverse, values, upper);
          store(memory, values);
          store_info(memory, result, 0);
        });
      });
}

Status xsytrs_size(const Call& call, cublasFillMode_t fill, i64 n, i64 nrhs, Type type, In, i64 lda, In, Type other, In,
                   i64 ldb, std::size_t* device, std::size_t* host) {
  GPULAB_CHECK(is_fill(fill) && n >= 0 && nrhs >= 0 && lda >= at_least_one(n) && ldb >= at_least_one(n) &&
               is_solvable(type) && type == other && device != nullptr && host != nullptr);
  *device = *host = 0;
  return CUSOLVER_STATUS_SUCCESS;
}
Status xsytrs(const Call& call, cublasFillMode_t fill, i64 n, i64 nrhs, Type type, In a, i64 lda, In pivots, Type other,
              Out b, i64 ldb, Out, std::size_t, Out, std::size_t, Out info) {
  GPULAB_CHECK(is_fill(fill) && n >= 0 && nrhs >= 0 && lda >= at_least_one(n) && ldb >= at_least_one(n) &&
               is_solvable(type) && type == other);
  const Call typed = with_type(call, type);
  const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  const Operand from = triangle(a, type, n, lda, upper), rows = pivots_of(typed, "ipiv", pivots, n),
                to = matrix("B", b, type, n, nrhs, ldb).changed(), result = info_of(info);
  return queue(typed, n, nrhs, 2 * cube(n, n, nrhs), {from.buffer(), rows.buffer(), to.buffer(), result.buffer()},
               [=](LibraryAccess& memory) {
                 for_type(memory, type, [&](auto kind) {
                   using W = decltype(kind);
                   const auto factor = turned_of(load<W>(memory, from), upper);
                   const auto exchanged = rows.rows > 0 ? turned(load_signed(memory, rows), upper) : plain(n);
                   auto values = load<W>(memory, to);
                   turn_rows(values, upper);
                   solve_symmetric(factor.data(), n, exchanged, values.all.data(), nrhs);
                   turn_rows(values, upper);
                   store(memory, values);
                   store_info(memory, result, 0);
                 });
               });
}

}  // namespace gpulab::cusolver
