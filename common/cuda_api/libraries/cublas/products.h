#pragma once
// What products of matrices share: C = alpha * sums + beta * C, in whichever triangle of C is written.

#include "common/cuda_api/libraries/cublas/functions.h"
#include "common/cuda_api/libraries/products/product.h"

namespace gpulab::cublas {

struct Scalars {
  Scalar alpha, beta;
  /// Alpha is a 0 that the host knows: A and B are not read.
  [[nodiscard]] bool is_nothing() const { return !alpha.on_device && alpha.value == Complex(0); }
  [[nodiscard]] bool is_fresh() const { return !beta.on_device && beta.value == Complex(0); }
  [[nodiscard]] bool changes_nothing() const { return is_nothing() && !beta.on_device && beta.value == Complex(1); }
};

/// op(A), as it is stored.
template <typename W>
[[nodiscard]] Factor<W> factor_of(const Values<W>& a, Op op) {
  const i64 ld = a.operand.rows;
  return op == CUBLAS_OP_N ? Factor<W>{a.all.data(), 1, ld, false} : Factor<W>{a.all.data(), ld, 1, op == CUBLAS_OP_C};
}

/// The buffers of such an operation, those of A and B where they are read. `multiplies_by_zero`: for an alpha of 0,
/// too, as an H100 does in symmetric products, so that NaNs of A and B come through.
[[nodiscard]] inline std::vector<LibraryBuffer> product_buffers(const Scalars& scalars, Operand c,
                                                                std::initializer_list<Operand> inputs,
                                                                bool multiplies_by_zero = false) {
  c = scalars.is_fresh() ? c.written() : c.changed();
  std::vector<LibraryBuffer> buffers{c.buffer()};
  if (!scalars.is_nothing() || multiplies_by_zero)
    for (const auto& input : inputs) buffers.push_back(input.buffer());
  scalars.alpha.add_to(buffers);
  scalars.beta.add_to(buffers);
  return buffers;
}

/// Writes C: `sums` are those of a whole matrix of its rows and columns, none where alpha is 0. Of the Hermitian ones
/// the diagonal becomes real.
template <typename W>
void finish(LibraryAccess& memory, const Operand& c, const std::vector<W>& sums, W alpha, W beta,
            bool hermitian = false, i64 index = 0) {
  auto to = beta == W(0) ? Values<W>(c) : load<W>(memory, c, index);
  for (i64 j = 0; j < c.columns; ++j) {
    const Column rows = c.column(j);
    W* column = to.column(j);
    for (i64 k = 0; k < rows.count; ++k) {
      W value = beta == W(0) ? W(0) : beta * column[k];
      if (!sums.empty()) value += alpha * sums[static_cast<std::size_t>(j * c.rows + rows.first + k)];
      if (hermitian && rows.first + k == j) value = real_part(value);
      column[k] = value;
    }
  }
  store(memory, to, index);
}

}  // namespace gpulab::cublas
