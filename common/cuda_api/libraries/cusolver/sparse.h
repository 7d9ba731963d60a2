#pragma once
// A sparse system as cuSOLVER's functions take it, on the host or on the device, and its factors.

#include <memory>
#include <optional>
#include <variant>

#include "common/cuda_api/libraries/cusolver/call.h"
#include "common/cuda_api/libraries/sparse/lu.h"

namespace gpulab::cusolver {

/// The arguments that name a matrix.
struct SparseArguments {
  i64 rows = 0, columns = 0, elements = 0;
  int base = 0;
  In values = nullptr, starts = nullptr, indices = nullptr;
  [[nodiscard]] bool valid() const { return rows >= 0 && columns >= 0 && elements >= 0; }
};
[[nodiscard]] int base_of(cusparseMatDescr_t description);

using AnyLu =
    std::variant<std::monostate, SparseLu<double>, SparseLu<Complex>, SparseLu<Precise>, SparseLu<PreciseComplex>>;

/// QR of a matrix with more rows than columns, all of it: R above, the reflections below.
template <typename W>
struct TallQr {
  i64 rows = 0, columns = 0;
  std::vector<W> all, taus;
};
using AnyQr = std::variant<std::monostate, TallQr<double>, TallQr<Complex>, TallQr<Precise>, TallQr<PreciseComplex>>;

/// What an `info` holds from analysis to solution.
struct SparseState {
  std::optional<Pattern> pattern;
  AnyLu lu;
  AnyQr tall;             ///< in place of `lu`
  bool too_tall = false;  ///< to be kept whole
  Type type = CUDA_R_64F;
  // csrqrSetup's.
  std::vector<char> values;
  Complex shift = 0;
};

/// Calls with a number that is precise where that takes a moment.
template <typename Each>
void for_kind(Type type, double operations, const Each& each) {
  constexpr double a_moment = 1e7;
  const bool precise = real_of(type) == CUDA_R_64F && operations <= a_moment;
  if (precise)
    is_complex(type) ? each(PreciseComplex()) : each(Precise());
  else
    is_complex(type) ? each(Complex()) : each(double());
}

/// 0: as it is; 1: reverse Cuthill-McKee; 2, 3: least degree.
[[nodiscard]] std::vector<i64> order_of(const Pattern& pattern, int reorder);

/// Factors of the pattern with these values, as bytes of `type`; `threshold` as for factorise_sparse.
void factorise(SparseState& state, const void* values, Type type, double threshold, std::vector<i64> order);
/// x := A^-1 b, or the least squares of a tall A, of bytes of the state's type. False: there are no factors, or too
/// large ones.
bool solve(const SparseState& state, const void* b, void* x);
/// -1: none.
[[nodiscard]] i64 zero_pivot(const SparseState& state, double tolerance, bool positive);
[[nodiscard]] bool is_too_large(const SparseState& state);

/// Of the device's memory: buffers to use, then the bytes.
[[nodiscard]] std::vector<Operand> operands_of(const SparseArguments& a, Type type);
[[nodiscard]] std::optional<Pattern> load_pattern(LibraryAccess& memory, const SparseArguments& a);
[[nodiscard]] std::vector<char> load_bytes(LibraryAccess& memory, const Operand& from);
void store_bytes(LibraryAccess& memory, const Operand& to, const std::vector<char>& bytes);

}  // namespace gpulab::cusolver
