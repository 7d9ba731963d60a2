#include "common/cuda_api/libraries/sparse/order.h"

#include <algorithm>
#include <set>

namespace gpulab::libraries {
namespace {

using Neighbours = std::vector<std::vector<i64>>;

Neighbours neighbours_of(const Pattern& a) {
  Neighbours made(static_cast<std::size_t>(a.rows));
  for (i64 row = 0; row < a.rows; ++row)
    for (i64 at = a.starts[static_cast<std::size_t>(row)]; at < a.starts[static_cast<std::size_t>(row + 1)]; ++at) {
      const i64 column = a.indices[static_cast<std::size_t>(at)];
      if (column == row) continue;
      made[static_cast<std::size_t>(row)].push_back(column);
      made[static_cast<std::size_t>(column)].push_back(row);
    }
  for (auto& one : made) {
    std::ranges::sort(one);
    one.erase(std::unique(one.begin(), one.end()), one.end());
  }
  return made;
}

/// Level by level from `start`; each row's neighbours by degree. `seen` gets all that were reached.
std::vector<i64> levels_from(const Neighbours& graph, i64 start, std::vector<char>& seen, i64& depth) {
  std::vector<i64> order{start};
  seen[static_cast<std::size_t>(start)] = 1;
  depth = 0;
  std::size_t level_end = 1;
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at == level_end) ++depth, level_end = order.size();
    std::vector<i64> next;
    for (const i64 other : graph[static_cast<std::size_t>(order[at])])
      if (seen[static_cast<std::size_t>(other)] == 0) {
        seen[static_cast<std::size_t>(other)] = 1;
        next.push_back(other);
      }
    std::ranges::stable_sort(next, {}, [&](i64 one) { return graph[static_cast<std::size_t>(one)].size(); });
    order.insert(order.end(), next.begin(), next.end());
  }
  return order;
}

}  // namespace

std::vector<i64> reverse_cuthill_mckee(const Pattern& a) {
  const Neighbours graph = neighbours_of(a);
  std::vector<char> seen(static_cast<std::size_t>(a.rows));
  std::vector<i64> order;
  for (i64 first = 0; first < a.rows; ++first) {
    if (seen[static_cast<std::size_t>(first)] != 0) continue;
    // From an end of the longest way: the last row that is reached, as often as that makes the way longer.
    i64 start = first, depth = -1;
    for (int tries = 0; tries < 8; ++tries) {
      auto reached = seen;
      i64 now = 0;
      const auto levels = levels_from(graph, start, reached, now);
      if (now <= depth) break;
      depth = now;
      start = levels.back();
    }
    i64 unused = 0;
    const auto part = levels_from(graph, start, seen, unused);
    order.insert(order.end(), part.begin(), part.end());
  }
  std::ranges::reverse(order);
  return order;
}

std::vector<i64> least_degree(const Pattern& a) {
  const Neighbours graph = neighbours_of(a);
  std::vector<std::set<i64>> now;
  for (const auto& one : graph) now.emplace_back(one.begin(), one.end());
  std::set<std::pair<std::size_t, i64>> queue;
  for (i64 i = 0; i < a.rows; ++i) queue.emplace(now[static_cast<std::size_t>(i)].size(), i);
  std::vector<i64> order;
  while (!queue.empty()) {
    const auto [degree, row] = *queue.begin();
    queue.erase(queue.begin());
    order.push_back(row);
    // Where most of the rest are neighbours of each other, any order is as good.
    if (2 * degree > queue.size() || degree > 600) {
      for (const auto& [others, rest] : queue) order.push_back(rest);
      break;
    }
    const auto around = std::move(now[static_cast<std::size_t>(row)]);
    for (const i64 one : around) {
      auto& mine = now[static_cast<std::size_t>(one)];
      queue.erase({mine.size(), one});
      mine.erase(row);
      mine.insert(around.begin(), around.end());
      mine.erase(one);
      queue.emplace(mine.size(), one);
    }
  }
  return order;
}

}  // namespace gpulab::libraries
