#pragma once
// Vectors and matrices as BLAS and its kin keep them: by columns, whole, as a triangle, a band, packed, or many at a
// stride. An operand knows which bytes those are, so that they can be checked before one is touched.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/cuda_api/libraries/library.h"
#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::libraries {

/// Columns j of rows [first, first + count) that lie side by side, `offset` elements behind the operand's address.
struct Column {
  i64 first = 0, count = 0, offset = 0;
};

struct Operand {
  enum class Layout : std::uint8_t { whole, upper, lower, band, upper_band, lower_band, upper_packed, lower_packed };
  std::string name;
  std::uint64_t address = 0;
  Type type = CUDA_R_32F;
  i64 rows = 0, columns = 0, ld = 1;
  Layout layout = Layout::whole;
  i64 below = 0, above = 0;         ///< of a band: diagonals
  i64 batch = 1, batch_stride = 0;  ///< of many: elements from one to the next
  bool reads = true, writes = false;
  bool backwards = false;  ///< a vector whose increment is negative

  [[nodiscard]] Column column(i64 j) const;
  [[nodiscard]] bool is_empty() const { return rows <= 0 || columns <= 0 || batch <= 0; }
  /// Throws nothing: sizes beyond 64 bits end at the last address.
  [[nodiscard]] LibraryBuffer buffer() const;
  [[nodiscard]] Operand read_only() const;
  [[nodiscard]] Operand written() const;  ///< and not read
  [[nodiscard]] Operand changed() const;  ///< read and written
};

[[nodiscard]] Operand vector(const char* name, const void* pointer, Type type, i64 n, i64 increment);
[[nodiscard]] Operand matrix(const char* name, const void* pointer, Type type, i64 rows, i64 columns, i64 ld);

/// An operand's elements, or room for them, in the order of its columns; of a vector in the order of its elements.
template <typename W>
struct Values {
  Operand operand;
  std::vector<W> all;
  std::vector<i64> starts;  ///< of each column, where they are not whole ones

  explicit Values(Operand what);
  /// Element (first row of it, j).
  [[nodiscard]] W* column(i64 j) { return all.data() + start(j); }
  [[nodiscard]] const W* column(i64 j) const { return all.data() + start(j); }
  /// Of a whole matrix.
  W& at(i64 i, i64 j) { return all[static_cast<std::size_t>(j * operand.rows + i)]; }
  const W& at(i64 i, i64 j) const { return all[static_cast<std::size_t>(j * operand.rows + i)]; }
  W& operator[](i64 i) { return all[static_cast<std::size_t>(i)]; }
  const W& operator[](i64 i) const { return all[static_cast<std::size_t>(i)]; }

 private:
  [[nodiscard]] i64 start(i64 j) const {
    return starts.empty() ? j * operand.rows : starts[static_cast<std::size_t>(j)];
  }
};

/// After LibraryAccess::use. `index`: which of a batch.
template <typename W>
[[nodiscard]] Values<W> load(LibraryAccess& memory, const Operand& operand, i64 index = 0);
template <typename W>
void store(LibraryAccess& memory, const Values<W>& values, i64 index = 0);

/// Calls with a number of the kind that elements of the type are computed with in this operation.
template <typename Each>
void for_type(const LibraryAccess& memory, Type type, const Each& each) {
  constexpr double a_moment = 1e7;  // operations: some 20 ms
  const bool precise = real_of(type) == CUDA_R_64F && memory.operations() <= a_moment;
  if (precise)
    is_complex(type) ? each(PreciseComplex()) : each(Precise());
  else
    is_complex(type) ? each(Complex()) : each(double());
}
/// The same where nothing is computed: numbers are moved.
template <typename Each>
void for_type(Type type, const Each& each) {
  is_complex(type) ? each(Complex()) : each(double());
}

/// A number by its pointer: the host's, read when the call is made, or the device's, read when the work is done.
struct Scalar {
  Type type = CUDA_R_32F;
  bool on_device = false;
  std::uint64_t address = 0;
  Complex value = 0;
  std::string name;
  void add_to(std::vector<LibraryBuffer>& buffers) const;
  template <typename W>
  [[nodiscard]] W get(LibraryAccess& memory) const;
};
[[nodiscard]] Scalar scalar(const char* name, const void* pointer, Type type, bool on_device);

}  // namespace gpulab::libraries
