#include "common/simt/timing/gpu_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/embedded.h"
#include "common/error.h"
#include "common/gpu_profile.h"

namespace gpulab::simt {

namespace {

using nlohmann::json;

using T = GpuTiming;
constexpr TimingField kFields[] = {
    {"clock", "GHz", &T::clock_ghz},
    {"launch", "us", &T::launch_us},
    {"next_launch", "us", &T::next_launch_us},
    {"next_in_graph", "us", &T::next_in_graph_us},
    {"host_launch", "us", &T::host_launch_us},
    {"block", "cycles", &T::block_cycles},
    {"block_gap", "cycles", &T::block_gap_cycles},
    {"shared_latency", "cycles", &T::shared_latency},
    {"l1_latency", "cycles", &T::l1_latency},
    {"l2_latency", "cycles", &T::l2_latency},
    {"dram_latency", "cycles", &T::dram_latency},
    {"l2_spread", "cycles", &T::l2_spread},
    {"dram_spread", "cycles", &T::dram_spread},
    {"atomic_latency", "cycles", &T::atomic_latency},
    {"same_address", "cycles", &T::same_address_cycles},
    {"same_address_float", "cycles", &T::same_address_float_cycles},
    {"shared_float_latency", "cycles", &T::shared_float_latency},
    {"shared_float", "cycles", &T::shared_float_cycles},
    {"shared_float_contended", "cycles", &T::shared_float_contended_cycles},
    {"shared_atomic", "cycles", &T::shared_atomic_cycles},
    {"shared_atomic_latency", "cycles", &T::shared_atomic_latency},
    {"store_port", "bytes/cycle", &T::store_bytes_per_cycle},
    {"l2_partial", "sectors/cycle", &T::l2_partial_sectors},
    {"l2_partial_alone", "sectors/cycle", &T::l2_partial_sectors_alone},
    {"atomic_round", "cycles", &T::atomic_round_cycles},
    {"slice_round", "cycles", &T::slice_round_cycles},
    {"l2_scattered", "share", &T::l2_scattered},
    {"dram_mixed", "share", &T::dram_mixed},
    {"dram_queue", "cycles", &T::dram_queue},
    {"dram_scattered", "share", &T::dram_scattered},
    {"l1_bandwidth", "bytes/cycle", &T::l1_bytes_per_cycle},
    {"l2_port", "bytes/cycle", &T::l2_bytes_per_cycle},
    {"l2_bandwidth", "bytes/cycle", &T::l2_total_bytes_per_cycle},
    {"l2_written", "bytes/cycle", &T::l2_written_bytes_per_cycle},
    {"dram_bandwidth", "GB/s", &T::dram_gbs},
    {"dirty_l2", "bytes", &T::dirty_l2_bytes},
    {"l2", "bytes", &T::l2_bytes},
    {"barrier_latency", "cycles", &T::barrier_latency},
    {"barrier_warp", "cycles", &T::barrier_warp_cycles},
    {"fence_latency", "cycles", &T::fence_latency},
};
constexpr TimingField kFurther[] = {
    {"fp32_slower", "times", &T::fp32_slower},
    {"fp64_slower", "times", &T::fp64_slower},
    {"special_slower", "times", &T::special_slower},
    {"profiled_launch", "us", &T::profiled_launch_us},
    {"profiled_copy", "us", &T::profiled_copy_us},
    {"profiled_wait", "us", &T::profiled_wait_us},
    {"profiled_load", "us", &T::profiled_load_us},
    {"profiled_load_behind", "us", &T::profiled_load_behind_us},
    {"profiled_next_load", "us", &T::profiled_next_load_us},
    {"profiled_in_graph", "us", &T::profiled_in_graph_us},
};

double number_of(const json& entry, const TimingField& field, std::string_view path) {
  if (entry.at("unit").get<std::string>() != field.unit)
    throw usage_error(fmt::format("'{}' is not in {}", field.name, field.unit), "correct the unit or convert the value",
                      std::string(path));
  const auto value = entry.at("value").get<double>();
  const bool divides = field.unit == "GHz" || field.unit == "GB/s" || field.unit == "bytes/cycle";
  if (!(value > 0 || (value == 0 && !divides)) || value > 1e18)
    throw usage_error(fmt::format("'{}' is {}, which nothing can be", field.name, value), "correct it",
                      std::string(path));
  return value;
}

GpuTiming parse(std::string_view id, const json& document, std::string_view path) {
  GpuTiming t;
  t.gpu = id;
  t.validated = document.at("validated").get<bool>();
  const json& fields = document.at("fields");
  for (const TimingField& field : kFields) t.*field.value = number_of(fields.at(std::string(field.name)), field, path);
  for (const TimingField& field : kFurther)
    if (const auto found = fields.find(std::string(field.name)); found != fields.end())
      t.*field.value = number_of(*found, field, path);
  return t;
}

/// Of a file that this build does not have: nobody has compared it with its GPU.
template <typename Document>
GpuTiming of_others(std::string_view profile, const std::string& file, const Document& document) {
  try {
    GpuTiming timing = parse(profile, document(), file);
    timing.validated = false;
    return timing;
  } catch (const json::exception& error) {
    // "[json.exception.out_of_range.403] key 'l2' not found": what lies behind the bracket is for people.
    const std::string what = error.what();
    throw usage_error(what.substr(std::min(what.find("] ") + 2, what.size())),
                      "'gpulab calibrate' measures a GPU; configs/timing/h200.json shows the form", file);
  }
}

/// The part "timing" of a profile that was added (add_gpu_profile); nullptr: it has none.
std::unique_ptr<GpuTiming> of_added(std::string_view profile, std::string_view text) {
  const json document = json::parse(text);
  if (!document.contains("timing")) return nullptr;
  return std::make_unique<GpuTiming>(of_others(profile, std::string(profile), [&] { return document.at("timing"); }));
}

/// Of DRAM's peak, what a plain read and write reach on an H100 (3280 of 3350 GB/s) and an H200 (4600 of 4800).
constexpr double kReachedOfPeak = 0.97;
/// The largest L2 that is one; those of an A100 and an H100 are two halves, and what both ask for lies in both.
constexpr double kOneL2 = 33554432;

bool is_before(const GpuProfile& p, int major, int minor) {
  return p.compute_major < major || (p.compute_major == major && p.compute_minor < minor);
}

}  // namespace

std::span<const TimingField> timing_fields() { return kFields; }
std::span<const TimingField> further_timing_fields() { return kFurther; }

const GpuTiming* gpu_timing(std::string_view profile) {
  static std::map<std::string, std::unique_ptr<GpuTiming>, std::less<>> known;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(profile); found != known.end()) return found->second.get();
  auto& slot = known[std::string(profile)];
  const std::string path = fmt::format("timing/{}.json", profile);
  for (const EmbeddedFile& file : embedded_configs())
    if (file.path == path) slot = std::make_unique<GpuTiming>(parse(profile, json::parse(file.text), file.path));
  if (const auto text = text_of_added(profile); !text.empty()) slot = of_added(profile, text);
  return slot.get();
}

GpuTiming timing_of(std::string_view profile, const std::string& text, const std::string& file) {
  return of_others(profile, file, [&] { return json::parse(text); });
}

GpuTiming estimated_timing(const GpuProfile& profile, std::string_view measured_gpu) {
  const GpuTiming* measured = gpu_timing(measured_gpu);
  if (measured == nullptr) throw std::logic_error(fmt::format("configs/timing/{}.json is missing", measured_gpu));
  const GpuProfile& there = gpu_profile(measured_gpu);
  GpuTiming t = *measured;
  t.gpu = profile.id;
  t.validated = false;
  // Each lane of FP32 makes a multiplication and an addition per cycle.
  t.clock_ghz = profile.fp32_tflops * 1e3 / (2.0 * profile.fp32_lanes_per_sm * profile.sm_count);
  const double cycles = t.clock_ghz / measured->clock_ghz;  // as many nanoseconds
  for (double* latency : {&t.l2_latency, &t.l2_spread, &t.dram_latency, &t.dram_spread, &t.dram_queue,
                          &t.atomic_latency, &t.fence_latency})
    *latency *= cycles;
  const double sms = static_cast<double>(profile.sm_count) / there.sm_count;
  for (double* shared_by_all :
       {&t.l2_total_bytes_per_cycle, &t.l2_written_bytes_per_cycle, &t.l2_partial_sectors, &t.l2_partial_sectors_alone})
    *shared_by_all *= sms;
  t.dram_gbs = kReachedOfPeak * profile.memory_bandwidth_gbs;
  const auto l2 = static_cast<double>(profile.l2_bytes), l2_there = static_cast<double>(there.l2_bytes);
  t.dirty_l2_bytes = measured->dirty_l2_bytes * l2 / l2_there;
  const bool halves = l2 > kOneL2 && profile.compute_minor == 0 && profile.compute_major != 12;
  t.l2_bytes = halves ? measured->l2_bytes * l2 / l2_there : l2;
  // 64 bytes per cycle from L2 to an SM before Hopper; half of the first-level cache's bandwidth on Turing, and before
  // Volta.
  if (profile.compute_major < 9) t.l2_bytes_per_cycle = 64;
  if (is_before(profile, 7, 0) || (profile.compute_major == 7 && profile.compute_minor == 5)) t.l1_bytes_per_cycle = 64;
  t.fp32_slower = profile.fp32_lanes_per_sm >= 128 ? 1 : 2;
  t.fp64_slower = static_cast<double>(fp64_lanes_per_sm(there)) / fp64_lanes_per_sm(profile);
  return t;
}

}  // namespace gpulab::simt
