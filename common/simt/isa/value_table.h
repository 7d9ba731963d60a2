#pragma once
// What of a table of rows becomes bitcode: their ValueFunctions alone. Included by the files that isa.cmake makes of
// the tables for clang, never by a table itself.

#include <cstddef>
#include <iterator>

#include "common/simt/isa/op.h"

namespace gpulab::simt {

struct RowValues {
  ValueFunction all, one;
};
/// By the number of the row in its table; null where the row has none.
template <std::size_t count>
struct ValueTable {
  RowValues rows[count];
};

#if defined(SIMT_COMPILED)
template <std::size_t count>
constexpr ValueTable<count> value_table(const Row (&rows)[count]) {
  ValueTable<count> table{};
  for (std::size_t i = 0; i < count; ++i) table.rows[i] = {rows[i].meaning.all, rows[i].meaning.one};
  return table;
}
#endif

}  // namespace gpulab::simt
