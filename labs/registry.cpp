#include "labs/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "common/counters.h"
#include "common/text.h"

namespace gpulab {
namespace {

Lab made(const LabFolder& folder) {
  Lab lab = folder.lab();
  lab.name = folder.name;
  return lab;
}

}  // namespace

std::vector<Lab> all_labs() {
  std::vector<Lab> labs;
  labs.reserve(lab_folders().size());
  for (const auto& folder : lab_folders()) labs.push_back(made(folder));
  std::ranges::sort(labs, {}, [](const Lab& lab) { return std::tie(lab.lecture, lab.name); });
  return labs;
}

std::optional<Lab> lab_alone(std::string_view name) {
  const auto folders = lab_folders();
  const auto it = std::ranges::find(folders, name, &LabFolder::name);
  return it == folders.end() ? std::nullopt : std::optional(made(*it));
}

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

std::vector<const Variant*> rungs_below(const Lab& lab, std::string_view variant) {
  const auto named = [&](std::string_view name) {
    return std::find_if(lab.variants.begin(), lab.variants.end(), [&](const Variant& v) { return v.name == name; });
  };
  std::vector<const Variant*> below;
  auto rung = named(variant);
  // A rung is built on one that stands before it (defects), so that this ends.
  while (rung != lab.variants.end() && rung != lab.variants.begin() && !rung->starts) {
    rung = rung->builds_on.empty() ? std::prev(rung) : named(rung->builds_on);
    if (rung != lab.variants.end()) below.push_back(&*rung);
  }
  return below;
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
    if (!variant.builds_on.empty() && !names.contains(variant.builds_on))
      found.push_back(fmt::format("{}.{}: builds on '{}', which is no variant before it", lab.name, variant.name,
                                  variant.builds_on));
    if (!names.insert(variant.name).second)
      found.push_back(fmt::format("{}.{}: declared twice", lab.name, variant.name));
    check_variant(lab, variant, found);
  }
  if (!names.contains(lab.headline))
    found.push_back(fmt::format("{}: headline '{}' is no variant", lab.name, lab.headline));
  for (const auto& subject : lab.subject) {
    const auto columns = counters_and_columns();
    if (std::none_of(columns.begin(), columns.end(),
                     [&](const CounterInfo& info) { return info.name == subject && !info.ladder.heading.empty(); }))
      found.push_back(fmt::format("{}: its subject '{}' is no column", lab.name, subject));
  }
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
