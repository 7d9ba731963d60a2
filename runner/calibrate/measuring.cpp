#include "runner/calibrate/measuring.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <set>

#include "common/child/interrupt.h"
#include "common/error.h"

namespace gpulab::calibrate {
namespace {

constexpr int kFewest = 7, kMost = 101;
constexpr double kEnoughMs = 4;       ///< of samples together
constexpr std::size_t kStart = 4096;  ///< what kernels write to and read again lies there: zeros before each launch
constexpr std::size_t kOutBytes = 256;

using Clock = std::chrono::steady_clock;

/// Memory of the device, given back.
class Buffer {
 public:
  Buffer(Device& device, std::string_view name, std::size_t bytes)
      : device_(device), at_(device.allocate(name, bytes)), bytes_(bytes) {}
  ~Buffer() {
    try {
      device_.release(at_);
    } catch (const Error&) {  // after a fault nothing can be released
    }
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] DevicePointer at() const { return at_; }
  void clear(std::size_t most) const { device_.fill(at_, std::byte{0}, std::min(bytes_, most)); }

 private:
  Device& device_;
  DevicePointer at_;
  std::size_t bytes_;
};

class Bench {
 public:
  explicit Bench(Device& device) : device_(device), out_(device, "out", kOutBytes) {}

  Reading read(const Probe& probe) {
    const Buffer data(device_, "data", probe.elements * 4);
    data.clear(SIZE_MAX);
    const Kernel kernel = kernel_of(probe.name);
    const std::array arguments{KernelArgument::of(out_.at()), KernelArgument::of(data.at()),
                               KernelArgument::of(probe.n), KernelArgument::of(probe.stride)};
    const LaunchConfig config{{probe.grid, 1, 1}, {probe.block, 1, 1}};
    const auto once = [&] {
      for (std::uint32_t i = 0; i < probe.launches; ++i) device_.launch(kernel, config, arguments);
    };
    std::unique_ptr<Recording> graph;
    if (probe.graph) graph = device_.record(once);
    const auto sample = [&] {
      data.clear(kStart);
      if (probe.host) return host_ms(once);
      return device_.time([&] { graph ? graph->replay() : once(); }, !probe.warm);
    };
    return median(sample);
  }

 private:
  template <typename Sample>
  Reading median(const Sample& sample) {
    for (int i = 0; i < 2; ++i) (void)sample();  // until caches and clocks are as they stay
    std::vector<double> all;
    double sum = 0;
    while (static_cast<int>(all.size()) < kFewest || (sum < kEnoughMs && static_cast<int>(all.size()) < kMost)) {
      if (interrupted()) throw Error(ExitCode::interrupted, "interrupted");
      all.push_back(sample());
      sum += all.back();
    }
    std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
    std::uint32_t cycles = 0;
    device_.read(std::as_writable_bytes(std::span(&cycles, 1)), out_.at());
    return {static_cast<double>(cycles), all[all.size() / 2]};
  }

  double host_ms(const std::function<void()>& work) {
    device_.synchronize();
    const auto start = Clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
    device_.synchronize();
    return taken.count();
  }

  Kernel kernel_of(const std::string& name) {
    if (loaded_.insert(name).second) {
      const auto& text = texts_.emplace_back(probe_ptx(name));
      const auto& file = names_.emplace_back(name + ".ptx");
      device_.load({.name = file, .ptx = text, .source = {}});
    }
    return device_.kernel(name);
  }

  Device& device_;
  const Buffer out_;
  std::set<std::string> loaded_;
  std::deque<std::string> texts_, names_;  // the device keeps views
};

}  // namespace

Measurements measure(Device& device, const std::vector<Probe>& probes,
                     const std::function<void(std::size_t, const Probe&)>& begins) {
  Measurements all;
  Bench bench(device);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const Probe& probe = probes[i];
    begins(i, probe);
    try {
      const Reading reading = bench.read(probe);
      if (reading.ms > 0)
        all.readings[probe.id] = reading;
      else
        all.problems.push_back(fmt::format("{}: no time was measured", probe.id));
    } catch (const Error& error) {
      if (error.code == ExitCode::interrupted) throw;
      all.problems.push_back(fmt::format("{}: {}", probe.id, error.what()));
    }
  }
  return all;
}

}  // namespace gpulab::calibrate
