#include "common/gpu_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/embedded.h"
#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

using nlohmann::json;

constexpr std::string_view folder = "gpus/", suffix = ".json";

/// "gpus/h200.json" -> "h200"; empty for other files.
std::string_view id_of(std::string_view path) {
  if (!path.starts_with(folder) || !path.ends_with(suffix)) return {};
  return path.substr(folder.size(), path.size() - folder.size() - suffix.size());
}

/// One file of configs/gpus, read with its units checked: a value in the wrong unit never gets in.
class ProfileFile {
 public:
  explicit ProfileFile(const EmbeddedFile& file) : path_(file.path), json_(json::parse(file.text)) {}

  template <typename T>
  void read(const char* field, std::string_view unit, T& into) const {
    const json& entry = json_.at("fields").at(field);
    if (entry.at("unit").get<std::string>() != unit) {
      throw usage_error(fmt::format("'{}' is not in {}", field, unit), "correct the unit or convert the value", path_);
    }
    into = entry.at("value").get<T>();
  }
  [[nodiscard]] bool has(const char* field) const { return json_.at("fields").contains(field); }
  [[nodiscard]] std::string text(const char* key) const { return json_.at(key).get<std::string>(); }
  [[nodiscard]] std::string sources() const {
    std::string all;
    for (const auto& [key, text] : json_.at("sources").items()) {
      all += (all.empty() ? "" : "; ") + text.get<std::string>();
    }
    return all;
  }

 private:
  std::string path_;
  json json_;
};

void read_compute_capability(const ProfileFile& file, GpuProfile& gpu) {
  const std::string text = file.text("compute_capability");
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, gpu.compute_major);
  if (major.ptr != end) std::from_chars(major.ptr + 1, end, gpu.compute_minor);
}

GpuProfile parse(const EmbeddedFile& embedded, std::string_view id) {
  const ProfileFile file(embedded);
  GpuProfile gpu;
  gpu.id = id;
  gpu.name = file.text("name");
  gpu.source = file.sources();
  read_compute_capability(file, gpu);
  file.read("sm_count", "SMs", gpu.sm_count);
  file.read("fp32_lanes_per_sm", "lanes", gpu.fp32_lanes_per_sm);
  file.read("max_threads_per_sm", "threads", gpu.max_threads_per_sm);
  file.read("max_threads_per_block", "threads", gpu.max_threads_per_block);
  file.read("max_blocks_per_sm", "blocks", gpu.max_blocks_per_sm);
  file.read("registers_per_sm", "32-bit registers", gpu.registers_per_sm);
  file.read("registers_per_block", "32-bit registers", gpu.registers_per_block);
  file.read("shared_bytes_per_sm", "bytes", gpu.shared_bytes_per_sm);
  file.read("shared_bytes_per_block", "bytes", gpu.shared_bytes_per_block);
  file.read("shared_bytes_per_block_optin", "bytes", gpu.shared_bytes_per_block_optin);
  file.read("reserved_shared_bytes_per_block", "bytes", gpu.reserved_shared_bytes_per_block);
  file.read("memory_bandwidth", "GB/s", gpu.memory_bandwidth_gbs);
  if (file.has("nvlink")) file.read("nvlink", "GB/s", gpu.nvlink_gbs);
  file.read("fp32", "TFLOP/s", gpu.fp32_tflops);
  file.read("memory", "bytes", gpu.memory_bytes);
  file.read("l2", "bytes", gpu.l2_bytes);
  return gpu;
}

/// What a file says that nobody here has written: nothing that the simulator could not be.
void check_added(const GpuProfile& gpu, const std::string& file) {
  const auto within = [&](const char* field, auto value, double least, double most) {
    if (!(static_cast<double>(value) >= least && static_cast<double>(value) <= most))
      throw usage_error(fmt::format("--profile: '{}' is {}, not from {} to {}", field, value, least, most),
                        "correct it, or measure the GPU again", file);
  };
  within("compute_capability", gpu.compute_major, 5, 20);
  within("compute_capability", gpu.compute_minor, 0, 9);
  within("sm_count", gpu.sm_count, 1, 1024);
  within("fp32_lanes_per_sm", gpu.fp32_lanes_per_sm, 32, 512);
  within("max_threads_per_sm", gpu.max_threads_per_sm, 1024, 8192);
  within("max_threads_per_block", gpu.max_threads_per_block, 32, 1024);
  within("max_blocks_per_sm", gpu.max_blocks_per_sm, 1, 128);
  within("registers_per_sm", gpu.registers_per_sm, 1 << 14, 1 << 20);
  within("registers_per_block", gpu.registers_per_block, 1 << 14, 1 << 20);
  within("shared_bytes_per_sm", gpu.shared_bytes_per_sm, 1 << 14, 1 << 24);
  within("shared_bytes_per_block", gpu.shared_bytes_per_block, 1 << 14, 1 << 24);
  within("shared_bytes_per_block_optin", gpu.shared_bytes_per_block_optin, 1 << 14, 1 << 24);
  within("reserved_shared_bytes_per_block", gpu.reserved_shared_bytes_per_block, 0, 1 << 16);
  within("memory_bandwidth", gpu.memory_bandwidth_gbs, 1, 1e6);
  within("nvlink", gpu.nvlink_gbs, 0, 1e6);
  within("fp32", gpu.fp32_tflops, 0.1, 1e5);
  within("memory", gpu.memory_bytes, 1 << 28, 1e14);
  within("l2", gpu.l2_bytes, 1 << 16, 1e12);
}

/// It is handed to other processes: without what only people read.
std::string what_is_needed(std::string_view text) {
  json all = json::parse(text), needed;
  for (const char* key : {"name", "compute_capability", "sources", "fields", "timing"})
    if (all.contains(key)) needed[key] = std::move(all[key]);
  return needed.dump();
}

/// Profiles parsed so far. One file costs about 50 us; a run asks for one of them.
class Profiles {
 public:
  const GpuProfile* find(std::string_view id) {
    const std::lock_guard lock(mutex_);
    if (const auto it = parsed_.find(id); it != parsed_.end()) return &it->second;
    for (const EmbeddedFile& file : embedded_configs()) {
      if (!id.empty() && id_of(file.path) == id) return &parsed_.emplace(id, parse(file, id)).first->second;
    }
    return nullptr;
  }

  const GpuProfile& add(std::string_view file, const std::string& id, std::string_view text) {
    GpuProfile gpu = parse({file, text}, id);
    check_added(gpu, std::string(file));
    const std::lock_guard lock(mutex_);
    added_.emplace(id, what_is_needed(text));
    return parsed_.emplace(id, std::move(gpu)).first->second;
  }
  std::string_view text_of(std::string_view id) {
    const std::lock_guard lock(mutex_);
    const auto found = added_.find(id);
    return found == added_.end() ? std::string_view() : std::string_view(found->second);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, GpuProfile, std::less<>> parsed_;  // nodes stay where they are: references stay valid
  std::map<std::string, std::string, std::less<>> added_;
};

Profiles& profiles() {
  static Profiles instance;
  return instance;
}

}  // namespace

std::vector<std::string> gpu_profile_ids() {
  std::vector<std::string> all;
  for (const EmbeddedFile& file : embedded_configs()) {
    if (const auto id = id_of(file.path); !id.empty()) all.emplace_back(id);
  }
  std::ranges::sort(all);
  return all;
}

const std::vector<GpuProfile>& gpu_profiles() {
  static const std::vector<GpuProfile> all = [] {
    std::vector<GpuProfile> sorted;
    for (const std::string& id : gpu_profile_ids()) sorted.push_back(gpu_profile(id));
    return sorted;
  }();
  return all;
}

const GpuProfile& gpu_profile(std::string_view id) {
  if (const GpuProfile* found = profiles().find(id)) return *found;
  throw usage_error(fmt::format("unknown GPU profile '{}'", id),
                    did_you_mean(id, gpu_profile_ids(), "'gpulab devices' shows all profiles"));
}

const GpuProfile& add_gpu_profile(std::string_view file, std::string_view text) {
  const std::string path(file), id = path.substr(path.rfind('/') + 1);
  const std::string hint = "'gpulab calibrate --output FILE.json' writes one; 'gpulab schema profile' is its form";
  try {
    return profiles().add(path, id, text);
  } catch (const json::exception& error) {
    // "[json.exception.out_of_range.403] key 'l2' not found": what lies behind the bracket is for people.
    const std::string what = error.what();
    throw usage_error(fmt::format("--profile: {}", what.substr(std::min(what.find("] ") + 2, what.size()))), hint,
                      path);
  }
}

std::string_view text_of_added(std::string_view id) { return profiles().text_of(id); }

std::string carried_profile(std::string_view id) {
  const auto text = text_of_added(id);
  return text.empty() ? std::string(id) : fmt::format("{}\n{}", id, text);
}

const GpuProfile& profile_carried(std::string_view carried) {
  const auto end = carried.find('\n');
  const auto id = carried.substr(0, end);
  if (end == std::string_view::npos || !text_of_added(id).empty()) return gpu_profile(id);
  return add_gpu_profile(id, carried.substr(end + 1));
}

int fp64_lanes_per_sm(const GpuProfile& gpu) {
  const bool of_data_centers = gpu.compute_minor == 0 && gpu.compute_major != 12;
  if (of_data_centers) return gpu.compute_major >= 9 ? 64 : gpu.compute_major >= 6 ? 32 : 4;
  return gpu.compute_major < 7 ? 4 : 2;
}

}  // namespace gpulab
