// The simulator behind the device interface: each of its functions is a part's (device_memory.h, kernel_library.h,
// grid_runner.h, launch_tree.h).

#include "common/device/simulator/simulated.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "common/device/launch_check.h"
#include "common/device/simulator/device_memory.h"
#include "common/device/simulator/grid_runner.h"
#include "common/device/simulator/kernel_library.h"
#include "common/device/simulator/known_counts.h"
#include "common/device/simulator/launch_tree.h"
#include "common/device/simulator/repeated_launches.h"
#include "common/device/simulator/runtime_queries.h"
#include "common/device/simulator/several_gpus.h"
#include "common/launch_error.h"
#include "common/simt/observers/toolset.h"
#include "common/simt/observers/trace/recorder.h"
#include "common/simt/timing/model.h"

namespace gpulab {

namespace {

/// Warp instructions before a launch counts as hung: minutes of simulation, far beyond what a lab needs.
constexpr std::uint64_t kDefaultBudget = 20'000'000'000;

SimulatorOptions completed(SimulatorOptions options) {
  if (options.threads <= 0) options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (options.budget == 0) options.budget = kDefaultBudget;
  // What watches kernels wants to see each, and what is not counted is not known.
  if (!options.counters || !options.sanitize.empty() || options.trace || options.schedule || !options.observers.empty())
    options.repeats = false;
  return options;
}

/// The tools that are on, and whoever else watches.
std::vector<simt::Observer*> all_observers(const simt::Toolset& tools, simt::Recorder* recorder,
                                           simt::TimingModel* model, const SimulatorOptions& options) {
  std::vector<simt::Observer*> all = tools.observers();
  if (recorder) all.push_back(recorder);
  all.insert(all.end(), options.observers.begin(), options.observers.end());
  if (model) all.push_back(&model->tracer());
  return all;
}

/// Tells the model which launches are those of one graph.
class ModelledGraph final : public Recording {
 public:
  ModelledGraph(std::unique_ptr<Recording> graph, simt::TimingModel* model) : graph_(std::move(graph)), model_(model) {}
  void replay() override {
    if (model_) model_->in_graph(true);
    graph_->replay();
    if (model_) model_->in_graph(false);
  }

 private:
  const std::unique_ptr<Recording> graph_;
  simt::TimingModel* model_;  ///< nullptr: nobody asked
};

/// What the model knows of the GPU, where somebody asked for a model.
std::unique_ptr<const simt::GpuTiming> timing_of(const GpuProfile& profile, const SimulatorOptions& options) {
  if (!options.model || !options.counters) return nullptr;
  if (!options.timing.empty())
    return std::make_unique<simt::GpuTiming>(simt::timing_of(profile.id, options.timing, "--timing"));
  const auto* known = simt::gpu_timing(profile.id);
  return std::make_unique<simt::GpuTiming>(known != nullptr ? *known : simt::estimated_timing(profile));
}

simt::DecodeContext decoding_for(const GpuProfile& profile, const SimulatorOptions& options,
                                 const std::vector<simt::Observer*>& observers) {
  simt::DecodeContext context;
  context.most_shared_bytes = profile.shared_bytes_per_block_optin;
  context.counters = options.counters;
  context.split_at_barriers = options.lines;
  context.split_at_accesses = options.schedule != 0;
  for (const simt::Observer* observer : observers) context.watches |= observer->watches();
  return context;
}

class Simulator final : public Device {
 public:
  Simulator(const GpuProfile& profile, const SimulatorOptions& options)
      : profile_(profile),
        options_(completed(options)),
        tools_(options.sanitize),
        timing_(timing_of(profile, options_)),
        model_(timing_ ? std::make_unique<simt::TimingModel>(*timing_, profile) : nullptr),
        recorder_(options.trace ? std::make_unique<simt::Recorder>(*options.trace) : nullptr),
        observers_(all_observers(tools_, recorder_.get(), model_.get(), options)),
        info_(simulator_info(profile)),
        memory_(observers_),
        library_(profile, memory_.global(), decoding_for(profile, options, observers_)) {
    if (model_ && recorder_) model_->keep_issues();
  }

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] Capabilities capabilities() const override {
    Capabilities can = simulator_capabilities;
    can.counts = options_.counters;
    return can;
  }

  void use_gpu(int gpu) override {
    if (gpu < 0 || gpu >= simulator_capabilities.gpus) return Device::use_gpu(gpu);
    library_.use_gpu(gpu);
    memory_.use_gpu(gpu);
    gpus_.use(gpu);
  }
  void reach(int peer, bool may) override {
    gpus_.reach(peer, may);
    if (!may) may_repeat_ = false;  // what an earlier launch has done, the same one may fault at
  }

  void load(const ModuleImage& image) override { library_.load(image); }
  Kernel kernel(std::string_view name) override { return library_.find(name).kernel; }

  Kernel kernel_of(std::string_view module, std::string_view entry) override {
    return library_.find(module, entry).kernel;
  }
  std::optional<ModuleVariable> variable(std::string_view name) override { return library_.variable(name); }
  std::optional<ModuleVariable> variable_of(std::string_view module, std::string_view name) override {
    return library_.variable(module, name);
  }
  std::optional<ModuleVariable> variable_at(DevicePointer address) override { return library_.variable_at(address); }

  DevicePointer allocate(std::string_view name, std::size_t bytes) override { return memory_.allocate(name, bytes); }
  DevicePointer allocate_shared(std::string_view name, std::size_t bytes) override {
    return memory_.allocate_shared(name, bytes);
  }
  void adopt(std::string_view name, std::span<std::byte> memory) override { memory_.adopt(name, memory); }
  void release(DevicePointer pointer) override { memory_.release(pointer); }
  void share(DevicePointer pointer, int file) override {
    if (!memory_.global().share(pointer, file))
      throw Error(ExitCode::missing, "the memory cannot be shared with other processes");
    may_repeat_ = false;  // nobody knows what they change
  }
  std::uint64_t make_texture(const simt::Texture& texture) override { return memory_.global().textures().add(texture); }
  void release_texture(std::uint64_t handle) override { memory_.global().textures().remove(handle); }
  void write(DevicePointer to, std::span<const std::byte> from) override { memory_.write(to, from); }
  void read(std::span<std::byte> to, DevicePointer from) override { memory_.read(to, from); }
  void fill(DevicePointer to, std::byte value, std::size_t bytes) override { memory_.fill(to, value, bytes); }
  void copy(DevicePointer to, DevicePointer from, std::size_t bytes) override { memory_.copy(to, from, bytes); }
  bool is_of_kernels(DevicePointer address) override {
    const simt::Allocation* found = memory_.global().find(address);
    return found != nullptr && found->of_heap;
  }
  std::vector<Stretch> never_written(DevicePointer from, std::size_t bytes) override {
    return memory_.never_written(from, bytes);
  }
  void forget(DevicePointer pointer, std::size_t bytes) override { memory_.forget(pointer, bytes); }

  void launch(const Kernel& kernel, const LaunchConfig& config, std::span<const KernelArgument> arguments) override {
    check_arguments(kernel, arguments);
    LaunchLimits limits;
    limits.max_shared_bytes_per_block = profile_.shared_bytes_per_block_optin;
    check_shape(kernel, config, limits);
    check_cluster(kernel, config);
    check_cooperative(kernel, config, resident_blocks(profile_, kernel, config));
    const LoadedKernel& loaded = library_.at(kernel.handle);
    const RepeatedLaunches::Launch launch{kernel.handle, config, loaded.parameter_block(arguments)};
    again_ = options_.repeats && may_repeat_ && !grids_.has_grid_beside() ? repeated_.find(launch) : nullptr;
    if (again_) {
      ++repeats_;
      return;
    }
    ran_ = counted_ = nullptr;
    try {
      const SeenByOne seen(memory_.global(), gpus_, loaded.gpu);
      if (run_uncounted(loaded, launch)) return;
      LaunchTree(library_, memory_, grids_, runtime_).run(loaded, config, launch.parameters);
      const auto used = grids_.take_used();
      again_ = nullptr, ran_ = counted_ = nullptr;  // others may have run meanwhile
      if (!used || grids_.has_grid_beside()) return;
      ran_ = repeated_.ran(launch, *used);
      counted_ = counts_.ran(loaded, launch, *used);
    } catch (const std::bad_alloc&) {
      throw LaunchError(LaunchFailure::out_of_memory,
                        fmt::format("{}: this machine has no memory left for what the simulator keeps of the launch",
                                    loaded.kernel.cpp_name),
                        {},
                        options_.sanitize.empty() ? "choose a smaller problem"
                                                  : "choose a smaller problem, or fewer tools (--sanitize)");
    }
  }
  bool next_lets_in(const simt::AskOthers& others) override {
    grids_.next_lets_in(others);
    return true;
  }
  std::unique_ptr<Recording> record(const std::function<void()>& work) override {
    return std::make_unique<ModelledGraph>(Device::record(work), model_.get());
  }
  void synchronize() override {}

  double time(const std::function<void()>& work, bool) override {
    if (model_) model_->start_run(options_.empty_l2);
    if (recorder_) recorder_->start_run();
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

  std::optional<Counters> take_counters() override {
    if (!options_.counters) return std::nullopt;
    if (again_) return again_->counters;
    auto counters = grids_.take_counters();
    for (auto* outcome : {ran_, counted_})
      if (outcome) outcome->counters = counters;
    return counters;
  }
  std::optional<ModelledTime> take_model(std::string& why) override {
    if (again_) {
      why = again_->why_no_time;
      return again_->time;
    }
    auto time = take_own_model(why);
    for (auto* outcome : {ran_, counted_})
      if (outcome) outcome->time = time, outcome->why_no_time = why;
    return time;
  }
  std::uint64_t take_repeats() override { return std::exchange(repeats_, 0); }
  std::uint64_t take_uncounted() override { return std::exchange(uncounted_, 0); }
  std::vector<LaunchLines> take_lines() override { return grids_.take_lines(); }
  std::shared_ptr<StepTrace> take_steps() override {
    if (!recorder_) return nullptr;
    if (model_) recorder_->add_times(model_->take_issued(recorder_->launch()));
    return recorder_->take();
  }
  void keep_steps(bool wanted) override {
    if (recorder_) recorder_->keep(wanted);
  }
  std::vector<Finding> take_findings() override {
    auto found = tools_.take_findings();
    for (auto& finding : grids_.take_findings()) found.push_back(std::move(finding));
    return found;
  }
  [[nodiscard]] bool keeps_touched() const override {
    return std::ranges::find(options_.sanitize, "streamcheck") != options_.sanitize.end();
  }
  void keep_touched(simt::Touches which) override { tools_.touched().keep(which); }
  simt::TouchedBytes take_touched() override { return tools_.touched().take(); }
  void limit_stack(std::size_t bytes) override { grids_.limit_stack(bytes); }
  void limit_sync_depth(int levels) override { runtime_.sync_depth = levels; }
  std::string take_output() override { return grids_.take_output(); }
  std::uint64_t take_output_cut() override { return grids_.take_output_cut(); }
  std::uint64_t take_work() override { return grids_.take_work(); }
  void print_to(const PrintSink& sink) override { grids_.print_to(sink); }

 private:
  /// Runs it, if it would count what an earlier one has counted.
  bool run_uncounted(const LoadedKernel& loaded, const RepeatedLaunches::Launch& launch) {
    if (!options_.repeats || grids_.has_grid_beside()) return false;
    const KnownCounts::Known* known = counts_.find(loaded, launch);
    if (!known) return false;
    grids_.run_uncounted(loaded, library_.uncounted(launch.kernel), launch.config, launch.parameters, known->used,
                         (*known->outcome.counters)["warp_instructions"]);
    ++uncounted_;
    again_ = &known->outcome;
    if (auto* outcome = repeated_.ran(launch, known->used)) *outcome = known->outcome;
    return true;
  }
  std::optional<ModelledTime> take_own_model(std::string& why) {
    if (!model_) {
      if (options_.model) why = "it follows from the counters, which are off";
      return std::nullopt;
    }
    why = model_->unavailable();
    return model_->take();
  }

  const GpuProfile& profile_;
  const SimulatorOptions options_;
  simt::Toolset tools_;
  const std::unique_ptr<const simt::GpuTiming> timing_;
  const std::unique_ptr<simt::TimingModel> model_;  ///< nullptr: nobody asked, or nothing is known of the GPU
  const std::unique_ptr<simt::Recorder> recorder_;  ///< nullptr: nobody asked
  const std::vector<simt::Observer*> observers_;
  const DeviceInfo info_;
  DeviceMemory memory_;
  simt::DeviceHeap heap_{memory_.global()};
  KernelLibrary library_;
  simt::DeviceRuntime runtime_ = make_runtime(profile_, library_, memory_.global(), heap_);
  GridRunner grids_{profile_, options_, observers_, model_.get(), memory_, heap_, runtime_};
  SeveralGpus gpus_;
  bool may_repeat_ = true;
  RepeatedLaunches repeated_{memory_.global(), memory_.versions()};
  KnownCounts counts_;
  const RepeatedLaunches::Outcome* again_ = nullptr;  ///< of the last launch, which was not run, or not counted
  RepeatedLaunches::Outcome* ran_ = nullptr;          ///< of the last launch, if another may repeat it,
  RepeatedLaunches::Outcome* counted_ = nullptr;      ///< or count the same
  std::uint64_t repeats_ = 0, uncounted_ = 0;
};

}  // namespace

DeviceInfo simulator_info(const GpuProfile& profile) {
  DeviceInfo info;
  info.kind = "sim";
  info.name = "simulator";
  info.profile = profile.id;
  info.compute_major = profile.compute_major;
  info.compute_minor = profile.compute_minor;
  info.sm_count = profile.sm_count;
  info.modelled = true;
  return info;
}

std::unique_ptr<Device> make_simulator(const GpuProfile& profile, const SimulatorOptions& options) {
  return std::make_unique<Simulator>(profile, options);
}

}  // namespace gpulab
