#pragma once
// The only device interface. Each kind of device implements it in a folder of its own (device_kind.h): NVIDIA GPUs
// (gpu/), and the SIMT simulator (simulator/). Differences are data (Capabilities); nothing elsewhere asks which kind
// it talks to.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/counters.h"
#include "common/dim3.h"
#include "common/embedded.h"
#include "common/finding.h"
#include "common/line_counts.h"
#include "common/simt/machine/memory/stretch.h"
#include "common/simt/machine/memory/texture.h"
#include "common/simt/machine/others.h"
#include "common/simt/observers/touched/touched_bytes.h"
#include "common/simt/timing/modelled_time.h"

namespace gpulab {

struct StepTrace;  // trace/step_trace.h

using DevicePointer = std::uint64_t;

struct DeviceInfo {
  std::string kind;     ///< DeviceKind::name
  std::string name;     ///< "NVIDIA H200", "simulator"
  std::string profile;  ///< name of the GPU profile in configs/gpus that occupancy is computed for
  int compute_major = 0, compute_minor = 0;
  int sm_count = 0;
  bool modelled = false;  ///< stands for the GPU of `profile`, which need not be here
};

struct Capabilities {
  bool measures_time = false;     ///< CUDA events; otherwise only simulation wall time
  bool counts = false;            ///< counters (common/counters.h)
  bool runs_vendor_code = false;  ///< CUB, cuBLAS variants
  bool models = false;            ///< can say how long launches would take on the GPU that it stands for
  bool sanitizes = false;         ///< the tools of --sanitize can watch
  bool uses_host_memory = false;  ///< what it allocates comes out of the host's memory (the simulator)
  int gpus = 1;                   ///< that Device::use_gpu() can choose from
};

/// What a function takes of a thread's stack in a kernel, at least, by the machine code that ptxas has made of it.
struct FrameRow {
  std::string_view kernel, function;  ///< mangled; of a kernel itself the same
  std::uint32_t bytes = 0;
};

/// PTX text and what to call it in messages. Views must outlive the device.
struct ModuleImage {
  std::string_view name;  ///< "reduce/kernels.cu"
  std::string_view ptx;
  std::string_view source;  ///< CUDA source text, may be empty
  /// What ptxas said of its kernels, for a device that does not compile them itself; may be empty.
  std::span<const PtxasRow> resources{};
  std::span<const FrameRow> frames{};
};

/// What ptxas or the driver says of one kernel. Absent knowledge is absent.
struct KernelAttributes {
  std::optional<int> registers;  ///< per thread
  std::optional<std::size_t> static_shared_bytes;
  std::optional<std::size_t> local_bytes;  ///< per thread, stack and spills
  std::optional<int> max_threads_per_block;
  Dim3 cluster{0, 0, 0};  ///< that it is compiled for (__cluster_dims__); 0: none
};

/// A kernel found in a loaded module. `parameter_sizes` are bytes, from the PTX parameter list.
struct Kernel {
  std::string entry;     ///< mangled entry name
  std::string cpp_name;  ///< demangled, without return type and arguments: "reduce_warp<float, Sum>"
  std::vector<std::size_t> parameter_sizes;
  std::vector<std::size_t> parameter_offsets;  ///< in a block of all of them; empty where the device does not say
  KernelAttributes attributes;
  std::uintptr_t handle = 0;  ///< the device's own
  bool may_poll = false;      ///< its threads may wait for what others write, as far as the device knows
};

/// Takes what kernels print.
using PrintSink = std::function<void(std::string_view)>;

/// One kernel argument by value; device pointers are 8-byte values.
struct KernelArgument {
  std::vector<std::byte> bytes;
  template <typename T>
  static KernelArgument of(const T& value) {
    KernelArgument argument{std::vector<std::byte>(sizeof(T))};
    std::memcpy(argument.bytes.data(), &value, sizeof(T));
    return argument;
  }
};

/// A __device__ or __constant__ variable of a module.
struct ModuleVariable {
  DevicePointer address = 0;
  std::size_t bytes = 0;
};

struct LaunchConfig {
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::uint32_t stream = 0;
  Dim3 cluster{0, 0, 0};  ///< blocks of a cluster; 0: as the kernel says, or each block by itself
  int carveout = -1;      ///< hundredths of an SM's shared memory and L1 that are shared memory; -1: the driver chooses
};

/// Memory of the host, released with this; not to outlive its device.
using HostMemory = std::unique_ptr<std::byte[], std::function<void(std::byte*)>>;

/// Work that was recorded once, to be submitted again and again by one call. Not to outlive its device.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual void replay() = 0;
};

/// Streams are numbered. What is queued on one happens in the order of its queueing; different ones overlap, but stream
/// 0 waits for all that was queued before, and all that comes after waits for it (CUDA's legacy default stream). A
/// device that does one thing at a time takes everything in the order in which it comes.
///
/// Failed launches throw LaunchError (an Error with exit code 4).
/// Its kind decides the status of the case.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual Capabilities capabilities() const = 0;

  virtual void load(const ModuleImage& image) = 0;
  /// Finds an entry in the loaded modules by its C++ name ("reduce_warp<float, Sum>") or mangled name.
  /// Throws Error (usage) that lists near misses when there is none.
  virtual Kernel kernel(std::string_view name) = 0;
  /// An entry of one module, by its mangled name: several modules may have one of that name. Modules are told apart by
  /// ModuleImage::name. Throws as `kernel`.
  virtual Kernel kernel_of(std::string_view module, std::string_view entry);
  /// A variable of one module, which gets its place now where it has none.
  virtual std::optional<ModuleVariable> variable_of(std::string_view module, std::string_view name);
  /// A variable by its mangled name. Nothing where no module has it of which a kernel has been asked for.
  virtual std::optional<ModuleVariable> variable(std::string_view) { return std::nullopt; }

  /// The variable, or the constant of a kernel's code (a text in quotes), that a module's memory at this address is of.
  virtual std::optional<ModuleVariable> variable_at(DevicePointer) { return std::nullopt; }

  /// `name` appears in findings ("in[4]"). Throws LaunchError (out_of_memory). Size 0 is legal.
  virtual DevicePointer allocate(std::string_view name, std::size_t bytes) = 0;
  virtual void release(DevicePointer pointer) = 0;
  /// Memory that the host, too, reads and writes at the same address (managed); zeros at first. Throws Error (missing)
  /// where the device has none.
  virtual DevicePointer allocate_shared(std::string_view name, std::size_t bytes);
  /// The host's own memory becomes the device's, too, at the same address, until it is released. Throws
  /// std::invalid_argument where some of it is already; Error (missing) where the device cannot.
  virtual void adopt(std::string_view name, std::span<std::byte> memory);
  /// The allocation's pages become those of a file, as they are, which other processes may map: what they write there
  /// is seen at once. Throws Error (missing) where that cannot be.
  virtual void share(DevicePointer pointer, int file);
  /// Makes a texture or surface object of device memory; its handle is what kernels get. Throws Error (missing)
  /// where the device cannot make one.
  virtual std::uint64_t make_texture(const simt::Texture& texture);
  virtual void release_texture(std::uint64_t) {}
  virtual void write(DevicePointer to, std::span<const std::byte> from) = 0;
  virtual void read(std::span<std::byte> to, DevicePointer from) = 0;
  virtual void fill(DevicePointer to, std::byte value, std::size_t bytes) = 0;
  /// Device-to-device copy (to restore inputs between samples).
  virtual void copy(DevicePointer to, DevicePointer from, std::size_t bytes) = 0;

  /// Uninitialised memory of the host to copy from and to; pinned: page-locked, so that the device's copy engines reach
  /// it by themselves (where there are any). Throws LaunchError (out_of_memory). Size 0 is legal.
  [[nodiscard]] virtual HostMemory host_memory(std::string_view name, std::size_t bytes, bool pinned);
  /// As write and read, in a stream's order: they may return before the bytes have moved, and the host leaves its own
  /// alone until synchronize().
  virtual void queue_write(DevicePointer to, std::span<const std::byte> from, std::uint32_t stream);
  virtual void queue_read(std::span<std::byte> to, DevicePointer from, std::uint32_t stream);
  /// A copy between two places of device memory, of one GPU or of two.
  virtual void queue_copy(DevicePointer to, DevicePointer from, std::size_t bytes, std::uint32_t stream);

  /// Several GPUs of one kind (Capabilities::gpus), of which one is current, the first to begin with: what is
  /// allocated, asked for (kernel), launched and queued is its, and so are the streams' numbers. Addresses are one
  /// space, and copies reach all of it; kernels reach other GPUs' memory where reach() lets them. Throws Error
  /// (missing) where there is none of that number.
  virtual void use_gpu(int gpu);
  /// Whether kernels of the current GPU may load and store memory of `peer`; at first they may not.
  virtual void reach(int peer, bool may);
  /// Remembers, by a number of the caller's, how far a stream of the current GPU has been queued; what is queued after
  /// queue_wait, in a stream of this GPU or another, waits until that is done. A device that takes everything in its
  /// order has nothing to do.
  virtual void queue_mark(std::size_t /*mark*/, std::uint32_t /*stream*/) {}
  virtual void queue_wait(std::size_t /*mark*/, std::uint32_t /*stream*/) {}

  /// Checks arguments against the PTX parameter list, then launches. May return before the kernel ends.
  virtual void launch(const Kernel& kernel, const LaunchConfig& config, std::span<const KernelArgument> arguments) = 0;
  /// The next launch asks them while it polls: what they do meanwhile may use the device, but frees nothing. As soon as
  /// they had a turn nothing is modelled of the launch any more, tools do not watch it, and its counters depend on how
  /// long it waits. False: this device has no such launches.
  virtual bool next_lets_in(const simt::AskOthers&) { return false; }
  /// Records what `work` queues on stream 0 (launches and queued copies) without running it; on a GPU it becomes a CUDA
  /// graph. What `work` refers to outlives the recording.
  [[nodiscard]] virtual std::unique_ptr<Recording> record(const std::function<void()>& work);
  /// How much stack a thread has on the GPU that this device stands for (cudaLimitStackSize): kernels that certainly
  /// need more fail, of others that may need more a finding tells. Without a call nobody asks.
  virtual void limit_stack(std::size_t) {}
  /// Up to which level of nested grids a kernel may wait for what it has launched (cudaLimitDevRuntimeSyncDepth).
  virtual void limit_sync_depth(int) {}
  /// Waits for all launches and copies; throws what they failed with.
  virtual void synchronize() = 0;

  /// Milliseconds that `work` (launches only) takes, by CUDA events on a GPU, wall time on the simulator.
  /// `cold`: the L2 cache is flushed first.
  virtual double time(const std::function<void()>& work, bool cold) = 0;

  /// Counters summed over all launches since the last call; empty where capabilities().counts is false.
  virtual std::optional<Counters> take_counters() = 0;
  /// How long the launches of the last `time` would take on the GPU that this device stands for; `why` says what is
  /// not modelled where there is no answer. Not measured.
  virtual std::optional<ModelledTime> take_model(std::string& /*why*/) { return std::nullopt; }
  /// Counts by source line of each launch since the last call, in order; nothing where they are not kept.
  virtual std::vector<LaunchLines> take_lines() { return {}; }
  /// What warps did in one launch of the last `time`, step by step; nothing where nobody asked.
  virtual std::shared_ptr<StepTrace> take_steps() { return nullptr; }
  /// Whether take_steps() is to have launches from now on; at first it is.
  virtual void keep_steps(bool) {}
  /// What sanitizer tools found since the last call; nothing where none is on.
  virtual std::vector<Finding> take_findings() { return {}; }
  /// What the next launch touches of this memory is kept, where the tool streamcheck is on.
  virtual void keep_touched(simt::Touches) {}
  /// The tool is on.
  [[nodiscard]] virtual bool keeps_touched() const { return false; }
  /// By that launch; keeps no more.
  [[nodiscard]] virtual simt::TouchedBytes take_touched() { return {}; }
  /// The bytes count as never written (initcheck), whatever they hold.
  virtual void forget(DevicePointer, std::size_t) {}
  /// Kernels have this memory from malloc or new, and have not freed it.
  [[nodiscard]] virtual bool is_of_kernels(DevicePointer) { return false; }
  /// Which of these bytes of one allocation nothing has ever written, as offsets from `from`, as far as initcheck is on
  /// and knows; of many the first.
  [[nodiscard]] virtual std::vector<Stretch> never_written(DevicePointer /*from*/, std::size_t /*bytes*/) { return {}; }
  /// What kernels printed (printf) since the last call.
  virtual std::string take_output() = 0;
  /// Warp instructions that launches took since the last call; 0 where nobody counts them.
  virtual std::uint64_t take_work() { return 0; }
  /// Launches since the last call that were not run, for an earlier one has done all that they would do.
  virtual std::uint64_t take_repeats() { return 0; }
  /// Launches that ran without being counted, since the last call: an earlier one had counted the same.
  virtual std::uint64_t take_uncounted() { return 0; }
  /// Bytes that they printed beyond what is kept (SimulatorOptions::print_limit), since the last call.
  virtual std::uint64_t take_output_cut() { return 0; }
  /// Gives it to `sink`, too, as it comes: on the simulator when blocks end, on a GPU when the host has waited for it.
  /// Calls come one at a time, in the order of the text, perhaps from another thread. Empty: to nobody any more.
  virtual void print_to(const PrintSink&) {}
};

}  // namespace gpulab
