#include "labs/scan/launches.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "labs/scan/reference.h"

namespace gpulab::labs::scan {
namespace {

std::string totals_of(std::size_t pass) { return "totals" + std::to_string(pass); }

std::vector<Buffer> totals(const Case& c, std::uint32_t per_thread) {
  std::vector<Buffer> buffers;
  for (const Pass& pass : passes(c, per_thread)) {
    buffers.push_back({totals_of(buffers.size()), c.type(), pass.grid, BufferRole::scratch});
  }
  return buffers;
}

std::function<Dim3(const Case&)> tile_of(std::uint32_t per_thread) {
  return [=](const Case& c) { return Dim3{per_thread * c.block.x}; };
}

Step step(const std::string& kernel, const Pass& pass, const Case& c, std::vector<Argument> arguments) {
  return {kernel, {pass.grid}, c.block, 0, std::move(arguments)};
}

/// The kernel of an inner scan, of totals: what comes before a tile is an exclusive sum, whatever was asked for.
std::string exclusive(std::string kernel) {
  const std::string_view kind = "{Kind}";
  return kernel.replace(kernel.find(kind), kind.size(), "Exclusive");
}

}  // namespace

double levels(const Case& c) { return static_cast<double>(std::bit_width(c.block.x - 1)); }

std::vector<Pass> passes(const Case& c, std::uint32_t per_thread) {
  const std::int64_t tile = std::int64_t{per_thread} * c.block.x;
  std::vector<Pass> all{{c.n(), c.grid.x}};
  while (all.back().grid > 1) {
    const std::int64_t left = all.back().grid;
    all.push_back({left, blocks_for(left, tile)});
  }
  return all;
}

Variant scan_then_add(Variant variant, std::uint32_t per_thread) {
  variant.covers = tile_of(per_thread);
  variant.scratch = [=](const Case& c) { return totals(c, per_thread); };
  variant.steps = [=, kernel = variant.kernel, shared = variant.dynamic_shared_bytes](const Case& c) {
    const auto all = passes(c, per_thread);
    const auto tile = static_cast<std::int32_t>(per_thread * c.block.x);
    std::vector<Step> steps;
    for (std::size_t i = 0; i < all.size(); ++i) {  // down: totals are scanned in place
      const std::string from = i == 0 ? "in" : totals_of(i - 1), to = i == 0 ? "out" : from;
      steps.push_back(step(i == 0 ? kernel : exclusive(kernel), all[i], c,
                           {BufferArgument{from}, BufferArgument{to}, BufferArgument{totals_of(i)},
                            static_cast<std::int32_t>(all[i].n)}));
      if (shared) steps.back().dynamic_shared_bytes = shared(c);
    }
    for (std::size_t i = all.size() - 1; i-- > 0;) {  // and back up
      steps.push_back(step("scan_add_offsets<{type}, {Op}>", all[i], c,
                           {BufferArgument{i == 0 ? "out" : totals_of(i - 1)}, BufferArgument{totals_of(i)}, tile,
                            static_cast<std::int32_t>(all[i].n)}));
    }
    return steps;
  };
  variant.adjust = within([=](const Case& c) {
    return static_cast<double>(passes(c, per_thread).size()) * (2 * levels(c) + 2 * per_thread + 2);
  });
  return variant;
}

Variant reduce_then_scan(Variant variant, std::uint32_t per_thread) {
  variant.covers = tile_of(per_thread);
  variant.scratch = [=](const Case& c) {
    auto buffers = totals(c, per_thread);
    buffers.pop_back();  // the last pass has one tile, whose total nobody needs
    buffers.push_back({"nothing", c.type(), 1, BufferRole::scratch, neutral(c)});
    return buffers;
  };
  variant.steps = [=, kernel = variant.kernel](const Case& c) {
    const auto all = passes(c, per_thread);
    std::vector<Step> steps;
    const auto source = [](std::size_t i) { return i == 0 ? "in" : totals_of(i - 1); };
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      steps.push_back(
          step("scan_three_phase_totals<{type}, {Op}>", all[i], c,
               {BufferArgument{source(i)}, BufferArgument{totals_of(i)}, static_cast<std::int32_t>(all[i].n)}));
    }
    for (std::size_t i = all.size(); i-- > 0;) {
      const std::string offsets = i + 1 == all.size() ? "nothing" : totals_of(i);
      steps.push_back(step(i == 0 ? kernel : exclusive(kernel), all[i], c,
                           {BufferArgument{source(i)}, BufferArgument{i == 0 ? "out" : source(i)},
                            BufferArgument{offsets}, static_cast<std::int32_t>(all[i].n)}));
    }
    return steps;
  };
  variant.adjust = within([=](const Case& c) {
    return static_cast<double>(passes(c, per_thread).size()) * (2 * levels(c) + 2 * per_thread + 2);
  });
  return variant;
}

Variant look_back(Variant variant, std::uint32_t per_thread) {
  variant.covers = tile_of(per_thread);
  variant.scratch = [](const Case& c) -> std::vector<Buffer> {
    const auto zeros = [](Scalar type, std::size_t count) { return std::vector<std::byte>(count * size_of(type)); };
    return {{"tiles", Scalar::u64, c.grid.x, BufferRole::scratch, zeros(Scalar::u64, c.grid.x)},
            {"ticket", Scalar::u32, 1, BufferRole::scratch, zeros(Scalar::u32, 1)}};
  };
  variant.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"in"}, BufferArgument{"out"}, BufferArgument{"tiles"}, BufferArgument{"ticket"},
            static_cast<std::int32_t>(c.n())};
  };
  // At worst every tile finds no more than its neighbour's prefix: a chain over all tiles.
  variant.adjust = within([=](const Case& c) { return c.grid.x + 2 * levels(c) + 2 * per_thread + 2; });
  return variant;
}

}  // namespace gpulab::labs::scan
