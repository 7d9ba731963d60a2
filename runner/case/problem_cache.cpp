#include "runner/case/problem_cache.h"

#include <fmt/format.h>

namespace gpulab {
namespace {

/// All that a problem may depend on: everything but the grid, which differs from variant to variant.
std::string key_of(const Lab& lab, const Case& point) {
  std::string key = fmt::format("{} seed {} block {}x{}x{} sm {}", lab.name, point.seed, point.block.x, point.block.y,
                                point.block.z, point.sm_count);
  for (const auto& [name, value] : point.params.values) {
    key += fmt::format(" {}=", name);
    std::visit([&](const auto& v) { key += fmt::format("{}", v); }, value);
  }
  return key;
}

}  // namespace

const Problem& ProblemCache::get(const Lab& lab, const Variant& variant, const Case& point) {
  auto key = key_of(lab, point);
  if (key != key_) {
    clear();  // before the next is made: two problems of 2^27 elements take a gigabyte
    Case without_grid = point;
    without_grid.grid = {1, 1, 1};
    problem_ = lab.problem(without_grid);
    key_ = std::move(key);
  } else if (adjusted_) {
    problem_.expected = expected_;
    for (const auto& [index, buffer] : buffers_) problem_.buffers[index] = buffer;
    adjusted_ = false;
  }
  if (variant.adjust) {
    expected_ = problem_.expected;
    buffers_.clear();
    for (std::size_t i = 0; i < problem_.buffers.size(); ++i) {
      if (problem_.buffers[i].role != BufferRole::input) buffers_.emplace_back(i, problem_.buffers[i]);
    }
    adjusted_ = true;
    variant.adjust(point, problem_);
  }
  return problem_;
}

void ProblemCache::clear() {
  key_.clear();
  problem_ = {};
  expected_.clear();
  buffers_.clear();
  adjusted_ = false;
}

}  // namespace gpulab
