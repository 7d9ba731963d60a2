#include "runner/case/shared_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "common/demangle.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "labs/kernel_file.h"

namespace gpulab {
namespace {

/// What ptxas says of the variant's kernels; nothing for PTX of the user's own.
std::span<const PtxasRow> rows_of(const Lab& lab, const Variant& variant) {
  if (lab.file) return lab.file->kernels.resources;
  for (const auto& kernels : embedded_kernels())
    if (kernels.lab == lab.name && kernels.file == variant.file) return kernels.resources;
  return {};
}

/// The most shared memory per block, static and dynamic, that a launch of the plan takes. Static memory is the same for
/// all architectures. A sum that is surely at most `enough` is returned as an upper bound, since a plan may have
/// thousands of launches.
std::size_t shared_bytes(const Lab& lab, const Variant& variant, const Plan& made, std::size_t enough) {
  const auto rows = rows_of(lab, variant);
  std::size_t any_static = 0, any_dynamic = 0, most = 0;
  for (const auto& row : rows) any_static = std::max(any_static, static_cast<std::size_t>(row.static_shared_bytes));
  for (const auto& step : made.steps) any_dynamic = std::max<std::size_t>(any_dynamic, step.dynamic_shared_bytes);
  if (any_static + any_dynamic <= enough) return any_static + any_dynamic;
  for (const auto& step : made.steps) {
    if (step.copy) continue;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const PtxasRow& r) {
      return r.entry == step.kernel || same_kernel_name(kernel_name(r.entry), step.kernel);
    });
    const auto own = row == rows.end() ? 0 : static_cast<std::size_t>(row->static_shared_bytes);
    most = std::max(most, own + step.dynamic_shared_bytes);
  }
  return most;
}

/// Finds the largest values of a case's parameters, and of its block, that fit.
class Search {
 public:
  Search(const Lab& lab, const Variant& variant, Case point, std::optional<Dim3> grid)
      : lab_(lab), variant_(variant), point_(std::move(point)), grid_(grid) {}

  /// The largest value of the parameter at which the rest of the case fits, where there is one.
  [[nodiscard]] std::optional<std::int64_t> largest(const Param& param) const {
    const auto* asked = std::get_if<std::int64_t>(&point_.params.values.at(param.name));
    const auto with = [&](std::int64_t value) {
      Case c = point_;
      c.params.values[param.name] = value;
      return fits(c);
    };
    if (asked == nullptr || !with(param.min)) return std::nullopt;
    std::int64_t good = param.min, bad = *asked;
    while (bad - good > 1) {
      const std::int64_t middle = std::midpoint(good, bad);
      (with(middle) ? good : bad) = middle;
    }
    return good;
  }
  [[nodiscard]] std::optional<std::uint32_t> largest_block() const {
    if (point_.block.y != 1 || point_.block.z != 1) return std::nullopt;
    for (std::uint32_t threads = point_.block.x; threads-- > 1;) {
      Case c = point_;
      c.block.x = threads;
      if (!refusal(variant_.blocks, c.block) && fits(c)) return threads;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool fits(const Case& c) const {
    try {
      const auto most = c.gpu->shared_bytes_per_block_optin;
      return shared_bytes(lab_, variant_, plan(lab_, variant_, c, grid_), most) <= most;
    } catch (const Error&) {
      return false;
    }
  }
  const Lab& lab_;
  const Variant& variant_;
  Case point_;
  std::optional<Dim3> grid_;
};

}  // namespace

void check_shared_memory(const Lab& lab, const Variant& variant, const Plan& made, const std::optional<Dim3>& grid) {
  const auto* gpu = made.point.gpu;
  if (gpu == nullptr || gpu->shared_bytes_per_block_optin == 0 || made.steps.empty()) return;
  const auto most = gpu->shared_bytes_per_block_optin, needed = shared_bytes(lab, variant, made, most);
  if (needed <= most) return;
  std::vector<std::string> options, fitting;
  const auto add = [&](const std::string& option, auto value) {
    options.push_back("--" + option);
    fitting.push_back(fmt::format("--{} at most {}", option, value));
  };
  const Search search(lab, variant, made.point, grid);
  for (const auto& param : lab.params)
    if (const auto value = search.largest(param)) add(param.name, *value);
  if (lab.file) {
    if (const auto own = needed - lab.file->file.dynamic_shared_bytes; own <= most) add("shared", most - own);
  }
  if (const auto threads = search.largest_block()) add("block", *threads);
  throw usage_error(
      fmt::format("{}: a block of variant '{}' needs {} of shared memory, {} has {} per block",
                  options.empty() ? "--variant" : join(options), variant.name, bytes_text(static_cast<double>(needed)),
                  gpu->name, bytes_text(static_cast<double>(most))),
      fitting.empty() ? "no smaller size would fit" : "what fits: " + join(fitting, ", or "));
}

}  // namespace gpulab
