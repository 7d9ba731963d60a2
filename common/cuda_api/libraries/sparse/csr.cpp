#include "common/cuda_api/libraries/sparse/csr.h"

namespace gpulab::libraries {

std::optional<Pattern> pattern_of(i64 rows, i64 columns, i64 elements, const int* starts, const int* indices,
                                  int base) {
  Pattern made{rows, columns, {}, {}};
  for (i64 i = 0; i <= rows; ++i) {
    const i64 at = i64{starts[i]} - base;
    if (at < (made.starts.empty() ? 0 : made.starts.back()) || at > elements) return std::nullopt;
    made.starts.push_back(at);
  }
  for (i64 i = 0; i < made.starts.back(); ++i) {
    const i64 column = i64{indices[i]} - base;
    if (column < 0 || column >= columns) return std::nullopt;
    made.indices.push_back(column);
  }
  return made;
}

Pattern transposed(const Pattern& of, std::vector<i64>* places) {
  Pattern made{of.columns, of.rows, std::vector<i64>(static_cast<std::size_t>(of.columns + 1)),
               std::vector<i64>(of.indices.size())};
  for (const i64 column : of.indices) ++made.starts[static_cast<std::size_t>(column + 1)];
  for (std::size_t i = 1; i < made.starts.size(); ++i) made.starts[i] += made.starts[i - 1];
  auto next = made.starts;
  if (places != nullptr) places->assign(of.indices.size(), 0);
  for (i64 row = 0; row < of.rows; ++row)
    for (i64 at = of.starts[static_cast<std::size_t>(row)]; at < of.starts[static_cast<std::size_t>(row + 1)]; ++at) {
      const auto to =
          static_cast<std::size_t>(next[static_cast<std::size_t>(of.indices[static_cast<std::size_t>(at)])]++);
      made.indices[to] = row;
      if (places != nullptr) (*places)[to] = at;
    }
  return made;
}

}  // namespace gpulab::libraries
