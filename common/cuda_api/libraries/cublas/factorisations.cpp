// LU and QR of many small matrices.

#include <fmt/format.h>

#include "common/cuda_api/libraries/cublas/functions.h"
#include "common/cuda_api/libraries/cublas/pointer_arrays.h"
#include "common/cuda_api/libraries/dense/lu.h"
#include "common/cuda_api/libraries/dense/qr.h"

namespace gpulab::cublas {
namespace {

Job job_of(const char* what, i64 m, i64 n, i64 batch, double operations) {
  return {fmt::format("{}{} x {}, {} times", what, m, n, batch), operations * static_cast<double>(batch),
          LibraryUnit::fp32};
}
double cube(i64 n) { return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n); }

/// 32-bit numbers of the device's: pivots from 1, info.
Operand integers(const char* name, In pointer, i64 count) { return vector(name, pointer, CUDA_R_32I, count, 1); }

void store_integers(LibraryAccess& memory, const Operand& to, const std::vector<i64>& values, i64 first, i64 base) {
  Operand part = to;
  part.address += static_cast<std::uint64_t>(first * 4);
  part.rows = static_cast<i64>(values.size());
  Values<double> numbers(part);
  for (std::size_t i = 0; i < values.size(); ++i) numbers.all[i] = static_cast<double>(values[i] + base);
  store(memory, numbers);
}
/// Pivots of one matrix; those that point nowhere stay where they are.
std::vector<i64> load_pivots(LibraryAccess& memory, const Operand& from, i64 first, i64 n) {
  Operand part = from;
  part.address += static_cast<std::uint64_t>(first * 4);
  part.rows = n;
  std::vector<i64> pivots;
  for (const double one : load<double>(memory, part).all) {
    const auto row = static_cast<i64>(one) - 1;
    pivots.push_back(row >= 0 && row < n ? row : static_cast<i64>(pivots.size()));
  }
  return pivots;
}

template <typename W>
std::vector<W> identity(i64 n) {
  std::vector<W> made(static_cast<std::size_t>(n * n));
  for (i64 i = 0; i < n; ++i) made[static_cast<std::size_t>(i * n + i)] = 1;
  return made;
}

}  // namespace

Status getrf_batched(const Call& call, i64 n, In a, i64 lda, Out pivots, Out info, i64 batch) {
  GPULAB_CHECK(call.check(call.routine(), {{1, n >= 0}, {3, lda >= at_least_one(n)}, {6, batch >= 0}}));
  if (n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  const Type t = call.type();
  const PointerArrays arrays({{"A", a}}, batch);
  const Operand infos = integers("info", info, batch).written();
  const Operand rows = integers("P", pivots, pivots == nullptr ? 0 : n * batch).written();
  auto buffers = arrays.buffers();
  buffers.push_back(infos.buffer());
  buffers.push_back(rows.buffer());
  return call.queue(job_of("", n, n, batch, flops(t) / 3 * cube(n)), buffers, [=](LibraryAccess& memory) {
    const auto places = arrays.load(memory);
    std::vector<i64> found;
    for (i64 i = 0; i < batch; ++i) {
      Operand to = matrix("A", nullptr, t, n, n, lda).changed();
      to.address = places[0][static_cast<std::size_t>(i)];
      memory.use(buffers_of(to));
      for_type(memory, t, [&](auto kind) {
        auto values = load<decltype(kind)>(memory, to);
        std::vector<i64> exchanged;
        found.push_back(factorise_lu(values.all.data(), n, n, exchanged, pivots != nullptr));
        store(memory, values);
        if (pivots != nullptr) store_integers(memory, rows, exchanged, i * n, 1);
      });
    }
    store_integers(memory, infos, found, 0, 0);
  });
}

Status getri_batched(const Call& call, i64 n, In a, i64 lda, In pivots, In c, i64 ldc, Out info, i64 batch) {
  GPULAB_CHECK(call.check(call.routine(),
                          {{1, n >= 0}, {3, lda >= at_least_one(n)}, {6, ldc >= at_least_one(n)}, {8, batch >= 0}}));
  if (n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  const Type t = call.type();
  const PointerArrays arrays({{"A", a}, {"C", c}}, batch);
  const Operand infos = integers("info", info, batch).written();
  const Operand rows = integers("P", pivots, pivots == nullptr ? 0 : n * batch);
  auto buffers = arrays.buffers();
  buffers.push_back(infos.buffer());
  buffers.push_back(rows.buffer());
  return call.queue(job_of("", n, n, batch, flops(t) * 2 / 3 * cube(n)), buffers, [=](LibraryAccess& memory) {
    const auto places = arrays.load(memory);
    std::vector<i64> found;
    for (i64 i = 0; i < batch; ++i) {
      Operand from = matrix("A", nullptr, t, n, n, lda), to = matrix("C", nullptr, t, n, n, ldc).written();
      from.address = places[0][static_cast<std::size_t>(i)], to.address = places[1][static_cast<std::size_t>(i)];
      memory.use(buffers_of(from, to));
      for_type(memory, t, [&](auto kind) {
        using W = decltype(kind);
        const auto factors = load<W>(memory, from);
        i64 singular = 0;
        for (i64 j = n; j-- > 0;)
          if (factors.at(j, j) == W(0)) singular = j + 1;
        found.push_back(singular);
        if (singular != 0) return;
        Values<W> inverse(to);
        inverse.all = identity<W>(n);
        solve_lu(factors.all.data(), n, pivots == nullptr ? std::vector<i64>() : load_pivots(memory, rows, i * n, n),
                 Solve::plain, inverse.all.data(), n);
        store(memory, inverse);
      });
    }
    store_integers(memory, infos, found, 0, 0);
  });
}

Status getrs_batched(const Call& call, Op op, i64 n, i64 nrhs, In a, i64 lda, In pivots, In b, i64 ldb, Out info,
                     i64 batch) {
  if (!is_handle(call.handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  // As LAPACK: which parameter is wrong is told in info, which lies in the host's memory here.
  const int wrong = !is_operation(op)       ? -1
                    : n < 0                 ? -2
                    : nrhs < 0              ? -3
                    : lda < at_least_one(n) ? -5
                    : ldb < at_least_one(n) ? -8
                    : batch < 0             ? -10
                                            : 0;
  if (info != nullptr && runtime().host_may_touch(address_of(info))) std::memcpy(info, &wrong, sizeof wrong);
  if (wrong != 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0 || nrhs == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  const Type t = call.type();
  const PointerArrays arrays({{"Aarray", a}, {"Barray", b}}, batch);
  const Operand rows = integers("devIpiv", pivots, pivots == nullptr ? 0 : n * batch);
  auto buffers = arrays.buffers();
  buffers.push_back(rows.buffer());
  const double operations = flops(t) * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(nrhs);
  const Solve how = op == CUBLAS_OP_N ? Solve::plain : op == CUBLAS_OP_T ? Solve::transposed : Solve::conjugated;
  return call.queue(job_of("", n, nrhs, batch, operations), buffers, [=](LibraryAccess& memory) {
    const auto places = arrays.load(memory);
    for (i64 i = 0; i < batch; ++i) {
      Operand from = matrix("A", nullptr, t, n, n, lda), to = matrix("B", nullptr, t, n, nrhs, ldb).changed();
      from.address = places[0][static_cast<std::size_t>(i)], to.address = places[1][static_cast<std::size_t>(i)];
      memory.use(buffers_of(from, to));
      for_type(memory, t, [&](auto kind) {
        using W = decltype(kind);
        auto values = load<W>(memory, to);
        solve_lu(load<W>(memory, from).all.data(), n,
                 pivots == nullptr ? std::vector<i64>() : load_pivots(memory, rows, i * n, n), how, values.all.data(),
                 nrhs);
        store(memory, values);
      });
    }
  });
}

Status matinv_batched(const Call& call, i64 n, In a, i64 lda, In inverse, i64 ld_inverse, Out info, i64 batch) {
  constexpr i64 most = 32;  // as the manual has it
  GPULAB_CHECK(call.check(
      call.routine(),
      {{1, n >= 0 && n <= most}, {3, lda >= at_least_one(n)}, {5, ld_inverse >= at_least_one(n)}, {7, batch >= 0}}));
  if (n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  const Type t = call.type();
  const PointerArrays arrays({{"A", a}, {"Ainv", inverse}}, batch);
  const Operand infos = integers("info", info, batch).written();
  auto buffers = arrays.buffers();
  buffers.push_back(infos.buffer());
  return call.queue(job_of("", n, n, batch, flops(t) * cube(n)), buffers, [=](LibraryAccess& memory) {
    const auto places = arrays.load(memory);
    std::vector<i64> found;
    for (std::size_t i = 0; i < places[0].size(); ++i) {
      Operand from = matrix("A", nullptr, t, n, n, lda), to = matrix("Ainv", nullptr, t, n, n, ld_inverse).written();
      from.address = places[0][i], to.address = places[1][i];
      memory.use(buffers_of(from, to));
      for_type(memory, t, [&](auto kind) {
        using W = decltype(kind);
        auto factors = load<W>(memory, from);
        std::vector<i64> exchanged;
        found.push_back(factorise_lu(factors.all.data(), n, n, exchanged));
        if (found.back() != 0) return;
        Values<W> made(to);
        made.all = identity<W>(n);
        solve_lu(factors.all.data(), n, exchanged, Solve::plain, made.all.data(), n);
        store(memory, made);
      });
    }
    store_integers(memory, infos, found, 0, 0);
  });
}

Status geqrf_batched(const Call& call, i64 m, i64 n, In a, i64 lda, In tau, Out info, i64 batch) {
  if (!is_handle(call.handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const int wrong = m < 0 ? -1 : n < 0 ? -2 : lda < at_least_one(m) ? -4 : batch < 0 ? -7 : 0;
  if (info != nullptr && runtime().host_may_touch(address_of(info))) std::memcpy(info, &wrong, sizeof wrong);
  if (wrong != 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  const Type t = call.type();
  const PointerArrays arrays({{"Aarray", a}, {"TauArray", tau}}, batch);
  const double operations =
      flops(t) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::min(m, n));
  return call.queue(job_of("", m, n, batch, operations), arrays.buffers(), [=](LibraryAccess& memory) {
    const auto places = arrays.load(memory);
    for (std::size_t i = 0; i < places[0].size(); ++i) {
      Operand to = matrix("A", nullptr, t, m, n, lda).changed(),
              factors = vector("Tau", nullptr, t, std::min(m, n), 1).written();
      to.address = places[0][i], factors.address = places[1][i];
      memory.use(buffers_of(to, factors));
      for_type(memory, t, [&](auto kind) {
        using W = decltype(kind);
        auto values = load<W>(memory, to);
        Values<W> taus(factors);
        factorise_qr(values.all.data(), m, n, m, taus.all.data());
        store(memory, values);
        store(memory, taus);
      });
    }
  });
}

/// Least squares by QR; of a matrix whose R has a 0 on its diagonal the right-hand sides stay as Q has turned them.
Status gels_batched(const Call& call, Op op, i64 m, i64 n, i64 nrhs, In a, i64 lda, In c, i64 ldc, Out info,
                    Out dev_info, i64 batch) {
  if (!is_handle(call.handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const int wrong = !is_operation(op)       ? -1
                    : m < 0                 ? -2
                    : n < 0                 ? -3
                    : nrhs < 0              ? -4
                    : lda < at_least_one(m) ? -6
                    : ldc < at_least_one(m) ? -8
                    : batch < 0             ? -11
                                            : 0;
  if (info != nullptr && runtime().host_may_touch(address_of(info))) std::memcpy(info, &wrong, sizeof wrong);
  if (wrong != 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (batch == 0) return CUBLAS_STATUS_SUCCESS;
  if (op != CUBLAS_OP_N || m < n) return CUBLAS_STATUS_NOT_SUPPORTED;  // as the manual has it
  if (n == 0 || nrhs == 0) return CUBLAS_STATUS_SUCCESS;
  const Type t = call.type();
  const PointerArrays arrays({{"Aarray", a}, {"Carray", c}}, batch);
  const Operand infos = integers("devInfoArray", dev_info, dev_info == nullptr ? 0 : batch).written();
  auto buffers = arrays.buffers();
  buffers.push_back(infos.buffer());
  const double operations = flops(t) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(n + nrhs);
  return call.queue(job_of("", m, n, batch, operations), buffers, [=](LibraryAccess& memory) {
    const auto places = arrays.load(memory);
    std::vector<i64> found;
    for (std::size_t i = 0; i < places[0].size(); ++i) {
      Operand of = matrix("A", nullptr, t, m, n, lda).changed(), to = matrix("C", nullptr, t, m, nrhs, ldc).changed();
      of.address = places[0][i], to.address = places[1][i];
      memory.use(buffers_of(of, to));
      for_type(memory, t, [&](auto kind) {
        using W = decltype(kind);
        auto factors = load<W>(memory, of), x = load<W>(memory, to);
        std::vector<W> tau(static_cast<std::size_t>(n));
        factorise_qr(factors.all.data(), m, n, m, tau.data());
        apply_q(factors.all.data(), m, tau.data(), n, false, true, x.all.data(), m, nrhs);
        i64 singular = 0;
        for (i64 j = n; j-- > 0;)
          if (factors.at(j, j) == W(0)) singular = j + 1;
        for (i64 column = 0; column < nrhs && singular == 0; ++column)
          for (i64 row = n; row-- > 0;) {
            W sum = x.at(row, column);
            for (i64 k = row + 1; k < n; ++k) sum -= factors.at(row, k) * x.at(k, column);
            x.at(row, column) = sum / factors.at(row, row);
          }
        found.push_back(singular);
        store(memory, factors);
        store(memory, x);
      });
    }
    if (dev_info != nullptr) store_integers(memory, infos, found, 0, 0);
  });
}

}  // namespace gpulab::cublas
