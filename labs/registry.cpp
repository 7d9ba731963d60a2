#include "labs/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/text.h"

namespace gpulab {

std::vector<std::string> lab_names(std::span<const Lab> labs) {
  std::vector<std::string> names;
  for (const auto& lab : labs) names.push_back(lab.name);
  return names;
}

std::vector<std::string> variant_names(const Lab& lab) {
  std::vector<std::string> names;
  for (const auto& variant : lab.variants) names.push_back(variant.name);
  return names;
}

const Lab& find_lab(std::span<const Lab> labs, std::string_view name) {
  const auto it = std::find_if(labs.begin(), labs.end(), [&](const Lab& lab) { return lab.name == name; });
  if (it != labs.end()) return *it;
  throw unknown_lab(name, lab_names(labs));
}

Error unknown_lab(std::string_view name, const std::vector<std::string>& known) {
  return usage_error(fmt::format("unknown lab '{}'", name), did_you_mean(name, known, "'gpulab list' shows all labs"));
}

const Variant& find_variant(const Lab& lab, std::string_view name) {
  const auto it = std::find_if(lab.variants.begin(), lab.variants.end(), [&](const auto& v) { return v.name == name; });
  if (it != lab.variants.end()) return *it;
  throw usage_error(
      fmt::format("{} has no variant '{}'", lab.name, name),
      did_you_mean(name, variant_names(lab), fmt::format("'gpulab list {}' shows all variants", lab.name)));
}

namespace {

void check_variant(const Lab& lab, const Variant& variant, std::vector<std::string>& found) {
  const auto complain = [&](std::string_view what) {
    found.push_back(fmt::format("{}.{}: {}", lab.name, variant.name, what));
  };
  const int kernel = variant.kernel.empty() && !variant.steps ? 0 : 1;
  const int ways =
      kernel + (variant.vendor.run != nullptr ? 1 : 0) + (variant.host ? 1 : 0) + (variant.calculate ? 1 : 0);
  if (ways != 1) complain("exactly one of kernel or steps, vendor, host and calculate must say how it runs");
  if (variant.summary.empty()) complain("a variant needs a summary");
  if (!variant.kernel.empty() && !variant.steps && !variant.arguments && !lab.arguments) complain("no arguments");
  if (variant.blocks.min_threads > variant.blocks.max_threads) complain("no block satisfies its rule");
}

void check_params(const Lab& lab, std::vector<std::string>& found) {
  for (const auto& param : lab.params) {
    const auto complain = [&](std::string_view what) {
      found.push_back(fmt::format("{}.{}: {}", lab.name, param.name, what));
    };
    if (const auto* word = std::get_if<std::string>(&param.fallback)) {
      const bool known = std::find(param.choices.begin(), param.choices.end(), *word) != param.choices.end();
      if (!known) complain("the default is none of the choices");
    } else if (!param.choices.empty()) {
      complain("a number has no choices");
    } else if (const auto* size = std::get_if<std::int64_t>(&param.fallback);
               size != nullptr && (*size < param.min || *size > param.max)) {
      complain("the default is outside its bounds");
    }
  }
}

}  // namespace

std::vector<std::string> defects(const Lab& lab) {
  std::vector<std::string> found;
  std::set<std::string> names;
  for (const auto& variant : lab.variants) {
    if (!names.insert(variant.name).second)
      found.push_back(fmt::format("{}.{}: declared twice", lab.name, variant.name));
    check_variant(lab, variant, found);
  }
  if (!names.contains(lab.headline))
    found.push_back(fmt::format("{}: headline '{}' is no variant", lab.name, lab.headline));
  if (!lab.problem || !lab.work) found.push_back(fmt::format("{}: needs problem and work", lab.name));
  for (const auto& variant : lab.variants) {
    // Without an extent there is nothing for an automatic grid to cover.
    if (!variant.kernel.empty() && !variant.steps && !variant.automatic_grid && !lab.extent)
      found.push_back(fmt::format("{}.{}: needs an extent or an automatic grid", lab.name, variant.name));
  }
  check_params(lab, found);
  return found;
}

}  // namespace gpulab
