#include "runner/report/ncu/launch_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "common/error.h"
#include "common/text.h"

namespace gpulab::ncu {
namespace {

class NameFilter {
 public:
  explicit NameFilter(const std::string& wanted) {
    constexpr std::string_view prefix = "regex:";
    if (!wanted.starts_with(prefix)) {
      name_ = wanted;
      return;
    }
    try {
      expression_ = std::regex(wanted.substr(prefix.size()));
    } catch (const std::regex_error&) {
      throw usage_error(fmt::format("--kernel-name: '{}' is no regular expression", wanted.substr(prefix.size())));
    }
  }
  [[nodiscard]] bool takes(const std::string& base) const {
    if (expression_) return std::regex_search(base, *expression_);
    return name_.empty() || name_ == base;
  }

 private:
  std::string name_;
  std::optional<std::regex> expression_;
};

/// Lines are counted of the first launch that takes the most time: of one that has counted the same they say the same.
std::size_t launch_of_lines(const cuda_api::KernelRecord& kernel) {
  std::size_t dearest = 0;
  const auto ms = [&](std::size_t i) { return kernel.each_model[i] ? kernel.each_model[i]->ms : 0; };
  for (std::size_t i = 1; i < kernel.each_model.size(); ++i)
    if (ms(i) > ms(dearest)) dearest = i;
  return dearest;
}

}  // namespace

std::string base_name(std::string_view kernel) {
  auto name = kernel.substr(0, kernel.find_first_of("<("));
  if (const auto space = name.rfind(' '); space != std::string_view::npos) name.remove_prefix(space + 1);
  return std::string(name.substr(name.rfind(':') + 1));
}

std::vector<LaunchView> launch_views(const ProgramRun& run, const LaunchFilter& filter) {
  const NameFilter names(filter.kernel);
  const auto& gpu = gpu_profile(run.profile);
  std::map<std::string, std::size_t> seen;  // launches of each kernel so far
  std::vector<LaunchView> views;
  std::uint64_t skip = filter.skip;
  for (const auto& one : run.record.activities) {
    if (one.number == 0 || views.size() >= filter.count) continue;
    const auto kernel = std::ranges::find(run.record.kernels, one.what, &cuda_api::KernelRecord::name);
    if (kernel == run.record.kernels.end()) continue;
    const auto index = seen[one.what]++;
    if (!names.takes(base_name(kernel->name))) continue;
    if (skip > 0) {
      --skip;
      continue;
    }
    LaunchView view{.number = views.size(),
                    .kernel = &*kernel,
                    .gpu = &gpu,
                    .grid = one.grid,
                    .block = one.block,
                    .stream = one.stream,
                    .shared_bytes = one.shared_bytes,
                    .registers = one.registers};
    // Of a kernel one of whose launches failed, it is not known which counts are whose.
    if (kernel->each.size() == kernel->launches && kernel->each_model.size() == kernel->launches) {
      view.counters = &kernel->each[index];
      if (const auto& model = kernel->each_model[index]) view.model = &*model;
      view.has_lines = kernel->lines && kernel->each[index] == kernel->each[launch_of_lines(*kernel)];
    }
    const auto threads = static_cast<int>(one.block.volume());
    view.occupancy = occupancy(gpu, view.registers, one.shared_bytes, 0, threads);
    if (view.registers) view.limits = block_limits(gpu, *view.registers, one.shared_bytes, 0, threads);
    view.spread = spread_of(one.grid.volume(), view.occupancy, gpu.sm_count);
    views.push_back(view);
  }
  return views;
}

}  // namespace gpulab::ncu
