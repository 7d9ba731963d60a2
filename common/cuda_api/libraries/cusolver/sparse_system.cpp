#include <dlfcn.h>

#include <numeric>

#include "common/cuda_api/libraries/cusolver/sparse.h"
#include "common/cuda_api/libraries/dense/qr.h"
#include "common/cuda_api/libraries/sparse/order.h"

namespace gpulab::cusolver {

int base_of(cusparseMatDescr_t description) {
  // Of libcusparse, which made the description.
  using Get = cusparseIndexBase_t (*)(cusparseMatDescr_t);
  static const auto get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "cusparseGetMatIndexBase"));
  return get != nullptr && description != nullptr && get(description) == CUSPARSE_INDEX_BASE_ONE ? 1 : 0;
}

std::vector<i64> order_of(const Pattern& pattern, int reorder) {
  if (reorder == 1) return reverse_cuthill_mckee(pattern);
  if (reorder == 2 || reorder == 3) return least_degree(pattern);
  std::vector<i64> order(static_cast<std::size_t>(pattern.rows));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

namespace {

void factorise_tall(SparseState& state, const void* values) {
  const Pattern& pattern = *state.pattern;
  const i64 m = pattern.rows, n = pattern.columns;
  constexpr i64 most = i64{1} << 25;  // elements, of up to 32 bytes
  state.too_tall = n > 0 && m > most / n;
  if (state.too_tall) return;
  const double operations = 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(n);
  for_kind(state.type, operations, [&](auto kind) {
    using W = decltype(kind);
    std::vector<W> numbers(pattern.indices.size());
    decode(state.type, values, numbers.data(), static_cast<i64>(numbers.size()));
    TallQr<W> made{m, n, std::vector<W>(static_cast<std::size_t>(m * n)), std::vector<W>(static_cast<std::size_t>(n))};
    for (i64 row = 0; row < m; ++row)
      for (i64 at = pattern.starts[static_cast<std::size_t>(row)];
           at < pattern.starts[static_cast<std::size_t>(row + 1)]; ++at)
        made.all[static_cast<std::size_t>(pattern.indices[static_cast<std::size_t>(at)] * m + row)] +=
            numbers[static_cast<std::size_t>(at)];
    for (i64 k = 0; k < n; ++k) made.all[static_cast<std::size_t>(k * m + k)] -= converted<W>(state.shift);
    factorise_qr(made.all.data(), m, n, m, made.taus.data());
    state.tall = std::move(made);
  });
}

/// R x = Q^H b
template <typename W>
std::vector<W> solve_tall(const TallQr<W>& qr, std::vector<W> side) {
  const i64 m = qr.rows, n = qr.columns;
  apply_q(qr.all.data(), m, qr.taus.data(), n, false, true, side.data(), m, 1);
  for (i64 i = n; i-- > 0;) {
    W sum = side[static_cast<std::size_t>(i)];
    for (i64 j = i + 1; j < n; ++j)
      sum -= qr.all[static_cast<std::size_t>(j * m + i)] * side[static_cast<std::size_t>(j)];
    side[static_cast<std::size_t>(i)] = sum / qr.all[static_cast<std::size_t>(i * m + i)];
  }
  return side;
}

/// False: there is none.
template <typename Each>
bool with_tall(const SparseState& state, const Each& each) {
  return std::visit(
      [&](const auto& qr) {
        if constexpr (std::is_same_v<std::decay_t<decltype(qr)>, std::monostate>) {
          return false;
        } else {
          each(qr);
          return true;
        }
      },
      state.tall);
}

}  // namespace

void factorise(SparseState& state, const void* values, Type type, double threshold, std::vector<i64> order) {
  state.type = type;
  state.lu = std::monostate();
  state.tall = std::monostate();
  if (!state.pattern) return;
  if (state.pattern->rows > state.pattern->columns) return factorise_tall(state, values);
  const auto n = static_cast<double>(state.pattern->rows);
  constexpr double band = 200;  // columns that one reaches, about
  for_kind(type, static_cast<double>(state.pattern->indices.size()) * std::min(n, band), [&](auto kind) {
    using W = decltype(kind);
    std::vector<W> numbers(state.pattern->indices.size());
    decode(type, values, numbers.data(), static_cast<i64>(numbers.size()));
    Pattern shifted = *state.pattern;
    if (state.shift != Complex(0)) {  // A - mu I
      std::vector<i64> starts{0}, indices;
      std::vector<W> with;
      for (i64 row = 0; row < shifted.rows; ++row) {
        for (i64 at = shifted.starts[static_cast<std::size_t>(row)];
             at < shifted.starts[static_cast<std::size_t>(row + 1)]; ++at) {
          indices.push_back(shifted.indices[static_cast<std::size_t>(at)]);
          with.push_back(numbers[static_cast<std::size_t>(at)]);
        }
        indices.push_back(row);
        with.push_back(-converted<W>(state.shift));
        starts.push_back(static_cast<i64>(indices.size()));
      }
      shifted.starts = starts, shifted.indices = indices, numbers = with;
    }
    state.lu = factorise_sparse(shifted, numbers, std::move(order), threshold);
  });
}

namespace {

template <typename Each>
bool with_factors(const SparseState& state, const Each& each) {
  return std::visit(
      [&](const auto& lu) {
        if constexpr (std::is_same_v<std::decay_t<decltype(lu)>, std::monostate>) {
          return false;
        } else {
          if (lu.too_large) return false;
          each(lu);
          return true;
        }
      },
      state.lu);
}

}  // namespace

bool solve(const SparseState& state, const void* b, void* x) {
  const bool tall = with_tall(state, [&]<typename W>(const TallQr<W>& qr) {
    std::vector<W> side(static_cast<std::size_t>(qr.rows));
    decode(state.type, b, side.data(), qr.rows);
    encode(state.type, solve_tall(qr, std::move(side)).data(), x, qr.columns);
  });
  return tall || with_factors(state, [&]<typename W>(const SparseLu<W>& lu) {
           std::vector<W> side(static_cast<std::size_t>(lu.n));
           decode(state.type, b, side.data(), lu.n);
           lu.solve(side);
           encode(state.type, side.data(), x, lu.n);
         });
}

i64 zero_pivot(const SparseState& state, double tolerance, bool positive) {
  i64 found = -1;
  with_tall(state, [&]<typename W>(const TallQr<W>& qr) {
    for (i64 k = qr.columns; k-- > 0;)
      if (std::abs(qr.all[static_cast<std::size_t>(k * qr.rows + k)]) <= tolerance) found = k;
  });
  with_factors(state, [&](const auto& lu) { found = lu.zero_pivot(tolerance, positive); });
  return found;
}

bool is_too_large(const SparseState& state) {
  if (state.too_tall) return true;
  return std::visit(
      [](const auto& lu) {
        if constexpr (std::is_same_v<std::decay_t<decltype(lu)>, std::monostate>)
          return false;
        else
          return lu.too_large;
      },
      state.lu);
}

std::vector<Operand> operands_of(const SparseArguments& a, Type type) {
  return {vector("csrVal", a.values, type, a.values == nullptr ? 0 : a.elements, 1),
          vector("csrRowPtr", a.starts, CUDA_R_32I, a.rows + 1, 1),
          vector("csrColInd", a.indices, CUDA_R_32I, a.elements, 1)};
}

std::vector<char> load_bytes(LibraryAccess& memory, const Operand& from) {
  std::vector<char> bytes(static_cast<std::size_t>(from.rows * bytes_of(from.type)));
  if (!bytes.empty()) memory.read(bytes.data(), from.address, bytes.size());
  return bytes;
}
void store_bytes(LibraryAccess& memory, const Operand& to, const std::vector<char>& bytes) {
  if (!bytes.empty()) memory.write(to.address, bytes.data(), bytes.size());
}

std::optional<Pattern> load_pattern(LibraryAccess& memory, const SparseArguments& a) {
  const auto all = operands_of(a, CUDA_R_32I);
  const auto starts = load_bytes(memory, all[1]), indices = load_bytes(memory, all[2]);
  return pattern_of(a.rows, a.columns, a.elements, reinterpret_cast<const int*>(starts.data()),
                    reinterpret_cast<const int*>(indices.data()), a.base);
}

}  // namespace gpulab::cusolver
