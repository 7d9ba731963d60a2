#include "common/device/simulator/simulated.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <fstream>
#include <new>
#include <stdexcept>
#include <thread>
#include <unordered_map>

#include "common/demangle.h"
#include "common/device/launch_check.h"
#include "common/launch_error.h"
#include "common/occupancy.h"
#include "common/ptx/flow/lower_calls.h"
#include "common/ptx/parser.h"
#include "common/simt/counting/line_counts.h"
#include "common/simt/decode/decode.h"
#include "common/simt/device_runtime/device_heap.h"
#include "common/simt/device_runtime/device_launch.h"
#include "common/simt/machine/grid.h"
#include "common/simt/observers/toolset.h"

namespace gpulab {

namespace {

/// Warp instructions before a launch counts as hung: minutes of simulation, far beyond what a lab needs.
constexpr std::uint64_t kDefaultBudget = 20'000'000'000;

/// Warp instructions that starting a grid from a kernel is charged: a chain of launches without an end has one.
constexpr std::uint64_t kLaunchCost = 1000;

/// Bytes that the host can still give (Linux: MemAvailable), or "no limit known".
std::uint64_t available_host_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kib = 0;
  while (meminfo >> name >> kib) {
    std::getline(meminfo, unit);
    if (name == "MemAvailable:") return kib * 1024;
  }
  return UINT64_MAX;
}

/// A module's text and what all its kernels share: the addresses of its variables.
struct LoadedModule {
  ModuleImage image;
  std::vector<std::string_view> entries;
  bool has_variables = false;
  std::unordered_map<std::string, std::uint64_t> addresses;
};

struct LoadedKernel {
  std::unique_ptr<simt::Program> program;
  Kernel kernel;
  ModuleImage image;
};

/// What ptxas said of the kernel when it was built for `sm`, nullptr where it said nothing.
const PtxasRow* ptxas_row(const ModuleImage& image, std::string_view entry, int sm) {
  for (const auto& row : image.resources)
    if (row.sm == sm && row.entry == entry) return &row;
  return nullptr;
}

/// cudaDeviceGetAttribute, by cudaDeviceAttr's numbers (driver_types.h), as far as a profile knows.
std::optional<int> device_attribute(const GpuProfile& gpu, int which) {
  const std::pair<int, int> known[] = {{1, gpu.max_threads_per_block},
                                       {2, 1024},
                                       {3, 1024},
                                       {4, 64},
                                       {5, 0x7fffffff},
                                       {6, 65535},
                                       {7, 65535},
                                       {8, static_cast<int>(gpu.shared_bytes_per_block)},
                                       {10, 32},
                                       {12, gpu.registers_per_block},
                                       {16, gpu.sm_count},
                                       {39, gpu.max_threads_per_sm},
                                       {75, gpu.compute_major},
                                       {76, gpu.compute_minor},
                                       {81, static_cast<int>(gpu.shared_bytes_per_sm)},
                                       {82, gpu.registers_per_sm},
                                       {97, static_cast<int>(gpu.shared_bytes_per_block_optin)},
                                       {106, gpu.max_blocks_per_sm}};
  for (const auto& [attribute, value] : known)
    if (attribute == which) return value;
  return std::nullopt;
}

class Simulator final : public Device {
 public:
  Simulator(const GpuProfile& profile, const SimulatorOptions& options) : profile_(profile), options_(options) {
    info_.kind = "sim";
    info_.name = "simulator";
    info_.profile = profile.id;
    info_.compute_major = profile.compute_major;
    info_.compute_minor = profile.compute_minor;
    info_.sm_count = profile.sm_count;
    info_.modelled = true;
    if (options_.threads <= 0) options_.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    if (options_.budget == 0) options_.budget = kDefaultBudget;
    observers_.insert(observers_.end(), options_.observers.begin(), options_.observers.end());
  }

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] Capabilities capabilities() const override {
    return {.counts = options_.counters, .uses_host_memory = true};
  }

  void load(const ModuleImage& image) override {
    auto& module = modules_.emplace_back();
    module.image = image;
    module.entries = ptx::entry_names(image.ptx);
  }

  Kernel kernel(std::string_view name) override {
    std::vector<std::string_view> all;
    for (const auto& module : modules_) all.insert(all.end(), module.entries.begin(), module.entries.end());
    const std::string_view entry = find_entry(name, all);
    for (auto& known : kernels_)
      if (known.kernel.entry == entry) return known.kernel;
    for (auto& module : modules_)
      if (std::find(module.entries.begin(), module.entries.end(), entry) != module.entries.end())
        return decode(module, entry);
    throw std::logic_error("entry of no module");
  }

  DevicePointer allocate(std::string_view name, std::size_t bytes) override {
    const std::uint64_t available = available_host_bytes();
    if (bytes > available)
      throw LaunchError(LaunchFailure::out_of_memory,
                        fmt::format("'{}' needs {} bytes, this machine has {} left", name, bytes, available), {},
                        "choose a smaller n");
    try {
      const DevicePointer pointer = memory_.allocate(name, bytes);
      if (bytes == 0) return pointer;
      for (simt::Observer* observer : observers_) observer->allocated(*memory_.find(pointer));
      return pointer;
    } catch (const std::bad_alloc&) {
      throw LaunchError(LaunchFailure::out_of_memory, fmt::format("no memory for the {} bytes of '{}'", bytes, name),
                        {}, "choose a smaller n");
    }
  }
  void release(DevicePointer pointer) override { memory_.release(pointer); }
  void write(DevicePointer to, std::span<const std::byte> from) override {
    if (!from.empty()) std::memcpy(host(to, from.size()), from.data(), from.size());
    mark(to, from.size(), true);
  }
  void read(std::span<std::byte> to, DevicePointer from) override {
    if (!to.empty()) std::memcpy(to.data(), host(from, to.size()), to.size());
  }
  void fill(DevicePointer to, std::byte value, std::size_t bytes) override {
    if (bytes) std::memset(host(to, bytes), static_cast<int>(value), bytes);
    mark(to, bytes, true);
  }
  void copy(DevicePointer to, DevicePointer from, std::size_t bytes) override {
    if (bytes) std::memmove(host(to, bytes), host(from, bytes), bytes);
    mark(to, bytes, true);
  }
  void forget(DevicePointer pointer, std::size_t bytes) override { mark(pointer, bytes, false); }
  std::vector<Finding> take_findings() override { return tools_.take_findings(); }

  void launch(const Kernel& kernel, const LaunchConfig& config, std::span<const KernelArgument> arguments) override {
    check_arguments(kernel, arguments);
    LaunchLimits limits;
    limits.max_shared_bytes_per_block = profile_.shared_bytes_per_block_optin;
    check_shape(kernel, config, limits);
    check_cooperative(kernel, config, resident_blocks(kernel, config));
    std::uint64_t spent = 0;
    std::vector<std::deque<simt::DeviceLaunch>> nested;
    nested.push_back(run(kernel, config, parameter_block(kernel, arguments), 1, spent));
    // A launch runs with all that it launches before the next one does: those of tail streams come last.
    try {
      while (!nested.empty()) {
        if (nested.back().empty()) {
          nested.pop_back();
          continue;
        }
        const simt::DeviceLaunch next = nested.back().front();
        nested.back().pop_front();
        --runtime_.pending;
        nested.push_back(run_nested(next, spent));
      }
    } catch (...) {
      runtime_.pending = 0;
      throw;
    }
  }
  void synchronize() override {}

  double time(const std::function<void()>& work, bool) override {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

  std::optional<Counters> take_counters() override {
    if (!options_.counters) return std::nullopt;
    return std::exchange(counters_, std::nullopt);
  }
  std::vector<LaunchLines> take_lines() override { return std::exchange(lines_, {}); }
  std::string take_output() override { return std::exchange(output_, {}); }
  void print_to(const PrintSink& sink) override { sink_ = sink; }

 private:
  /// Tells the observers that the bytes hold a value, or that they do not.
  void mark(DevicePointer address, std::size_t bytes, bool known) {
    if (bytes == 0 || observers_.empty()) return;
    const simt::Allocation* allocation = memory_.find(address);
    if (!allocation) return;
    const std::uint64_t offset = address - allocation->address;
    for (simt::Observer* observer : observers_)
      known ? observer->written(*allocation, offset, bytes) : observer->forgotten(*allocation, offset, bytes);
  }

  std::byte* host(DevicePointer address, std::size_t bytes) {
    std::byte* found = memory_.host(address, bytes);
    if (!found) throw std::logic_error("copy outside of an allocation");
    return found;
  }

  /// Gives the module's variables their memory and initial bytes, when the first of its kernels is decoded.
  void place_variables(LoadedModule& loaded, const ptx::Module& module) {
    if (std::exchange(loaded.has_variables, true)) return;
    for (const auto& variable : module.variables) {
      if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
      const std::uint64_t address = memory_.allocate(variable.name, variable.size);
      loaded.addresses.emplace(variable.name, address);
      if (!variable.initial.empty())
        std::memcpy(host(address, variable.initial.size()), variable.initial.data(), variable.initial.size());
    }
    for (const auto& variable : module.variables)
      for (const auto& relocation : variable.relocations) {
        const std::uint64_t target = relocation_target(loaded, module, relocation) >> relocation.shift;
        const std::uint64_t place = loaded.addresses.at(std::string(variable.name)) + relocation.offset;
        std::memcpy(host(place, relocation.size), &target, relocation.size);
      }
  }

  std::uint64_t relocation_target(const LoadedModule& loaded, const ptx::Module& module,
                                  const ptx::Variable::Relocation& relocation) {
    const auto addend = static_cast<std::uint64_t>(relocation.addend);
    if (const auto found = loaded.addresses.find(std::string(relocation.symbol)); found != loaded.addresses.end())
      return found->second + addend;
    for (std::size_t i = 0; i < module.functions.size(); ++i)
      if (module.functions[i].name == relocation.symbol) return simt::code_address(i) + addend;
    throw usage_error(
        fmt::format("initial value names '{}', whose address is not known before a launch", relocation.symbol), {},
        module.name);
  }

  Kernel decode(LoadedModule& loaded, std::string_view entry) {
    auto module = std::make_shared<ptx::Module>(
        ptx::parse(loaded.image.ptx, std::string(loaded.image.name),
                   [&](std::string_view name) { return name == entry || !is_entry(loaded, name); }));
    ptx::lower_calls(*module);
    place_variables(loaded, *module);
    simt::DecodeContext context;
    context.counters = options_.counters;
    context.split_at_barriers = options_.lines;
    context.split_at_accesses = options_.schedule != 0;
    for (const simt::Observer* observer : observers_) context.watches |= observer->watches();
    context.address_of = [&](std::string_view name) -> std::optional<std::uint64_t> {
      const auto found = loaded.addresses.find(std::string(name));
      return found == loaded.addresses.end() ? std::nullopt : std::optional(found->second);
    };
    context.allocate_parameters = [&](std::uint64_t bytes) { return memory_.allocate("kernel parameters", bytes); };
    auto program = simt::decode(module, entry, context);
    Kernel kernel;
    kernel.entry = entry;
    kernel.cpp_name = kernel_name(entry);
    const ptx::Function& function = *program->functions[0].function;
    for (const auto& parameter : function.parameters) kernel.parameter_sizes.push_back(parameter.size);
    kernel.attributes.static_shared_bytes = program->static_shared_bytes;
    if (const PtxasRow* row = ptxas_row(loaded.image, entry, profile_.compute_major * 10 + profile_.compute_minor)) {
      kernel.attributes.registers = row->registers;
      kernel.attributes.local_bytes = static_cast<std::size_t>(row->stack_bytes);
    }
    if (function.max_threads[0])
      kernel.attributes.max_threads_per_block = static_cast<int>(
          function.max_threads[0] * std::max(function.max_threads[1], 1u) * std::max(function.max_threads[2], 1u));
    kernel.handle = kernels_.size();
    kernels_.push_back({std::move(program), kernel, loaded.image});
    return kernel;
  }
  static bool is_entry(const LoadedModule& loaded, std::string_view name) {
    return std::find(loaded.entries.begin(), loaded.entries.end(), name) != loaded.entries.end();
  }

  /// Arguments laid out as the PTX parameter list has them.
  std::vector<std::byte> parameter_block(const Kernel& kernel, std::span<const KernelArgument> arguments) const {
    const simt::Program& program = *kernels_.at(kernel.handle).program;
    std::vector<std::byte> bytes(program.parameter_bytes);
    std::size_t offset = 0, k = 0;
    for (const auto& parameter : program.functions[0].function->parameters) {
      offset = (offset + parameter.align - 1) / parameter.align * parameter.align;
      std::memcpy(bytes.data() + offset, arguments[k].bytes.data(), arguments[k].size);
      offset += parameter.size;
      ++k;
    }
    return bytes;
  }

  /// Runs one grid and returns what it launched, in the order in which that is to run.
  std::deque<simt::DeviceLaunch> run(const Kernel& kernel, const LaunchConfig& config,
                                     const std::vector<std::byte>& parameters, int level, std::uint64_t& spent) {
    const simt::Program& program = *kernels_.at(kernel.handle).program;
    if (program.parameter_address) write(program.parameter_address, parameters);
    simt::GridLaunches launches;
    launches.level = level;
    simt::LaunchState state;
    state.program = &program;
    state.grid = config.grid;
    state.block = config.block;
    state.dynamic_shared_bytes = config.dynamic_shared_bytes;
    state.sm_count = static_cast<std::uint32_t>(std::max(profile_.sm_count, 1));
    state.parameters = parameters;
    state.memory = &memory_;
    state.heap = &heap_;
    state.runtime = &runtime_;
    state.launches = &launches;
    if (options_.lines) state.phases = most_phases;
    if (config.cooperative) state.grid_workspace = grid_workspace();
    state.schedule = options_.schedule;
    simt::GridOptions grid;
    grid.threads = options_.threads;
    grid.budget = options_.budget;
    grid.spent = spent;
    grid.resident = resident_blocks(kernel, config);
    state.observers = observers_;
    LaunchLines lines;
    lines.kernel = kernel.cpp_name;
    lines.grid = config.grid;
    lines.block = config.block;
    std::function<void(const simt::Workers&)> look;
    if (options_.lines)
      look = [&](const simt::Workers& workers) {
        const ModuleImage& image = kernels_[kernel.handle].image;
        simt::count_lines(program, workers, image.source, image.ptx, lines);
      };
    const auto print = [this](std::string_view text) {
      output_ += text;
      if (sink_) sink_(text);
    };
    const Counters counted = run_grid(state, grid, print, look);
    lines.counters = counted;
    if (options_.lines) lines_.push_back(std::move(lines));
    spent += counted["warp_instructions"] + kLaunchCost;
    if (counters_)
      *counters_ += counted;
    else
      counters_ = counted;
    std::deque<simt::DeviceLaunch> made(launches.ordinary.begin(), launches.ordinary.end());
    made.insert(made.end(), launches.tail.begin(), launches.tail.end());
    return made;
  }

  /// Runs what a kernel launched.
  std::deque<simt::DeviceLaunch> run_nested(const simt::DeviceLaunch& next, std::uint64_t& spent) {
    if (next.kind != simt::DeviceLaunch::Kind::grid) {
      for (std::uint64_t row = 0; row < next.rows; ++row)
        if (next.kind == simt::DeviceLaunch::Kind::copy)
          copy(next.to + row * next.pitch_to, next.from + row * next.pitch_from, next.bytes);
        else
          fill(next.to + row * next.pitch_to, std::byte{next.value}, next.bytes);
      return {};
    }
    const Kernel child = kernel(next.function->name);
    std::vector<std::byte> parameters(kernels_.at(child.handle).program->parameter_bytes);
    if (!parameters.empty()) {
      read(parameters, next.parameters);
      release(next.parameters);
    }
    return run(child, {next.grid, next.block, next.dynamic_shared_bytes}, parameters, next.level, spent);
  }

  simt::DeviceRuntime make_runtime() {
    simt::DeviceRuntime made;
    made.memory = &memory_;
    made.heap = &heap_;
    made.program = [this](const ptx::Function& f) { return kernels_.at(kernel(f.name).handle).program.get(); };
    made.attribute = [this](int which) { return device_attribute(profile_, which); };
    made.registers = [this](const simt::Program& p) { return kernel_of(p).attributes.registers.value_or(0); };
    made.max_threads = [this](const simt::Program& p) {
      return kernel_of(p).attributes.max_threads_per_block.value_or(0);
    };
    made.blocks_per_sm = [this](const simt::Program& p, int threads, std::uint64_t dynamic_shared_bytes) {
      const auto found = occupancy(profile_, kernel_of(p).attributes.registers.value_or(1), p.static_shared_bytes,
                                   dynamic_shared_bytes, threads);
      return found ? found->blocks_per_sm : 0;
    };
    return made;
  }
  const Kernel& kernel_of(const simt::Program& program) const {
    return std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& k) { return k.program.get() == &program; })
        ->kernel;
  }

  /// Blocks that the modelled GPU keeps resident. Registers that are not known limit nothing.
  std::uint64_t resident_blocks(const Kernel& kernel, const LaunchConfig& config) const {
    const auto found =
        occupancy(profile_, kernel.attributes.registers.value_or(1), kernel.attributes.static_shared_bytes.value_or(0),
                  config.dynamic_shared_bytes, static_cast<int>(config.block.volume()));
    const int per_sm = found ? found->blocks_per_sm : 1;
    return static_cast<std::uint64_t>(std::max(per_sm, 1)) * static_cast<std::uint64_t>(std::max(profile_.sm_count, 1));
  }

  /// Where a cooperative grid's barrier lies, as it is before the first arrival.
  std::uint64_t grid_workspace() {
    constexpr std::uint64_t bytes = 64;  // cooperative_groups' grid_workspace: its size, the barrier, and room for more
    if (!grid_workspace_) grid_workspace_ = memory_.allocate("grid workspace", bytes);
    fill(grid_workspace_, std::byte{0}, bytes);
    return grid_workspace_;
  }

  const GpuProfile& profile_;
  SimulatorOptions options_;
  DeviceInfo info_;
  simt::GlobalMemory memory_;
  simt::DeviceHeap heap_{memory_};
  simt::DeviceRuntime runtime_ = make_runtime();
  std::uint64_t grid_workspace_ = 0;  ///< of cooperative launches; 0: there was none yet
  std::vector<LoadedModule> modules_;
  std::vector<LoadedKernel> kernels_;
  simt::Toolset tools_{options_.sanitize};
  std::vector<simt::Observer*> observers_ = tools_.observers();
  std::optional<Counters> counters_;
  std::vector<LaunchLines> lines_;
  std::string output_;
  PrintSink sink_;
};

}  // namespace

std::unique_ptr<Device> make_simulator(const GpuProfile& profile, const SimulatorOptions& options) {
  return std::make_unique<Simulator>(profile, options);
}

}  // namespace gpulab
