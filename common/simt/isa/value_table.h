#pragma once
// What of a table of rows becomes bitcode: their ValueFunctions alone. Included by the files that isa.cmake makes of
// the tables for clang, never by a table itself.

#include <cstddef>
#include <iterator>

#include "common/simt/isa/op.h"

namespace gpulab::simt {

/// One function of a row, by the row's number in its table and modifiers (Meaning::values).
struct ValueEntry {
  std::uint64_t number;  ///< of the row, times kValueMods + 1, and the modifiers
  ValueFunction all, one;
};
template <std::size_t count>
struct ValueTable {
  ValueEntry entries[count];
};

#if defined(SIMT_COMPILED)
/// Entries of a table: one at least, for an array has no fewer.
template <std::size_t rows_count>
constexpr std::size_t value_count(const Row (&rows)[rows_count]) {
  std::size_t count = 0;
  for (const Row& row : rows)
    for (const RowValues& values : row.meaning.values) count += values.all != nullptr ? 1 : 0;
  return count == 0 ? 1 : count;
}
template <std::size_t count, std::size_t rows_count>
constexpr ValueTable<count> value_table(const Row (&rows)[rows_count]) {
  ValueTable<count> table{};
  std::size_t next = 0;
  for (std::size_t row = 0; row < rows_count; ++row)
    for (std::size_t mods = 0; mods <= kValueMods; ++mods)
      if (const RowValues& values = rows[row].meaning.values[mods]; values.all != nullptr)
        table.entries[next++] = {row * (kValueMods + 1) + mods, values.all, values.one};
  return table;
}
#endif

}  // namespace gpulab::simt
