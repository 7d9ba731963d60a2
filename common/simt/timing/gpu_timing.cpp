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

namespace gpulab::simt {

namespace {

using nlohmann::json;

GpuTiming parse(std::string_view id, std::string_view text, std::string_view path) {
  const json document = json::parse(text);
  const auto read = [&](const char* field, std::string_view unit) {
    const json& entry = document.at("fields").at(field);
    if (entry.at("unit").get<std::string>() != unit)
      throw usage_error(fmt::format("'{}' is not in {}", field, unit), "correct the unit or convert the value",
                        std::string(path));
    const auto value = entry.at("value").get<double>();
    const bool divides = unit == "GHz" || unit == "GB/s" || unit == "bytes/cycle";
    if (!(value > 0 || (value == 0 && !divides)))
      throw usage_error(fmt::format("'{}' is {}, which nothing can be", field, value), "correct it", std::string(path));
    return value;
  };
  GpuTiming t;
  t.gpu = id;
  t.validated = document.at("validated").get<bool>();
  t.clock_ghz = read("clock", "GHz");
  t.launch_us = read("launch", "us");
  t.next_launch_us = read("next_launch", "us");
  t.next_in_graph_us = read("next_in_graph", "us");
  t.host_launch_us = read("host_launch", "us");
  t.block_cycles = read("block", "cycles");
  t.block_gap_cycles = read("block_gap", "cycles");
  t.shared_latency = read("shared_latency", "cycles");
  t.l1_latency = read("l1_latency", "cycles");
  t.l2_latency = read("l2_latency", "cycles");
  t.dram_latency = read("dram_latency", "cycles");
  t.l2_spread = read("l2_spread", "cycles");
  t.dram_spread = read("dram_spread", "cycles");
  t.atomic_latency = read("atomic_latency", "cycles");
  t.same_address_cycles = read("same_address", "cycles");
  t.same_address_float_cycles = read("same_address_float", "cycles");
  t.shared_float_latency = read("shared_float_latency", "cycles");
  t.shared_float_cycles = read("shared_float", "cycles");
  t.shared_float_contended_cycles = read("shared_float_contended", "cycles");
  t.shared_atomic_cycles = read("shared_atomic", "cycles");
  t.shared_atomic_latency = read("shared_atomic_latency", "cycles");
  t.store_bytes_per_cycle = read("store_port", "bytes/cycle");
  t.l1_bytes_per_cycle = read("l1_bandwidth", "bytes/cycle");
  t.l2_bytes_per_cycle = read("l2_port", "bytes/cycle");
  t.l2_total_bytes_per_cycle = read("l2_bandwidth", "bytes/cycle");
  t.dram_gbs = read("dram_bandwidth", "GB/s");
  t.atomic_round_cycles = read("atomic_round", "cycles");
  t.slice_round_cycles = read("slice_round", "cycles");
  t.l2_written_bytes_per_cycle = read("l2_written", "bytes/cycle");
  t.l2_scattered = read("l2_scattered", "share");
  t.dram_mixed = read("dram_mixed", "share");
  t.dram_queue = read("dram_queue", "cycles");
  t.dram_scattered = read("dram_scattered", "share");
  t.l2_partial_sectors = read("l2_partial", "sectors/cycle");
  t.l2_partial_sectors_alone = read("l2_partial_alone", "sectors/cycle");
  t.dirty_l2_bytes = read("dirty_l2", "bytes");
  t.l2_bytes = read("l2", "bytes");
  t.barrier_latency = read("barrier_latency", "cycles");
  t.barrier_warp_cycles = read("barrier_warp", "cycles");
  t.fence_latency = read("fence_latency", "cycles");
  return t;
}

/// Of DRAM's peak, what a plain read and write reach on an H100 (3280 of 3350 GB/s) and an H200 (4600 of 4800).
constexpr double kReachedOfPeak = 0.97;
/// The largest L2 that is one; those of an A100 and an H100 are two halves, and what both ask for lies in both.
constexpr double kOneL2 = 33554432;

bool is_before(const GpuProfile& p, int major, int minor) {
  return p.compute_major < major || (p.compute_major == major && p.compute_minor < minor);
}

}  // namespace

const GpuTiming* gpu_timing(std::string_view profile) {
  static std::map<std::string, std::unique_ptr<GpuTiming>, std::less<>> known;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(profile); found != known.end()) return found->second.get();
  auto& slot = known[std::string(profile)];
  const std::string path = fmt::format("timing/{}.json", profile);
  for (const EmbeddedFile& file : embedded_configs())
    if (file.path == path) slot = std::make_unique<GpuTiming>(parse(profile, file.text, file.path));
  return slot.get();
}

GpuTiming timing_of(std::string_view profile, const std::string& text, const std::string& file) {
  try {
    GpuTiming timing = parse(profile, text, file);
    timing.validated = false;
    return timing;
  } catch (const json::exception& error) {
    // "[json.exception.out_of_range.403] key 'l2' not found": what lies behind the bracket is for people.
    const std::string what = error.what();
    throw usage_error(what.substr(std::min(what.find("] ") + 2, what.size())),
                      "scripts/calibrate.py measures a GPU; configs/timing/h200.json shows the form", file);
  }
}

GpuTiming estimated_timing(const GpuProfile& profile) {
  const GpuTiming* measured = gpu_timing("h100");
  if (measured == nullptr) throw std::logic_error("configs/timing/h100.json is missing");
  const GpuProfile& h100 = gpu_profile("h100");
  GpuTiming t = *measured;
  t.gpu = profile.id;
  t.validated = false;
  // Each lane of FP32 makes a multiplication and an addition per cycle.
  t.clock_ghz = profile.fp32_tflops * 1e3 / (2.0 * profile.fp32_lanes_per_sm * profile.sm_count);
  const double cycles = t.clock_ghz / measured->clock_ghz;  // as many nanoseconds
  for (double* latency : {&t.l2_latency, &t.l2_spread, &t.dram_latency, &t.dram_spread, &t.dram_queue,
                          &t.atomic_latency, &t.fence_latency})
    *latency *= cycles;
  const double sms = static_cast<double>(profile.sm_count) / h100.sm_count;
  for (double* shared_by_all :
       {&t.l2_total_bytes_per_cycle, &t.l2_written_bytes_per_cycle, &t.l2_partial_sectors, &t.l2_partial_sectors_alone})
    *shared_by_all *= sms;
  t.dram_gbs = kReachedOfPeak * profile.memory_bandwidth_gbs;
  const auto l2 = static_cast<double>(profile.l2_bytes), l2_there = static_cast<double>(h100.l2_bytes);
  t.dirty_l2_bytes = measured->dirty_l2_bytes * l2 / l2_there;
  const bool halves = l2 > kOneL2 && profile.compute_minor == 0 && profile.compute_major != 12;
  t.l2_bytes = halves ? measured->l2_bytes * l2 / l2_there : l2;
  // 64 bytes per cycle from L2 to an SM before Hopper; half of the first-level cache's bandwidth on Turing, and before
  // Volta.
  if (profile.compute_major < 9) t.l2_bytes_per_cycle = 64;
  if (is_before(profile, 7, 0) || (profile.compute_major == 7 && profile.compute_minor == 5)) t.l1_bytes_per_cycle = 64;
  t.fp32_halves = profile.fp32_lanes_per_sm >= 128 ? 2 : 1;
  t.fp64_slower = static_cast<double>(fp64_lanes_per_sm(h100)) / fp64_lanes_per_sm(profile);
  return t;
}

}  // namespace gpulab::simt
