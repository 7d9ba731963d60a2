#include "labs/scan/commentary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "labs/scan/launches.h"

namespace gpulab::labs::scan {
namespace {

constexpr std::uint32_t warp_size = 32, banks = 32;
constexpr double shuffle_steps = 5;  // of 32 lanes each: a lane whose neighbour is missing computes for nothing

double real(std::uint64_t count) { return static_cast<double>(count); }
bool is_inclusive(const Case& c) { return c.params.word("kind") == "inclusive"; }

/// " 0    1 …   31    32   33 …   63    64": elements around the ends of the first two rows of 32 banks.
std::string map_row(std::string_view name, const std::function<std::uint32_t(std::uint32_t)>& value) {
  std::string row = fmt::format("  {:<16}", name);
  for (const std::uint32_t element : {0U, 1U, 2U, 31U, 32U, 33U, 63U, 64U, 65U}) {
    row += fmt::format("{:>4}", value(element));
    if (element == 2 || element == 33 || element == 65) row += " …";
  }
  return row;
}

std::vector<std::string> bank_map(std::uint32_t threads, WordOf word_of) {
  std::string strides = "  stride          ", lanes = "  lanes in a bank ";
  for (std::uint32_t stride = 1; stride <= threads; stride *= 2) {
    strides += fmt::format("{:>4}", stride);
    lanes += fmt::format("{:>4}", lanes_per_bank(threads, stride, word_of));
  }
  return {
      "Where elements lie in shared memory, and the most lanes of a warp that meet in one bank, by the tree's step:",
      map_row("element", [](std::uint32_t e) { return e; }),
      map_row("word", word_of),
      map_row("bank", [&](std::uint32_t e) { return word_of(e) % banks; }),
      strides,
      lanes};
}

}  // namespace

// Step of distance d: the threads from d on.
double doubling_operations(std::uint32_t threads) {
  double all = 0;
  for (std::uint32_t d = 1; d < threads; d *= 2) all += threads - d;
  return all;
}

// One per inner node of a tree over two leaves per thread, on the way up and on the way down.
double tree_operations(std::uint32_t threads) { return 2 * (2 * real(threads) - 1); }

// Each warp, the first one once more for the warps' totals, and those before a warp to its threads.
double warps_operations(std::uint32_t threads) {
  return shuffle_steps * threads + shuffle_steps * warp_size + (threads - warp_size);
}

Operations scan_then_add_operations(std::uint32_t per_thread, double (*of_tile)(std::uint32_t), bool own_is_extra) {
  return [=](const Case& c) {
    const auto all = passes(c, per_thread);
    double operations = is_inclusive(c) && own_is_extra ? real(static_cast<std::uint64_t>(c.n())) : 0;
    for (const Pass& pass : all) {
      operations += pass.grid * of_tile(c.block.x);
      if (pass.grid > 1) operations += static_cast<double>(pass.n);  // the offsets
    }
    return operations;
  };
}

Operations three_phase_operations(std::uint32_t per_thread) {
  return [=](const Case& c) {
    const double threads = c.block.x;
    const double own = (per_thread - 1) * threads;
    const double reduced = own + shuffle_steps * threads + shuffle_steps * warp_size;
    double operations = 0;
    bool outermost = true;
    for (const Pass& pass : passes(c, per_thread)) {
      const double results = outermost && is_inclusive(c) ? per_thread * threads : own;
      const double scanned = own + warps_operations(c.block.x) + threads + results;  // threads: the tile's offset
      operations += pass.grid * (scanned + (pass.grid > 1 ? reduced : 0));
      outermost = false;
    }
    return operations;
  };
}

std::uint32_t unpadded(std::uint32_t element) { return element; }
std::uint32_t padded(std::uint32_t element) { return element + element / banks; }

std::uint32_t lanes_per_bank(std::uint32_t threads, std::uint32_t stride, WordOf word_of) {
  std::uint32_t most = 0;
  for (std::uint32_t warp = 0; warp < threads; warp += warp_size) {
    std::array<std::uint32_t, banks> lanes{};
    for (std::uint32_t thread = warp; thread < std::min(warp + warp_size, threads); ++thread) {
      const std::uint32_t right = 2 * stride * (thread + 1) - 1;
      if (right < 2 * threads) most = std::max(most, ++lanes[word_of(right) % banks]);
    }
  }
  return most;
}

Variant explained(Variant variant, Operations operations, WordOf word_of) {
  variant.commentary = [operations = std::move(operations), word_of](const Case& c, const ReadBuffer&) {
    const double executed = operations(c);
    Commentary commentary;
    commentary.metrics = {{"operations", executed, ""}};
    if (c.n() > 0) commentary.metrics.push_back({"operations_per_element", executed / static_cast<double>(c.n()), ""});
    if (word_of != nullptr) commentary.lines = bank_map(c.block.x, word_of);
    return commentary;
  };
  return variant;
}

}  // namespace gpulab::labs::scan
