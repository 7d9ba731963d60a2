#include "tests/labs/lab_case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "common/device/gpu/gpu.h"
#include "common/text.h"
#include "runner/case/metrics.h"

namespace gpulab {

namespace {

std::unique_ptr<Device> tested_device() {
  const char* name = std::getenv("GPULAB_LABS_DEVICE");
  return name != nullptr && std::string_view(name) == "gpu" ? make_gpu(0)
                                                            : make_simulator(gpu_profile("h200"), {.threads = 2});
}

}  // namespace

TestedDevice::TestedDevice()
    : device(tested_device()),
      gpu(gpu_profile(device->info().profile.empty() ? "h200" : device->info().profile)),
      runner(*device) {}

bool TestedDevice::runs(const Variant& variant) const {
  const auto& info = device->info();
  if (info.compute_major * 10 + info.compute_minor < variant.min_compute_capability) return false;
  return is_gpu() || (variant.vendor.run == nullptr && !variant.gpu_only);
}

const std::vector<Lab>& tested_labs() {
  static const std::vector<Lab> labs = [] {
    auto all = all_labs();
    if (const char* names = std::getenv("GPULAB_LABS")) {
      const auto wanted = split(names, ',');
      std::erase_if(all, [&](const Lab& lab) { return std::ranges::find(wanted, lab.name) == wanted.end(); });
    }
    return all;
  }();
  return labs;
}

const Lab& lab_named(std::string_view name) {
  static const std::vector<Lab> labs = all_labs();
  const auto it = std::ranges::find(labs, name, &Lab::name);
  if (it == labs.end()) throw std::logic_error("there is no lab " + std::string(name));
  return *it;
}

const Variant& variant_named(const Lab& lab, std::string_view name) {
  const auto it = std::ranges::find(lab.variants, name, &Variant::name);
  if (it == lab.variants.end()) throw std::logic_error(lab.name + " has no variant " + std::string(name));
  return *it;
}

Case default_case(const Lab& lab, const Variant& variant, const GpuProfile& gpu) {
  Case c;
  c.block = default_block(lab, variant);
  c.sm_count = gpu.sm_count;
  c.max_threads_per_sm = gpu.max_threads_per_sm;
  c.gpu = &gpu;
  for (const auto& param : lab.params) c.params.values[param.name] = param.fallback;
  for (const auto& [name, words] : variant.only) {
    auto& value = c.params.values.at(name);
    if (std::ranges::find(words, std::get<std::string>(value)) == words.end()) value = words.front();
  }
  return c;
}

std::vector<std::string> sizes_of(const Lab& lab) {
  std::vector<std::string> names;
  for (const auto& param : lab.params) {
    if (std::holds_alternative<std::int64_t>(param.fallback) && param.tested.empty()) names.push_back(param.name);
  }
  return names;
}

Result run_lab_case(std::string_view lab_name, std::string_view variant_name,
                    const std::map<std::string, ParamValue>& params, const CaseChanges& changes) {
  SimulatorOptions options{.threads = 2};
  options.sanitize = changes.sanitize;
  Simulation simulation(options);
  const Lab& lab = lab_named(lab_name);
  const Variant& variant = variant_named(lab, variant_name);
  Case c = default_case(lab, variant, simulation.gpu);
  for (const auto& [name, value] : params) c.params.values.at(name) = value;
  if (changes.block) c.block = *changes.block;
  RunOptions run;
  run.grid = changes.grid;
  return simulation.runner.run(lab, variant, c, run);
}

double counted(const Result& result, std::string_view name) {
  const auto* info = result.counters ? find_counter(name) : nullptr;
  if (info != nullptr) return info->value(*result.counters).value_or(std::nan(""));
  const auto* metric = find_metric(result, name);
  return metric != nullptr ? metric->value : std::nan("");
}

}  // namespace gpulab
