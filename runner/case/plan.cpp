#include "runner/case/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>

#include "common/device/launch_limits.h"
#include "common/text.h"

namespace gpulab {
namespace {

int dimensions_of(const Dim3& block) { return block.z != 1 ? 3 : block.y != 1 ? 2 : 1; }

std::string because(const BlockRule& rule) { return rule.why.empty() ? "" : ", because " + rule.why; }

std::string dims_text(const std::vector<Dim3>& dims) {
  std::vector<std::string> texts;
  for (const auto& dim : dims) texts.push_back(dim_text(dim));
  return join(texts);
}

}  // namespace

bool launches_kernels(const Variant& variant) { return !variant.kernel.empty() || variant.steps; }

std::optional<std::string> refusal(const BlockRule& rule, const Dim3& block) {
  const auto threads = block.volume();
  const auto no = [&](const std::string& what) { return what + because(rule); };
  if (!rule.only.empty()) {
    if (std::find(rule.only.begin(), rule.only.end(), block) != rule.only.end()) return std::nullopt;
    return no(fmt::format("it allows only {}", dims_text(rule.only)));
  }
  if (dimensions_of(block) > rule.dimensions) {
    return no(fmt::format("its blocks have {}", plural(static_cast<std::uint64_t>(rule.dimensions), "dimension")));
  }
  if (rule.power_of_two && !std::has_single_bit(threads)) return no("its threads must be a power of two");
  if (rule.whole_warps && threads % 32 != 0) return no("its threads must be whole warps (a multiple of 32)");
  if (threads < rule.min_threads) return no(fmt::format("it needs at least {}", plural(rule.min_threads, "thread")));
  if (threads > rule.max_threads) return no(fmt::format("it takes at most {}", plural(rule.max_threads, "thread")));
  return std::nullopt;
}

std::string blocks_text(const BlockRule& rule) {
  if (!rule.only.empty()) return "only " + dims_text(rule.only);
  std::string text = rule.power_of_two ? "powers of two" : rule.whole_warps ? "multiples of 32" : "any";
  if (rule.min_threads > 1) text += fmt::format(" from {}", rule.min_threads);
  text += fmt::format(" up to {} threads", rule.max_threads);
  if (rule.dimensions > 1) text += fmt::format(", {}-D", rule.dimensions);
  return text;
}

Dim3 default_block(const Lab& lab, const Variant& variant) {
  const auto& rule = variant.blocks;
  if (!refusal(rule, lab.default_block)) return lab.default_block;
  if (!rule.only.empty()) return rule.only.front();
  for (const auto& preset : lab.block_presets) {
    if (!refusal(rule, preset)) return preset;
  }
  // The largest power of two that the rule allows. From 32 on a power of two is also a number of whole warps.
  for (std::uint32_t threads = std::bit_floor(std::min(rule.max_threads, lab.default_block.x)); threads > 0;
       threads /= 2) {
    if (!refusal(rule, {threads, 1, 1})) return {threads, 1, 1};
  }
  return {rule.min_threads, 1, 1};
}

// A word that starts with a capital asks for its value with a capital: {Op} is Sum, {op} is sum.
std::string kernel_name(std::string_view pattern, const Case& point) {
  const auto value_of = [&](std::string name) -> std::string {
    if (name == "block") return std::to_string(point.block.volume());
    if (name == "type") return std::string(cpp_name_of(point.type()));
    const bool capital = !name.empty() && std::isupper(static_cast<unsigned char>(name[0])) != 0;
    if (capital) name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    const auto it = point.params.values.find(name);
    if (it == point.params.values.end()) {
      throw std::logic_error(fmt::format("kernel '{}' names a parameter that the lab lacks: {}", pattern, name));
    }
    if (const auto* size = std::get_if<std::int64_t>(&it->second)) return std::to_string(*size);
    if (const auto* real = std::get_if<double>(&it->second)) return fmt::format("{}", *real);
    std::string word = std::get<std::string>(it->second);
    if (capital && !word.empty()) word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    return word;
  };
  std::string name;
  for (;;) {
    const auto open = pattern.find('{'), close = pattern.find('}');
    name += pattern.substr(0, open);
    if (open == std::string_view::npos) return name;
    if (close == std::string_view::npos || close < open)
      throw std::logic_error(fmt::format("unbalanced braces: {}", name));
    name += value_of(std::string(pattern.substr(open + 1, close - open - 1)));
    pattern.remove_prefix(close + 1);
  }
}

namespace {

/// Blocks that cover the extent: the quotient rounded up, at least one in each dimension.
Dim3 covering_grid(const Lab& lab, const Variant& variant, const Case& point) {
  if (variant.automatic_grid) return variant.automatic_grid(point);
  const Dim3 extent = lab.extent(point), covered = variant.covers ? variant.covers(point) : point.block;
  const auto quotient = [](std::uint32_t whole, std::uint32_t part) {
    if (part == 0) throw std::logic_error("a variant's block covers nothing");
    return std::max(1U, whole / part + (whole % part != 0 ? 1U : 0U));
  };
  return {quotient(extent.x, covered.x), quotient(extent.y, covered.y), quotient(extent.z, covered.z)};
}

void check_words(const Variant& variant, const Params& params) {
  for (const auto& [name, words] : variant.only) {
    const std::string& word = params.word(name);
    if (std::find(words.begin(), words.end(), word) == words.end())
      throw usage_error(
          fmt::format("--{}: variant '{}' cannot take {}, only {}", name, variant.name, word, join(words)),
          fmt::format("'--{} {}' runs it", name, words.front()));
  }
}

Dim3 resolve_grid(const Lab& lab, const Variant& variant, const Case& point, const std::optional<Dim3>& grid) {
  const Dim3 needed = covering_grid(lab, variant, point);
  const bool enough = !grid || variant.strides || (grid->x >= needed.x && grid->y >= needed.y && grid->z >= needed.z);
  if (enough) return grid.value_or(needed);
  throw usage_error(fmt::format("--grid: {} is too small for variant '{}': {} of {} leave part of the problem undone",
                                dim_text(*grid), variant.name, plural(grid->volume(), "block"), dim_text(point.block)),
                    fmt::format("the problem needs a grid of {}; 'auto' chooses it", dim_text(needed)));
}

std::vector<Step> steps_of(const Lab& lab, const Variant& variant, const Case& point) {
  if (variant.steps) return variant.steps(point);
  Step step;
  step.kernel = variant.kernel;
  step.grid = point.grid;
  step.block = point.block;
  step.cooperative = variant.cooperative;
  step.arguments = variant.arguments ? variant.arguments(point) : lab.arguments(point);
  if (variant.dynamic_shared_bytes) step.dynamic_shared_bytes = variant.dynamic_shared_bytes(point);
  return {step};
}

}  // namespace

Plan plan(const Lab& lab, const Variant& variant, Case point, const std::optional<Dim3>& grid) {
  Plan made;
  check_words(variant, point.params);
  if (launches_kernels(variant)) {
    if (const auto why = refusal(variant.blocks, point.block)) {
      throw usage_error(
          fmt::format("--block: variant '{}' cannot take {}: {}", variant.name, dim_text(point.block), *why),
          fmt::format("blocks it allows: {}", blocks_text(variant.blocks)));
    }
    if (variant.block && variant.block(point) != point.block) {
      throw usage_error(fmt::format("--block: variant '{}' cannot take {}: its parameters ask for {}", variant.name,
                                    dim_text(point.block), dim_text(variant.block(point))),
                        "leave --block out");
    }
    point.grid = resolve_grid(lab, variant, point, grid);
    made.steps = steps_of(lab, variant, point);
    for (auto& step : made.steps) {
      if (step.copy) continue;
      step.kernel = kernel_name(step.kernel, point);
      const auto of = fmt::format("variant '{}', {}", variant.name, step.kernel);
      check_block(step.block, of);
      check_grid(step.grid, of);
    }
  }
  made.point = std::move(point);
  return made;
}

}  // namespace gpulab
