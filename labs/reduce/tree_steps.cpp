#include "labs/reduce/tree_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpulab::labs::reduce {
namespace {

constexpr std::uint32_t warp_size = 32, banks = 32, bank_bytes = 4;

/// The k-th working thread of a step, and the left element of its pair.
struct Worker {
  std::uint32_t tid, i;
};
Worker worker(const Tree& tree, std::uint32_t s, std::uint32_t k) {
  switch (tree.numbering) {
    case Numbering::multiples:
      return {2 * s * k, 2 * s * k};
    case Numbering::first_threads:
      return {k, 2 * s * k};
    default:
      return {k, k};
  }
}

std::uint32_t words_in_one_bank(const Tree& tree, const TreeStep& step, std::size_t bytes) {
  // A request of 8 bytes per lane takes two passes, of half a warp each.
  const auto words = static_cast<std::uint32_t>(std::max<std::size_t>(1, bytes / bank_bytes));
  const std::uint32_t lanes = warp_size / words;
  std::array<std::uint32_t, banks> in_bank{};
  std::uint32_t most = 0, pass = 0;
  for (std::uint32_t k = 0; k < step.threads; ++k) {
    const auto [tid, i] = worker(tree, step.s, k);
    if (tid / lanes != pass) in_bank.fill(0);
    pass = tid / lanes;
    most = std::max(most, ++in_bank[i * words % banks]);
  }
  return most;
}

std::string plus(const std::vector<TreeStep>& steps) {
  std::string text;
  for (const auto& step : steps) text += fmt::format("{}{}", text.empty() ? "" : " + ", step.warps);
  return text;
}

std::uint32_t warps_in(const std::vector<TreeStep>& steps) {
  std::uint32_t all = 0;
  for (const auto& step : steps) all += step.warps;
  return all;
}

/// "(0, 0, 16) (1, 32, 48) … (7, 224, 240)".
std::string pairs_of(const Tree& tree, const TreeStep& step) {
  constexpr std::uint32_t shown = 3;
  std::string text;
  for (std::uint32_t k = 0; k < step.threads; ++k) {
    if (k == shown && step.threads > shown + 1) text += " …";
    if (k >= shown && k + 1 < step.threads) continue;
    const auto [tid, i] = worker(tree, step.s, k);
    text += fmt::format("{}({}, {}, {})", k == 0 ? "" : " ", tid, i, i + step.s);
  }
  return step.threads == 0 ? "none" : text;
}

std::vector<std::string> table_of(const Tree& tree, const std::vector<TreeStep>& steps) {
  const auto bank = [&](const std::string& cell) {
    return tree.in_shared ? fmt::format("{:>9}", cell) : std::string();
  };
  std::vector<std::string> lines{fmt::format("  step     s  threads  warps{}  (tid, i, i + s)", bank("per bank"))};
  std::size_t number = 0;
  for (const auto& step : steps) {
    lines.push_back(fmt::format("  {:>4} {:>5} {:>8} {:>6}{}  {}", ++number, step.s, step.threads, step.warps,
                                bank(std::to_string(step.words_per_bank)), pairs_of(tree, step)));
  }
  lines.push_back(fmt::format("  total          {:>11}", warps_in(steps)));
  return lines;
}

}  // namespace

std::vector<TreeStep> steps_of(const Tree& tree, std::uint32_t block, std::size_t bytes) {
  const std::uint32_t elements = tree.elements_per_thread * block;
  std::vector<TreeStep> steps;
  for (std::uint32_t pairs = elements / 2; pairs > 0; pairs /= 2) {
    TreeStep step;
    step.s = tree.numbering == Numbering::halves ? pairs : elements / 2 / pairs;
    step.threads = pairs;
    std::uint32_t last = warp_size;  // no warp
    for (std::uint32_t k = 0; k < pairs; ++k) {
      const auto warp = worker(tree, step.s, k).tid / warp_size;
      if (k == 0 || warp != last) ++step.warps;
      last = warp;
    }
    if (tree.in_shared) step.words_per_bank = words_in_one_bank(tree, step, bytes);
    steps.push_back(step);
  }
  for (std::uint32_t extra = 0; extra < tree.extra_steps; ++extra) steps.push_back({.s = elements << extra});
  return steps;
}

Variant with_steps(Variant variant, const Tree& tree) {
  variant.commentary = [tree](const Case& c, const ReadBuffer&) {
    const auto steps = steps_of(tree, c.block.x, size_of(c.type()));
    const auto ideal = warps_in(steps_of({Numbering::halves, tree.elements_per_thread}, c.block.x, 0));
    Commentary commentary;
    commentary.metrics = {{"working_warps", static_cast<double>(warps_in(steps)), "warps"}};
    std::string line = fmt::format("Warps of a full block with a thread that works, step by step: {} = {}", plus(steps),
                                   warps_in(steps));
    if (warps_in(steps) > ideal) line += fmt::format("; {} would do", ideal);
    const bool print = c.params.is_on("print");
    commentary.lines = {line + (print ? "." : " (--print: each step's threads and pairs).")};
    if (!print) return commentary;
    if (tree.in_shared)
      commentary.lines.emplace_back("Per bank: words that a warp's threads have in one bank of shared memory at once.");
    const auto table = table_of(tree, steps);
    commentary.lines.insert(commentary.lines.end(), table.begin(), table.end());
    return commentary;
  };
  return variant;
}

}  // namespace gpulab::labs::reduce
