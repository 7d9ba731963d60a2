#include "labs/segsum/bags.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "common/text.h"

namespace gpulab::labs::segsum {

std::vector<int> lengths(const Case& c) {
  const auto bags = static_cast<std::size_t>(c.params.integer("bags"));
  // The lecture's classes: up to this many of 1110 bags, rows from, to.
  struct Class {
    std::size_t up_to;
    std::int64_t from, to;
  };
  constexpr Class classes[] = {{1000, 1, 10}, {1100, 11, 100}, {1110, 101, 1000}};
  const auto bytes = random_values(Scalar::i64, bags, c.seed, 0, 0x1p40);
  const auto random = view_as<std::int64_t>(bytes);
  std::vector<int> all(bags);
  for (std::size_t i = 0; i < bags; ++i) {
    const auto& of = *std::ranges::find_if(classes, [&](const Class& k) { return i * 1110 / bags < k.up_to; });
    all[i] = static_cast<int>(of.from + random[i] % (of.to - of.from + 1));
  }
  const auto more = random_values(Scalar::i64, bags, c.seed, 0, 0x1p40, 1);
  const auto dice = view_as<std::int64_t>(more);
  for (std::size_t i = 0; i < bags; ++i) {
    if (dice[i] % 100 < c.params.integer("empty")) all[i] = 0;
  }
  if (c.params.word("order") == "by_class") return all;
  const auto last = random_values(Scalar::i64, bags, c.seed, 0, 0x1p40, 2);
  const auto swaps = view_as<std::int64_t>(last);
  for (std::size_t i = bags; i-- > 1;) std::swap(all[i], all[static_cast<std::size_t>(swaps[i]) % (i + 1)]);
  return all;
}

std::vector<int> first_rows(const std::vector<int>& lengths) {
  std::vector<int> first(lengths.size() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), first.begin() + 1);
  return first;
}

void sum_bags(std::span<const float> x, std::span<const int> first_row, std::span<const float> fallback,
              std::span<float> out) {
  for (std::size_t bag = 0; bag + 1 < first_row.size(); ++bag) {
    const auto first = static_cast<std::size_t>(first_row[bag]), end = static_cast<std::size_t>(first_row[bag + 1]);
    const auto sum = out.subspan(bag * features, features);
    if (first == end) std::ranges::copy(fallback, sum.begin());
    if (first < end) std::ranges::fill(sum, 0.0F);
    for (std::size_t row = first; row < end; ++row) {
      for (std::size_t f = 0; f < features; ++f) sum[f] += x[row * features + f];
    }
  }
}

Rows thread_per_bag(const std::vector<int>& lengths, std::uint32_t block) {
  Rows rows;
  double walked = 0, waited = 0;
  // A block's last warp may be a part of one.
  for (std::size_t first = 0; first < lengths.size(); first += block) {
    const std::size_t end = std::min<std::size_t>(first + block, lengths.size());
    for (std::size_t lane = first; lane < end; lane += 32) {
      const auto warp = std::span(lengths).subspan(lane, std::min<std::size_t>(32, end - lane));
      rows.of_warp.push_back(std::ranges::max(warp));
      walked += std::accumulate(warp.begin(), warp.end(), 0.0);
      waited += 32.0 * rows.of_warp.back();
    }
  }
  if (waited > 0) rows.lanes_busy = walked / waited;
  return rows;
}

Rows warp_per_bag(const std::vector<int>& lengths) { return {lengths}; }

Rows balanced(const std::vector<int>& lengths) {
  Rows rows;
  std::size_t item = 0;
  const auto take = [&](bool is_row) {
    if (item++ % items_per_warp == 0) rows.of_warp.push_back(0);
    rows.of_warp.back() += is_row;
  };
  for (const int length : lengths) {
    for (int row = 0; row < length; ++row) take(true);
    take(false);
  }
  return rows;
}

Commentary spread(const Rows& rows) {
  Commentary commentary;
  if (rows.of_warp.empty()) return commentary;
  const double busiest = std::ranges::max(rows.of_warp);
  const double mean =
      std::accumulate(rows.of_warp.begin(), rows.of_warp.end(), 0.0) / static_cast<double>(rows.of_warp.size());
  commentary.metrics = {{"busiest_warp_rows", busiest, "rows"}, {"lanes_busy", rows.lanes_busy, "ratio"}};
  if (mean > 0) commentary.metrics.push_back({"load_imbalance", busiest / mean, ""});

  // Warps by their rows: none, 1, 2-3, 4-7 …
  std::vector<std::size_t> warps(std::bit_width(static_cast<unsigned>(busiest)) + std::size_t{1});
  for (const int count : rows.of_warp) ++warps[static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(count)))];
  const std::size_t most = std::ranges::max(warps);
  commentary.lines = {
      fmt::format("Rows that one warp walks through: {:.0f} at most, {:.1f} on average.", busiest, mean),
      "       rows  warps"};
  std::size_t width = 0;
  while (warps[width] == 0) ++width;
  for (; width < warps.size(); ++width) {
    const std::size_t from = width == 0 ? 0 : std::size_t{1} << (width - 1), to = (std::size_t{1} << width) - 1;
    std::string bar;
    for (std::size_t i = 0; i < (warps[width] * 40 + most - 1) / most; ++i) bar += "█";
    const std::string range = from == to ? std::to_string(from) : fmt::format("{}-{}", from, to);
    commentary.lines.push_back(fmt::format("  {:>9}  {:5}  {}", range, warps[width], bar));
  }
  return commentary;
}

}  // namespace gpulab::labs::segsum
