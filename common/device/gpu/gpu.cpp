#include "common/device/gpu/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "common/demangle.h"
#include "common/device/clocked.h"
#include "common/device/gpu/driver_api.h"
#include "common/device/gpu/gpu_limits.h"
#include "common/device/gpu/gpu_module.h"
#include "common/device/gpu/gpu_timer.h"
#include "common/device/gpu/output_capture.h"
#include "common/device/gpu/throttling.h"
#include "common/device/launch_check.h"
#include "common/launch_error.h"

namespace gpulab {
namespace {

/// What a kernel may print before the driver's ring buffer overwrites it (1 MiB by default).
constexpr std::size_t printf_bytes = std::size_t{32} << 20;

/// Shared memory above this needs the kernel to opt in (CUDA Programming Guide, Shared Memory of 7.x and later).
constexpr std::uint32_t shared_bytes_without_optin = 48 << 10;

/// A device's primary context, current in this thread from its making.
class PrimaryContext {
 public:
  PrimaryContext(const DriverApi& driver, int index) : driver_(driver) {
    const auto where = fmt::format("gpu:{}", index);
    driver_.check(driver_.cuDeviceGet(&device_, index), DriverUse::start, where);
    driver_.check(driver_.cuDevicePrimaryCtxRetain(&context_, device_), DriverUse::start, where);
    driver_.check(driver_.cuCtxSetCurrent(context_), DriverUse::start, where);
    // Refused once a kernel of this process has printed: then the buffer is as large as it was.
    (void)driver_.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, printf_bytes);
  }
  ~PrimaryContext() { driver_.cuDevicePrimaryCtxRelease(device_); }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

  void make_current() const { (void)driver_.cuCtxSetCurrent(context_); }
  /// Whether kernels of this one reach the other's memory.
  void reach(const PrimaryContext& peer, bool may) const {
    int can = 0;
    driver_.check(driver_.cuDeviceCanAccessPeer(&can, device_, peer.device_), DriverUse::start);
    if (can == 0)
      throw Error(ExitCode::missing, fmt::format("GPU {} cannot reach the memory of GPU {}", device_, peer.device_), {},
                  "'nvidia-smi topo -p2p r' says which GPUs of a machine do");
    const CUresult result =
        may ? driver_.cuCtxEnablePeerAccess(peer.context_, 0) : driver_.cuCtxDisablePeerAccess(peer.context_);
    if (result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED && result != CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
      driver_.check(result, DriverUse::start);
  }

  [[nodiscard]] int attribute(CUdevice_attribute which) const {
    int value = 0;
    driver_.check(driver_.cuDeviceGetAttribute(&value, which, device_), DriverUse::start);
    return value;
  }
  [[nodiscard]] CUdevice device() const { return device_; }
  [[nodiscard]] std::string pci_bus_id() const {
    char text[32] = "";
    driver_.check(driver_.cuDeviceGetPCIBusId(text, sizeof text, device_), DriverUse::start);
    return text;
  }

 private:
  const DriverApi& driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

/// One of the device's GPUs, with what is its own.
struct OneGpu {
  OneGpu(const DriverApi& driver, int index) : driver(driver), context(driver, index) {}
  ~OneGpu() {
    context.make_current();
    for (const auto& [number, stream] : streams) driver.cuStreamDestroy(stream);
    for (const auto& [mark, event] : marks) driver.cuEventDestroy(event);
    modules.clear();
  }
  OneGpu(const OneGpu&) = delete;
  OneGpu& operator=(const OneGpu&) = delete;

  const DriverApi& driver;
  PrimaryContext context;
  std::vector<std::unique_ptr<GpuModule>> modules{};
  std::map<std::uint32_t, CUstream> streams{};  ///< by number, from 1
  std::map<std::size_t, CUevent> marks{};       ///< by number
};

LaunchLimits limits_of(const PrimaryContext& context) {
  const auto get = [&](CUdevice_attribute which) { return static_cast<std::uint32_t>(context.attribute(which)); };
  LaunchLimits limits;
  limits.max_grid = {get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                     get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)};
  limits.max_block = {get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                      get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)};
  limits.max_threads_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits.max_shared_bytes_per_block = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return limits;
}

std::string gibibytes(std::size_t bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30)); }

class GpuDevice : public Device, public Clocked, public Limited {
 public:
  GpuDevice(const DriverApi& driver, int index, DeviceInfo info, std::optional<int> optimization)
      : driver_(driver),
        info_(std::move(info)),
        index_(index),
        optimization_(optimization),
        first_(driver, index),
        limits_(limits_of(first_.context)),
        timer_(driver, static_cast<std::size_t>(first_.context.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE))) {
    int count = 0;
    driver_.check(driver_.cuDeviceGetCount(&count), DriverUse::start);
    capabilities_.gpus = std::max(1, count);
  }

  ~GpuDevice() override {
    const OutputCapture::Scope captured(output_);
    others_.clear();
    first_.context.make_current();
    for (const auto& [pointer, name] : buffers_) driver_.cuMemFree(pointer);
    if (recorder_ != nullptr) driver_.cuStreamDestroy(recorder_);
  }

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] Capabilities capabilities() const override { return capabilities_; }

  void load(const ModuleImage& image) override {
    images_.push_back(image);
    load(first_, image);
    for (auto& [number, gpu] : others_) load(*gpu, image);
    now_->context.make_current();
  }

  /// Others are opened when they are first used: those behind this one, in the driver's order.
  void use_gpu(int gpu) override {
    if (gpu < 0 || gpu >= capabilities_.gpus)
      throw Error(ExitCode::missing, fmt::format("this machine has no GPU {}: it has {}", gpu, capabilities_.gpus), {},
                  "the simulator has several: --device sim");
    now_ = &gpu_of(gpu);
    now_->context.make_current();
  }
  void reach(int peer, bool may) override {
    const OneGpu& other = gpu_of(peer);
    now_->context.make_current();
    now_->context.reach(other.context, may);
  }
  void queue_mark(std::size_t mark, std::uint32_t stream) override {
    const auto [it, fresh] = now_->marks.try_emplace(mark, nullptr);
    if (fresh) check(driver_.cuEventCreate(&it->second, CU_EVENT_DISABLE_TIMING));
    check(driver_.cuEventRecord(it->second, queue(stream)));
    marks_[mark] = it->second;
  }
  void queue_wait(std::size_t mark, std::uint32_t stream) override {
    check(driver_.cuStreamWaitEvent(queue(stream), marks_.at(mark), 0));
  }
  void queue_copy(DevicePointer to, DevicePointer from, std::size_t bytes, std::uint32_t stream) override {
    if (bytes == 0) return;
    const OutputCapture::Scope captured(output_);
    check(driver_.cuMemcpyAsync(to, from, bytes, queue(stream)));
  }

  Kernel kernel(std::string_view name) override {
    std::vector<std::string_view> entries;
    std::vector<GpuModule*> owners;
    for (const auto& module : now_->modules)
      for (const auto entry : module->entry_names()) {
        entries.push_back(entry);
        owners.push_back(module.get());
      }
    const std::string_view found = find_entry(name, entries);
    const auto at = std::find(entries.begin(), entries.end(), found) - entries.begin();
    const OutputCapture::Scope captured(output_);
    return owners[static_cast<std::size_t>(at)]->kernel(found);
  }

  std::optional<ModuleVariable> variable(std::string_view name) override {
    const OutputCapture::Scope captured(output_);
    for (const auto& module : now_->modules)
      if (const auto found = module->variable(std::string(name))) return found;
    return std::nullopt;
  }

  DevicePointer allocate(std::string_view name, std::size_t bytes) override {
    if (bytes == 0) return 0;  // cuMemAlloc refuses it; the null pointer faults when used
    const OutputCapture::Scope captured(output_);
    CUdeviceptr pointer = 0;
    const CUresult result = driver_.cuMemAlloc(&pointer, bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) throw out_of_memory(name, bytes);
    driver_.check(result, DriverUse::memory, std::string(name));
    buffers_.emplace(pointer, name);
    return pointer;
  }

  void release(DevicePointer pointer) override {
    if (pointer == 0) return;
    const OutputCapture::Scope captured(output_);
    buffers_.erase(pointer);
    check(driver_.cuMemFree(pointer));
  }

  void write(DevicePointer to, std::span<const std::byte> from) override {
    if (from.empty()) return;
    const OutputCapture::Scope captured(output_);
    check(driver_.cuMemcpyHtoD(to, from.data(), from.size()));
  }

  void read(std::span<std::byte> to, DevicePointer from) override {
    if (to.empty()) return;
    const OutputCapture::Scope captured(output_);
    check(driver_.cuMemcpyDtoH(to.data(), from, to.size()));
  }

  void fill(DevicePointer to, std::byte value, std::size_t bytes) override {
    if (bytes == 0) return;
    check(driver_.cuMemsetD8Async(to, std::to_integer<unsigned char>(value), bytes, nullptr));
  }

  void copy(DevicePointer to, DevicePointer from, std::size_t bytes) override {
    if (bytes == 0) return;
    check(driver_.cuMemcpyDtoDAsync(to, from, bytes, nullptr));
  }

  HostMemory host_memory(std::string_view name, std::size_t bytes, bool pinned) override {
    if (!pinned || bytes == 0) return Device::host_memory(name, bytes, pinned);
    void* memory = nullptr;
    driver_.check(driver_.cuMemHostAlloc(&memory, bytes, 0), DriverUse::memory, std::string(name),
                  "page-locked memory cannot be swapped out: choose a smaller size");
    return {static_cast<std::byte*>(memory), [this](std::byte* locked) {
              const OutputCapture::Scope captured(output_);
              driver_.cuMemFreeHost(locked);  // fails after a fault only, which has been reported
            }};
  }

  void queue_write(DevicePointer to, std::span<const std::byte> from, std::uint32_t stream) override {
    if (from.empty()) return;
    const OutputCapture::Scope captured(output_);
    check(driver_.cuMemcpyHtoDAsync(to, from.data(), from.size(), queue(stream)));
  }

  void queue_read(std::span<std::byte> to, DevicePointer from, std::uint32_t stream) override {
    if (to.empty()) return;
    const OutputCapture::Scope captured(output_);
    check(driver_.cuMemcpyDtoHAsync(to.data(), from, to.size(), queue(stream)));
  }

  void launch(const Kernel& kernel, const LaunchConfig& config, std::span<const KernelArgument> arguments) override {
    check_arguments(kernel, arguments);
    check_shape(kernel, config, limits_);
    std::vector<void*> values;
    for (const auto& argument : arguments) values.push_back(const_cast<std::byte*>(argument.bytes.data()));
    auto* function = reinterpret_cast<CUfunction>(kernel.handle);
    const auto [g, b, shared, cooperative, number, cluster, carveout] = config;
    allow_shared(kernel, shared);
    if (cooperative) check_cooperative(kernel, config, resident_blocks(function, config));
    pending_ = kernel.cpp_name;
    const OutputCapture::Scope captured(output_);
    CUstream stream = queue(number);
    check(cooperative
              ? driver_.cuLaunchCooperativeKernel(function, g.x, g.y, g.z, b.x, b.y, b.z, shared, stream, values.data())
              : driver_.cuLaunchKernel(function, g.x, g.y, g.z, b.x, b.y, b.z, shared, stream, values.data(), nullptr));
  }

  std::unique_ptr<Recording> record(const std::function<void()>& work) override {
    const OutputCapture::Scope captured(output_);
    if (recorder_ == nullptr) check(driver_.cuStreamCreate(&recorder_, CU_STREAM_DEFAULT));
    const auto graph = capture(work);
    CUgraphExec executable = nullptr;
    check(driver_.cuGraphInstantiateWithFlags(&executable, graph.get(), 0));
    return std::make_unique<Graph>(*this, executable);
  }

  void synchronize() override {
    {
      const OutputCapture::Scope captured(output_);
      for (auto& [number, gpu] : others_) {
        gpu->context.make_current();
        check(driver_.cuCtxSynchronize());
      }
      first_.context.make_current();
      check(driver_.cuCtxSynchronize());
      now_->context.make_current();
    }
    if (!sink_) return;
    if (const std::string news = output_.news(); !news.empty()) sink_(news);
  }

  double time(const std::function<void()>& work, bool cold) override {
    const OutputCapture::Scope captured(output_);
    synchronize();  // a fault of an earlier launch is not this work's
    return timer_.time(work, cold);
  }

  ClockReading take_clock() override { return {timer_.sm_mhz(), throttling().now()}; }
  std::string throttling_unseen() override { return throttling().problem(); }

  std::vector<DeviceLimit> limits() override { return gpu_limits(driver_, first_.context.device()); }

  std::optional<MemoryRoom> memory_room() override {
    std::size_t free = 0, total = 0;
    if (driver_.cuMemGetInfo(&free, &total) != CUDA_SUCCESS) return std::nullopt;  // after a fault
    return MemoryRoom{free, total};
  }

  std::optional<Counters> take_counters() override { return std::nullopt; }
  std::string take_output() override { return output_.take(); }
  void print_to(const PrintSink& sink) override { sink_ = sink; }

 private:
  /// An instantiated CUDA graph. It runs on the stream that recorded it, which waits for stream 0, and stream 0 for it.
  class Graph final : public Recording {
   public:
    Graph(GpuDevice& device, CUgraphExec executable) : device_(device), executable_(executable) {}
    ~Graph() override {
      const OutputCapture::Scope captured(device_.output_);
      device_.driver_.cuGraphExecDestroy(executable_);
    }
    void replay() override {
      const OutputCapture::Scope captured(device_.output_);
      device_.check(device_.driver_.cuGraphLaunch(executable_, device_.recorder_));
    }

   private:
    GpuDevice& device_;
    CUgraphExec executable_;
  };

  void load(OneGpu& gpu, const ModuleImage& image) {
    gpu.context.make_current();
    gpu.modules.push_back(std::make_unique<GpuModule>(driver_, image, optimization_));
  }
  OneGpu& gpu_of(int gpu) {
    if (gpu == 0) return first_;
    auto& other = others_[gpu];
    if (other == nullptr) {
      other = std::make_unique<OneGpu>(driver_, (index_ + gpu) % capabilities_.gpus);
      for (const auto& image : images_) load(*other, image);
    }
    return *other;
  }

  /// The stream of that number: 0 is the legacy default stream, the others are made when they are first asked for and
  /// order themselves with it (not CU_STREAM_NON_BLOCKING). While work is recorded, the stream that records.
  CUstream queue(std::uint32_t number) {
    if (recording_ && number != 0) throw std::logic_error("recorded work belongs on stream 0");
    if (recording_) return recorder_;
    if (number == 0) return nullptr;
    const auto [it, fresh] = now_->streams.try_emplace(number, nullptr);
    if (fresh) {
      const CUresult result = driver_.cuStreamCreate(&it->second, CU_STREAM_DEFAULT);
      if (result != CUDA_SUCCESS) now_->streams.erase(it);
      check(result);
    }
    return it->second;
  }

  using CapturedGraph = std::unique_ptr<CUgraph_st, CUresult (*)(CUgraph)>;
  /// What `work` queues, as a graph. A stream is never left capturing, whatever `work` throws.
  CapturedGraph capture(const std::function<void()>& work) {
    // Relaxed: nothing else happens in this thread, and a driver that still has something to load may.
    check(driver_.cuStreamBeginCapture(recorder_, CU_STREAM_CAPTURE_MODE_RELAXED));
    recording_ = true;
    const auto end = [&] {
      recording_ = false;
      CUgraph graph = nullptr;
      const CUresult result = driver_.cuStreamEndCapture(recorder_, &graph);
      return std::pair(result, CapturedGraph(graph, driver_.cuGraphDestroy));
    };
    try {
      work();
    } catch (...) {
      (void)end();
      throw;
    }
    auto [result, graph] = end();
    check(result);
    return std::move(graph);
  }

  /// Errors of launches surface at any later call: they are named after the last kernel.
  void check(CUresult result) { driver_.check(result, DriverUse::launch, pending_); }

  LaunchError out_of_memory(std::string_view name, std::size_t bytes) const {
    std::size_t free = 0, total = 0;
    driver_.cuMemGetInfo(&free, &total);
    return {LaunchFailure::out_of_memory, driver_.describe(CUDA_ERROR_OUT_OF_MEMORY), std::string(name),
            fmt::format("it needs {}, {} of {} are free: choose a smaller size", gibibytes(bytes), gibibytes(free),
                        gibibytes(total))};
  }

  std::uint64_t resident_blocks(CUfunction function, const LaunchConfig& config) {
    int per_sm = 0;
    check(driver_.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, function, static_cast<int>(config.block.volume()), config.dynamic_shared_bytes));
    return static_cast<std::uint64_t>(per_sm) * static_cast<std::uint64_t>(info_.sm_count);
  }

  void allow_shared(const Kernel& kernel, std::uint32_t dynamic_bytes) {
    if (dynamic_bytes + kernel.attributes.static_shared_bytes.value_or(0) <= shared_bytes_without_optin) return;
    driver_.check(
        driver_.cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel.handle),
                                   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(dynamic_bytes)),
        DriverUse::launch, kernel.cpp_name);
  }

  /// Looked for when the first sample is taken.
  const Throttling& throttling() {
    if (!throttling_) throttling_.emplace(first_.context.pci_bus_id());
    return *throttling_;
  }

  const DriverApi& driver_;
  DeviceInfo info_;
  int index_;
  std::optional<int> optimization_;
  Capabilities capabilities_ = gpu_capabilities;
  std::optional<Throttling> throttling_;
  OutputCapture output_;
  PrintSink sink_;
  OneGpu first_;  // before all that lives in it
  std::map<int, std::unique_ptr<OneGpu>> others_;
  OneGpu* now_ = &first_;
  std::map<std::size_t, CUevent> marks_;  ///< the last of each number, of whichever GPU
  LaunchLimits limits_;
  GpuTimer timer_;
  std::vector<ModuleImage> images_;
  std::map<CUdeviceptr, std::string> buffers_;
  CUstream recorder_ = nullptr;  ///< captures graphs and runs them; made for the first
  bool recording_ = false;
  std::string pending_;  ///< kernel launched last
};

}  // namespace

std::unique_ptr<Device> make_gpu(int index, std::optional<int> optimization) {
  auto info = gpu_info(index);
  return std::make_unique<GpuDevice>(*driver(), index, std::move(info), optimization);
}

}  // namespace gpulab
