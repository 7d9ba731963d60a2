#pragma once
// A lab that doubles numbers, and a device that is the host: what the runner's own tests run.

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/device/clocked.h"
#include "common/launch_error.h"
#include "labs/lab.h"

namespace gpulab {

/// A device whose kernels are C++ functions over host memory. Knows no lab: kernels are added by name.
class FakeDevice final : public Device, public Clocked {
 public:
  using Body = std::function<void(const LaunchConfig&, std::span<const KernelArgument>)>;
  std::map<std::string, Body, std::less<>> kernels;
  std::vector<LaunchConfig> launches;
  std::vector<std::string> loaded;
  std::map<DevicePointer, std::pair<std::string, std::vector<std::byte>>> memory;
  DeviceInfo device{"sim", "fake", "h200", 9, 0, 132};
  Capabilities can{.counts = true};
  double next_time_ms = 1;
  std::vector<ClockReading> clocks;  ///< of the next samples; then nothing is known
  std::optional<MemoryRoom> room;

  [[nodiscard]] const DeviceInfo& info() const override { return device; }
  [[nodiscard]] Capabilities capabilities() const override { return can; }
  void load(const ModuleImage& image) override { loaded.emplace_back(image.name); }
  Kernel kernel(std::string_view name) override {
    if (!kernels.contains(name)) throw usage_error("no kernel " + std::string(name));
    Kernel kernel;
    kernel.entry = kernel.cpp_name = std::string(name);
    kernel.attributes = {16, 128, 0, 1024};
    return kernel;
  }
  DevicePointer allocate(std::string_view name, std::size_t bytes) override {
    auto& [owner, content] = memory[next_ += 0x1000'0000];
    owner = std::string(name);
    content.resize(bytes);
    return next_;
  }
  void release(DevicePointer pointer) override { memory.erase(pointer); }
  void write(DevicePointer to, std::span<const std::byte> from) override {
    std::copy(from.begin(), from.end(), memory.at(to).second.begin());
  }
  void read(std::span<std::byte> to, DevicePointer from) override {
    const auto& content = memory.at(from).second;
    std::copy_n(content.begin(), to.size(), to.begin());
  }
  void fill(DevicePointer to, std::byte value, std::size_t bytes) override {
    std::fill_n(memory.at(to).second.begin(), bytes, value);
  }
  void copy(DevicePointer to, DevicePointer from, std::size_t bytes) override {
    std::copy_n(memory.at(from).second.begin(), bytes, memory.at(to).second.begin());
  }
  void launch(const Kernel& kernel, const LaunchConfig& config, std::span<const KernelArgument> arguments) override {
    launches.push_back(config);
    kernels.at(kernel.cpp_name)(config, arguments);
    counters_["warp_instructions"] += 100;
  }
  void synchronize() override {}
  double time(const std::function<void()>& work, bool) override {
    work();
    return next_time_ms;
  }
  ClockReading take_clock() override {
    if (clocks.empty()) return {};
    auto first = clocks.front();
    clocks.erase(clocks.begin());
    return first;
  }
  std::optional<MemoryRoom> memory_room() override { return room; }
  std::optional<Counters> take_counters() override { return std::exchange(counters_, {}); }
  std::string take_output() override { return std::exchange(output, {}); }

  std::string output;
  /// The elements behind a pointer argument.
  template <typename T>
  std::span<T> elements(const KernelArgument& argument) {
    DevicePointer pointer = 0;
    std::memcpy(&pointer, argument.bytes.data(), sizeof pointer);
    return view_as<T>(memory.at(pointer).second);
  }

 private:
  DevicePointer next_ = 0;
  Counters counters_;
};

/// out[i] = 2 * in[i] over ints. Named after a real lab, because its kernel file must be in the build.
inline Lab doubling_lab() {
  Lab lab;
  lab.name = "reduce";
  lab.topic = "testing";
  lab.question = "Does it double?";
  lab.headline = "plain";
  lab.params = {{"n", "elements", std::int64_t{1000}, {}, 0, 1 << 20}, {"type", "element type", "int", {"int"}}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n()), 1, 1}; };
  lab.problem = [](const Case& c) {
    std::vector<std::int32_t> in(static_cast<std::size_t>(c.n())), out;
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int32_t>(i * 7 + c.seed);
    for (const auto value : in) out.push_back(2 * value);
    return Problem{{{"in", Scalar::i32, in.size(), BufferRole::input, bytes_of<std::int32_t>(in)},
                    {"out", Scalar::i32, in.size(), BufferRole::output, {}}},
                   {{.buffer = "out", .exact = bytes_of<std::int32_t>(out)}}};
  };
  lab.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n())};
  };
  lab.work = [](const Case& c) { return Work{8.0 * static_cast<double>(c.n()), 0, static_cast<double>(c.n())}; };
  lab.variants = {{.name = "slow", .summary = "one at a time", .kernel = "twice<{type}>"},
                  {.name = "plain", .summary = "all at once", .kernel = "twice<{type}>"},
                  {.name = "tree",
                   .summary = "needs powers of two",
                   .kernel = "twice<{type}>",
                   .blocks = {.power_of_two = true, .why = "it halves"}},
                  {.name = "vendor", .summary = "a library", .vendor = {nullptr, [](const VendorCall&) {}}},
                  {.name = "cpu", .summary = "the host", .host = [](const HostCall& call) {
                     const auto in = view_as<std::int32_t>(call.buffers.at("in"));
                     const auto out = view_as<std::int32_t>(call.buffers.at("out"));
                     for (std::size_t i = 0; i < in.size(); ++i) out[i] = 2 * in[i];
                   }}};
  return lab;
}

/// The fake device with the doubling lab's kernel.
inline std::unique_ptr<FakeDevice> doubling_device() {
  auto device = std::make_unique<FakeDevice>();
  auto& fake = *device;
  fake.kernels["twice<int>"] = [&fake](const LaunchConfig&, std::span<const KernelArgument> arguments) {
    const auto in = fake.elements<std::int32_t>(arguments[0]), out = fake.elements<std::int32_t>(arguments[1]);
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = 2 * in[i];
  };
  return device;
}

/// A case with the lab's defaults.
inline Case default_case(const Lab& lab) {
  Case point;
  for (const auto& param : lab.params) point.params.values[param.name] = param.fallback;
  point.block = lab.default_block;
  return point;
}

}  // namespace gpulab
