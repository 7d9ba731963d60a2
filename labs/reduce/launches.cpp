#include "labs/reduce/launches.h"

#include <array>
#include <bit>
#include <utility>

#include "labs/reduce/reference.h"

namespace gpulab::labs::reduce {
namespace {

struct Pass {
  std::int64_t n;
  std::uint32_t grid;
};

std::vector<Pass> passes(const Case& c, std::uint32_t per_thread) {
  const std::int64_t per_block = std::int64_t{per_thread} * c.block.x;
  std::vector<Pass> all{{c.n(), c.grid.x}};
  while (all.back().grid > 1) {
    const std::int64_t left = all.back().grid;
    all.push_back({left, blocks_for(left, per_block)});
  }
  return all;
}

/// Odd passes write to the first, even ones to the second; the last one writes the answer.
constexpr std::array<const char*, 2> partials{"partials", "partials2"};

std::vector<Buffer> results_of_passes(const Case& c, std::uint32_t per_thread) {
  const auto all = passes(c, per_thread);
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < partials.size() && i + 1 < all.size(); ++i) {
    buffers.push_back({partials[i], c.type(), all[i].grid, BufferRole::scratch});
  }
  return buffers;
}

}  // namespace

double levels(const Case& c) { return static_cast<double>(std::bit_width(c.block.x - 1)); }

std::function<void(const Case&, Problem&)> within(Depth depth) {
  return [depth = std::move(depth)](const Case& c, Problem& problem) {
    for (Expected& expected : problem.expected) {
      if (!expected.real.empty()) expected.tolerance = tolerance(c, depth(c), expected.real[0]);
    }
  };
}

std::function<void(const Case&, Problem&)> accumulates(Depth depth) {
  return [bound = within(std::move(depth))](const Case& c, Problem& problem) {
    for (Buffer& buffer : problem.buffers) {
      if (buffer.role == BufferRole::output) buffer.initial = neutral(c);
    }
    bound(c, problem);
  };
}

Variant repeats(Variant variant, std::uint32_t per_thread) {
  variant.covers = [=](const Case& c) { return Dim3{per_thread * c.block.x}; };
  variant.scratch = [=](const Case& c) { return results_of_passes(c, per_thread); };
  variant.steps = [=, kernel = variant.kernel, shared = variant.dynamic_shared_bytes](const Case& c) {
    std::vector<Step> steps;
    for (const Pass& pass : passes(c, per_thread)) {
      const std::size_t i = steps.size();
      const std::string from = i == 0 ? "in" : partials[(i - 1) % 2], to = pass.grid == 1 ? "out" : partials[i % 2];
      steps.push_back({kernel,
                       {pass.grid},
                       c.block,
                       shared ? shared(c) : 0,
                       {BufferArgument{from}, BufferArgument{to}, static_cast<std::int32_t>(pass.n)}});
    }
    return steps;
  };
  variant.adjust = within(
      [=](const Case& c) { return static_cast<double>(passes(c, per_thread).size()) * (levels(c) + per_thread); });
  return variant;
}

}  // namespace gpulab::labs::reduce
