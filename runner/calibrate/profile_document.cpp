#include "runner/calibrate/profile_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/simt/timing/gpu_timing.h"
#include "runner/version.h"

namespace gpulab::calibrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMeasured = "measured", kDriver = "driver", kDataSheet = "data_sheet", kFamily = "family";

/// A number of configs/gpus.
struct GpuField {
  std::string_view name, unit;
  double (*of)(const GpuProfile& gpu);
};
template <auto Member>
double member(const GpuProfile& gpu) {
  return static_cast<double>(gpu.*Member);
}
using P = GpuProfile;
constexpr GpuField kFields[] = {
    {"sm_count", "SMs", member<&P::sm_count>},
    {"fp32_lanes_per_sm", "lanes", member<&P::fp32_lanes_per_sm>},
    {"max_threads_per_sm", "threads", member<&P::max_threads_per_sm>},
    {"max_threads_per_block", "threads", member<&P::max_threads_per_block>},
    {"max_blocks_per_sm", "blocks", member<&P::max_blocks_per_sm>},
    {"registers_per_sm", "32-bit registers", member<&P::registers_per_sm>},
    {"registers_per_block", "32-bit registers", member<&P::registers_per_block>},
    {"shared_bytes_per_sm", "bytes", member<&P::shared_bytes_per_sm>},
    {"shared_bytes_per_block", "bytes", member<&P::shared_bytes_per_block>},
    {"shared_bytes_per_block_optin", "bytes", member<&P::shared_bytes_per_block_optin>},
    {"reserved_shared_bytes_per_block", "bytes", member<&P::reserved_shared_bytes_per_block>},
    {"memory_bandwidth", "GB/s", member<&P::memory_bandwidth_gbs>},
    {"nvlink", "GB/s", member<&P::nvlink_gbs>},
    {"fp32", "TFLOP/s", member<&P::fp32_tflops>},
    {"memory", "bytes", member<&P::memory_bytes>},
    {"l2", "bytes", member<&P::l2_bytes>},
};

/// "CUDA cores" of an SM, by compute capability (CUDA C++ Programming Guide, arithmetic instructions).
int fp32_lanes(int major, int minor) {
  const bool halves = major == 7 || (minor == 0 && (major == 6 || major == 8));
  return halves ? 64 : 128;
}

/// The build's own of this name; else the nearest of its compute capability, else of its generation.
const GpuProfile& relative_of(const DeviceInfo& gpu) {
  const GpuProfile* best = nullptr;
  const auto distance = [&](const GpuProfile& p) {
    return 1e6 * std::abs(10 * (p.compute_major - gpu.compute_major) + p.compute_minor - gpu.compute_minor) +
           std::abs(p.sm_count - gpu.sm_count);
  };
  for (const GpuProfile& one : gpu_profiles()) {
    if (one.name == gpu.name) return one;
    if (best == nullptr || distance(one) < distance(*best)) best = &one;
  }
  return *best;
}

std::vector<Value> fields_of(const GpuProfile& gpu, std::string_view origin) {
  std::vector<Value> all;
  for (const GpuField& field : kFields) {
    const double value = field.of(gpu);
    if (value == 0 && field.name == "nvlink") continue;
    all.push_back({std::string(field.name), std::string(field.unit), value, std::string(origin),
                   fmt::format("configs/gpus/{}.json: {}", gpu.id, gpu.source)});
  }
  return all;
}

Value* find(std::vector<Value>& values, std::string_view field) {
  const auto found = std::ranges::find(values, field, &Value::field);
  return found == values.end() ? nullptr : &*found;
}

void set(std::vector<Value>& values, std::string_view field, double value, std::string_view origin,
         std::string source) {
  if (auto* one = find(values, field); one != nullptr && (value > 0 || field == "reserved_shared_bytes_per_block")) {
    one->value = value;
    one->origin = origin;
    one->source = std::move(source);
  }
}

/// All numbers of time, as they would be carried over from a GPU that was measured.
std::vector<Value> carried_over(const GpuProfile& gpu, const std::string& from) {
  const simt::GpuTiming timing = simt::estimated_timing(gpu, from), &there = *simt::gpu_timing(from);
  std::vector<Value> all;
  const auto add = [&](const simt::TimingField& field, double usual) {
    const double value = timing.*field.value;
    const bool of_data_sheet = field.name == "clock" || field.name == "dram_bandwidth";
    const auto how = value == there.*field.value ? std::string("as it is there") : "by the data sheets of both";
    if (value == usual && usual == 1) return;
    all.push_back({std::string(field.name), std::string(field.unit), value,
                   std::string(of_data_sheet ? kDataSheet : kFamily),
                   fmt::format("configs/timing/{}.json, {}", from, how)});
  };
  for (const auto& field : simt::timing_fields()) add(field, 0);
  for (const auto& field : simt::further_timing_fields()) add(field, 1);
  return all;
}

std::string unit_of(std::string_view field) {
  for (const auto fields : {simt::timing_fields(), simt::further_timing_fields()})
    for (const auto& one : fields)
      if (one.name == field) return std::string(one.unit);
  return "times";
}

Json entries(const std::vector<Value>& values) {
  Json all = Json::object();
  for (const Value& one : values) {
    Json entry{{"value", one.value}, {"unit", one.unit}, {"origin", one.origin}, {"source", one.source}};
    if (one.value == std::floor(one.value) && std::abs(one.value) < 9e15)
      entry["value"] = static_cast<std::int64_t>(one.value);
    all[one.field] = std::move(entry);
  }
  return all;
}

}  // namespace

Profile measured_profile(const DeviceInfo& gpu, std::span<const DeviceLimit> limits, double memory_bytes,
                         const Place& place, const std::vector<Probe>& probes, Measurements measurements) {
  const GpuProfile& relative = relative_of(gpu);
  const bool same = relative.name == gpu.name;
  Profile profile{
      gpu.name, gpu.compute_major,      gpu.compute_minor, fields_of(relative, same ? kDataSheet : kFamily), {},
      probes,   std::move(measurements)};
  for (const DeviceLimit& limit : limits)
    if (limit.field != "memory_bandwidth" || !same)
      set(profile.fields, limit.field, limit.value, kDriver, "the driver's attribute of the GPU");
  set(profile.fields, "fp32_lanes_per_sm", fp32_lanes(gpu.compute_major, gpu.compute_minor), kDataSheet,
      "CUDA C++ Programming Guide, arithmetic instructions, by compute capability");
  if (!same) set(profile.fields, "memory", memory_bytes, kDriver, "what the driver says that there is");
  const auto at = measured(place, probes, profile.measurements.readings);
  std::map<std::string, Value> timed;
  for (const TimingRule& rule : timing_rules()) {
    if (!at.has(rule.probes)) continue;
    const double value = rule.value(at);
    if (!std::isfinite(value) || value <= 0) {
      profile.measurements.problems.push_back(
          fmt::format("{} would be {:.4g}, which nothing can be", rule.field, value));
      continue;
    }
    std::string from;
    for (const auto id : rule.probes) from += (from.empty() ? "" : ", ") + std::string(id);
    timed[std::string(rule.field)] = {std::string(rule.field), unit_of(rule.field),
                                      std::stod(fmt::format("{:.4g}", value)), std::string(kMeasured),
                                      fmt::format("{} (probes {})", rule.how, from)};
  }
  // What has no data sheet here follows from what was measured.
  if (!same) {
    profile.fields.erase(std::remove_if(profile.fields.begin(), profile.fields.end(),
                                        [](const Value& v) { return v.field == "nvlink"; }),
                         profile.fields.end());
    const double lanes = find(profile.fields, "fp32_lanes_per_sm")->value * find(profile.fields, "sm_count")->value;
    set(profile.fields, "fp32", std::stod(fmt::format("{:.4g}", 2 * lanes * at.clock_ghz / 1e3)), kMeasured,
        "lanes of all SMs, two operations each, at the clock that was measured");
    if (const auto found = timed.find("dram_bandwidth");
        found != timed.end() && find(profile.fields, "memory_bandwidth")->origin != kDriver)
      set(profile.fields, "memory_bandwidth", std::ceil(found->second.value / 0.97), kMeasured,
          "what was reached, which is 0.97 of the peak on an H100");
  }
  GpuProfile stands = relative;
  stands.id = "measured";
  stands.sm_count = static_cast<int>(find(profile.fields, "sm_count")->value);
  stands.l2_bytes = static_cast<std::size_t>(find(profile.fields, "l2")->value);
  stands.fp32_lanes_per_sm = static_cast<int>(find(profile.fields, "fp32_lanes_per_sm")->value);
  stands.fp32_tflops = 2.0 * stands.fp32_lanes_per_sm * stands.sm_count * at.clock_ghz / 1e3;
  stands.memory_bandwidth_gbs = find(profile.fields, "memory_bandwidth")->value;
  stands.compute_major = gpu.compute_major;
  stands.compute_minor = gpu.compute_minor;
  const bool is_known = same && simt::gpu_timing(relative.id) != nullptr;
  for (Value& value : carried_over(stands, is_known ? relative.id : "h100")) {
    const auto found = timed.find(value.field);
    if (found == timed.end())
      profile.timing.push_back(std::move(value));
    else
      profile.timing.push_back(std::move(found->second)), timed.erase(found);
  }
  for (auto& [field, value] : timed) profile.timing.push_back(std::move(value));
  return profile;
}

Profile estimated_profile(const GpuProfile& gpu, const std::string& from) {
  if (simt::gpu_timing(from) == nullptr)
    throw usage_error(fmt::format("--from: nobody has measured '{}'", from), "h100 or h200");
  return {gpu.name, gpu.compute_major, gpu.compute_minor, fields_of(gpu, kDataSheet), carried_over(gpu, from), {}, {}};
}

std::string profile_json(const Profile& profile) {
  Json readings = Json::array();
  for (const Probe& probe : profile.probes) {
    const auto found = profile.measurements.readings.find(probe.id);
    if (found == profile.measurements.readings.end()) continue;
    readings.push_back({{"id", probe.id},
                        {"kernel", probe.name},
                        {"grid", probe.grid},
                        {"block", probe.block},
                        {"n", probe.n},
                        {"stride", probe.stride},
                        {"elements", probe.elements},
                        {"warm", probe.warm},
                        {"launches", probe.launches},
                        {"cycles", found->second.cycles},
                        {"median_ms", found->second.ms}});
  }
  const std::string by = fmt::format("gpulab calibrate, gpulab {}", version());
  const Json document{
      {"schema", "gpulab.profile.v1"},
      {"name", profile.name},
      {"compute_capability", fmt::format("{}.{}", profile.compute_major, profile.compute_minor)},
      {"sources", {{"made_by", by}}},
      {"fields", entries(profile.fields)},
      {"timing", {{"validated", false}, {"sources", {{"made_by", by}}}, {"fields", entries(profile.timing)}}},
      {"probes", std::move(readings)},
      {"problems", profile.measurements.problems}};
  return document.dump(2) + "\n";
}

}  // namespace gpulab::calibrate
