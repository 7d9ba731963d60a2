#include "common/simt/timing/gpu_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

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
  t.shared_atomic_cycles = read("shared_atomic", "cycles");
  t.shared_atomic_latency = read("shared_atomic_latency", "cycles");
  t.store_bytes_per_cycle = read("store_port", "bytes/cycle");
  t.l1_bytes_per_cycle = read("l1_bandwidth", "bytes/cycle");
  t.l2_bytes_per_cycle = read("l2_port", "bytes/cycle");
  t.l2_total_bytes_per_cycle = read("l2_bandwidth", "bytes/cycle");
  t.dram_gbs = read("dram_bandwidth", "GB/s");
  t.atomic_round_cycles = read("atomic_round", "cycles");
  t.slice_round_cycles = read("slice_round", "cycles");
  t.dram_queue = read("dram_queue", "cycles");
  t.dram_scattered = read("dram_scattered", "share");
  t.l2_partial_sectors = read("l2_partial", "sectors/cycle");
  t.l2_partial_sectors_again = read("l2_partial_again", "sectors/cycle");
  t.dirty_l2_bytes = read("dirty_l2", "bytes");
  t.l2_bytes = read("l2", "bytes");
  t.barrier_latency = read("barrier_latency", "cycles");
  t.barrier_warp_cycles = read("barrier_warp", "cycles");
  t.fence_latency = read("fence_latency", "cycles");
  return t;
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

}  // namespace gpulab::simt
