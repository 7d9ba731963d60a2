#pragma once
// What the functions of the runtime share: the device, what was registered, errors, clocks, the record. One per
// process, made by the first call, never destroyed: programs call us while they end.

#include <driver_types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/cuda_api/libraries/library_runtime.h"
#include "common/cuda_api/record.h"
#include "common/cuda_api/runtime/failures/failures.h"
#include "common/cuda_api/runtime/host/managed_watch.h"
#include "common/cuda_api/runtime/host/unwritten_results.h"
#include "common/cuda_api/runtime/libraries/library_touches.h"
#include "common/cuda_api/runtime/memory_table.h"
#include "common/cuda_api/runtime/modules.h"
#include "common/cuda_api/runtime/streamcheck/streamcheck.h"
#include "common/cuda_api/runtime/textures/arrays.h"
#include "common/cuda_api/runtime/timeline.h"
#include "common/cuda_api/runtime/under_way/session_lock.h"
#include "common/cuda_api/runtime/under_way/under_way.h"
#include "common/device/device.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/launch_error.h"

namespace gpulab::cuda_api {

/// Rows of bytes, as a copy takes them.
struct Rows {
  std::size_t bytes = 0, count = 1, pitch_to = 0, pitch_from = 0;
};

/// A launch as the program asked for it.
struct LaunchRequest {
  const FunctionEntry* function = nullptr;
  Dim3 grid, block;
  std::size_t shared_bytes = 0;
  void** arguments = nullptr;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  Dim3 cluster{0, 0, 0};         ///< blocks of a cluster; 0: as the kernel says
  bool in_graph = false;         ///< the stream is the graph's, of whichever GPU
  bool beside = false;           ///< it went on while its caller did (under_way/under_way.h)
  void* caller = nullptr;        ///< return address
  const char* called = nullptr;  ///< the function that launches; null: <<<>>>
};

class Session;
struct GraphNode;
/// What a stream that is captured would have done, to be done on another.
using Work = std::function<cudaError_t(Session&, cudaStream_t)>;

/// A launch that is kept for later, with its arguments as they were.
struct KeptLaunch {
  LaunchRequest request;
  std::vector<std::vector<std::byte>> arguments;
  std::vector<void*> places;  ///< of each of them
};

/// What becomes a node of the graph that is captured.
struct Recorded {
  Work work;
  cudaGraphNodeType type = cudaGraphNodeTypeKernel;
  std::shared_ptr<KeptLaunch> launch{};                              ///< of a kernel
  std::shared_ptr<std::vector<std::shared_ptr<GraphNode>>> child{};  ///< of a graph that was launched
};

class Session {
 public:
  struct Refusal {
    cudaError_t error = cudaSuccess;
    std::string why{}, remedy{};
  };
  /// Clusters that the kernel or the GPU has not, or that do not fill the grid.
  [[nodiscard]] Refusal check_cluster(const LoadedFunction& kernel, const LaunchRequest& request) const;

  static Session& instance();

  SessionLock mutex;
  Options options;
  Record record;
  Modules modules;
  MemoryTable memory;
  TextureObjects textures;
  Timeline timeline;
  ManagedWatch managed;
  StreamCheck streams;
  UnderWay under_way{*this};
  bool in_host_function = false;           ///< of a stream: it may not call CUDA
  bool capture_is_broken = false;          ///< by what may not stand in one
  bool capture_waits_for_default = false;  ///< its stream and the legacy default one wait for each other
  PartialCopies partial_copies;            ///< kept where initcheck is on
  WritingLaunches writing;                 ///< kept where initcheck is on
  Failures failures;
  std::optional<std::uint64_t> graph_kernels;  ///< of the graph that runs, so far
  std::uint64_t waits = 0;                     ///< calls so far that waited for what was queued
  /// The function of the driver's API that runs (driver/driver_call.h), null: none. What it calls of the runtime's is
  /// its own, and told by its name.
  const char* driver_function = nullptr;
  void* driver_caller = nullptr;  ///< who called that
  bool has_runtime_user = false;  ///< somebody has called a function of the runtime's itself
  std::uint64_t context = 0;      ///< that memory is allocated in: a number of driver/contexts.h, 0: the primary one
  [[nodiscard]] const char* name_of(const char* function) const {
    return driver_function == nullptr ? function : driver_function;
  }
  [[nodiscard]] void* caller_of(void* caller) const { return driver_function == nullptr ? caller : driver_caller; }

  /// Why the call that runs gives this error, which it returns.
  cudaError_t because(cudaError_t error, Reason reason) { return failures.because(error, std::move(reason)); }

  [[nodiscard]] const GpuProfile& profile() const { return profile_; }
  /// Made by the first who asks. Its current GPU is the thread's.
  [[nodiscard]] Device& device();
  [[nodiscard]] bool has_device() const { return device_ != nullptr; }
  [[nodiscard]] bool is_of_kernels(std::uint64_t address) const {
    return device_ != nullptr && device_->is_of_kernels(address);
  }
  [[nodiscard]] int gpus() const { return options.gpus; }
  [[nodiscard]] bool has_gpu(int gpu) const { return gpu >= 0 && gpu < options.gpus; }
  /// The program wants a GPU of that number, which it has not.
  void asks_for_gpu(int gpu);
  /// Whose memory kernels of a GPU reach: cudaDeviceEnablePeerAccess. False: it is so already.
  bool reach(int gpu, int peer, bool may);
  [[nodiscard]] bool reaches(int gpu, int peer) const { return reached_.contains({gpu, peer}); }
  /// Kernels read and write memory of another GPU, whose time is not modelled: their first argument that lies there.
  void remember_peer_memory_of(const LoadedFunction& kernel, const LaunchRequest& request);
  /// Everything that has been queued on a GPU is waited for.
  void wait_for_gpu(int gpu);
  /// cudaLimitStackSize.
  cudaError_t limit_stack(std::size_t bytes);
  [[nodiscard]] std::size_t stack_limit() const { return stack_limit_; }
  /// Every allocation, module and error is forgotten: cudaDeviceReset.
  void reset_device();

  cudaError_t launch(const LaunchRequest& request);
  /// Does what a library has queued on a stream. `work` throws LaunchError where it goes beyond memory.
  cudaError_t library(const LibraryOperation& operation, cudaStream_t stream,
                      const std::function<void(LibraryTouches&)>& work);
  /// The work that a graph is made of; null where nothing is captured. Streams that a captured one is joined with are
  /// captured, too: all but the legacy default stream.
  std::vector<Recorded>* captured = nullptr;
  /// The launch with the arguments as they are now, and what launches so.
  [[nodiscard]] std::shared_ptr<KeptLaunch> keep(const LaunchRequest& request);
  [[nodiscard]] static Work work_of(std::shared_ptr<KeptLaunch> launch);
  /// What is queued on the stream is kept for later.
  [[nodiscard]] bool captures(cudaStream_t stream) const;
  /// True: this is work of the legacy default stream while one that waits for it captures, which ends the capture.
  bool breaks_capture(cudaStream_t stream);
  /// True: it has been kept for later, also behind a launch that goes on beside the host.
  bool capture(cudaStream_t stream, Work work, cudaGraphNodeType type, std::shared_ptr<KeptLaunch> launch = {});
  /// Does what was kept so, now that nothing holds it up.
  void do_later(const Work& work, cudaStream_t stream);
  /// The kernel behind a function of the host's; throws Error where there is none.
  const LoadedFunction& kernel_of(const FunctionEntry& function);
  /// Where a registered variable lies. Throws Error.
  ModuleVariable place_of(const VariableEntry& variable);
  /// The program's memory, or that of a module, which kernels may have told the address of; null: neither.
  const MemoryEntry* memory_at(std::uint64_t address);
  /// Where a variable of a module lies; nothing where it has none of that name. Throws Error.
  std::optional<ModuleVariable> variable_of(std::size_t module, const std::string& name);

  /// What kernels have printed goes to standard output: at the points where the host waits for them, as on a GPU.
  void print();
  /// The error that the work so far has left and nobody has been told yet becomes the process's: it stays.
  cudaError_t surface();
  /// The error that a GPU has for a launch that failed so.
  static cudaError_t error_of(const LaunchError& error);
  [[nodiscard]] cudaError_t sticky() const { return sticky_; }

  /// The program has asked for the last error: it knows of launches that were refused.
  void looked();

  /// A copy or fill of `what` ("[CUDA memcpy HtoD]") on a stream.
  /// The milliseconds that it takes.
  double account_copy(const std::string& what, std::uint64_t bytes, cudaStream_t stream, double gbs);
  /// Something wrong that the host did, once for each message.
  void find(const std::string& message, Severity severity = Severity::error, void* caller = nullptr,
            const char* tool = "api");
  /// A copy has brought bytes of the host to device memory.
  void brought(const char* function, std::uint64_t to, std::size_t bytes, void* caller);
  /// A copy has taken these bytes of device memory to the host: initcheck looks whether something wrote them.
  void taken(const char* function, std::uint64_t from, const Rows& rows, void* caller);
  /// Of streamcheck: two operations that nothing orders; `pair`: their places, of which one is told once.
  void find_unordered(const std::string& pair, const std::string& message, Severity severity);
  void note(const std::string& text);

  /// A call failed because this machine has too little memory, not the GPU: that is told, as a fault where it is no
  /// call for memory, which programs look at.
  cudaError_t lacks_memory(const char* call, const std::string& why, void* caller);

  /// At the begin of a call: what the program's own code did before it takes time, too.
  void timeline_goes_on();
  /// Of a copy, a free and their like: until when the host waits in it.
  void host_waits_for(std::string_view function);
  /// At the end of a call: the program's clock (host_clock.h) goes on by what the call made the host wait.
  void host_goes_on();
  void host_waits(const Moment& when);
  /// What it takes the host to queue a kernel, or a graph.
  void host_launches();

  /// Ends the program: exit code 3. `what`: "cudaX".
  [[noreturn]] void refuse(const std::string& what, void* caller, const std::string& hint = {});
  [[noreturn]] void refuse(const Error& error, void* caller);
  /// Ends the program, in which a function waits for ever: exit code 4.
  [[noreturn]] void hang(const std::string& function, const std::string& what, const std::string& hint, void* caller);
  /// What there is to say goes to the file.
  void write_record(bool complete);

  /// Where a return address lies, and behind < who called that: "program+0x12f4<program+0x1300".
  [[nodiscard]] static std::string place_in_program(const void* address, std::size_t most_frames = 6);
  /// The same in two steps: return addresses, from within, while the call goes on; words, whenever they are wanted.
  [[nodiscard]] static std::vector<const void*> frames_of(const void* address, std::size_t most_frames = 6);
  /// Of an instruction that was interrupted, without those of the C library that it is in.
  [[nodiscard]] static std::vector<const void*> frames_of_access(const void* instruction);
  [[nodiscard]] static std::string place_of(const std::vector<const void*>& frames);

 private:
  static constexpr std::size_t kMostFindings = 100, kStackLimit = 1024;
  Session();
  void reset_gpu(int gpu);
  void load(std::size_t module);
  /// False: it goes on beside the host (under_way/under_way.h).
  bool run(const LoadedFunction& kernel, const LaunchRequest& request, KernelRecord& record);
  [[nodiscard]] bool may_run_beside(const LoadedFunction& kernel, const LaunchRequest& request) const;
  struct Beside;
  void over(const Beside& launch, const std::exception_ptr& error);
  /// A new one of the host's calls; null where it is known (and counts once more), or there are too many.
  Finding* new_finding(const std::string& key);
  void remember_memory_of(const LoadedFunction& kernel, const LaunchRequest& request);
  /// Managed memory, and the host's, that kernels use: both are modelled as the device's own.
  void remember_far_memory_of(const LoadedFunction& kernel, const LaunchRequest& request);
  void note_far_memory();
  void take_what_it_printed(const LoadedFunction& kernel, const LaunchRequest& request);
  /// What kernels printed that nobody waited for: a GPU does not show it.
  void tell_what_is_unprinted();
  Timeline::Work work_of(const KernelRecord& mine, const std::optional<ModelledTime>& model, double ms, bool follows);
  void take_what_it_left(const LoadedFunction& kernel, const LaunchRequest& request, KernelRecord& record);
  void take_findings(const LoadedFunction& kernel, const LaunchRequest& request, KernelRecord& record);
  /// The launch that runs is the one whose steps were asked for.
  [[nodiscard]] bool steps_wanted() const { return options.steps && launches_ == options.steps->launch + 1U; }
  /// Keeps where the allocations were made that the text names.
  void place_allocations(const std::string& text);
  /// For the trace, where one is kept.
  void keep(Activity activity, bool always = false);
  void write_steps(const LaunchRequest& request, const std::vector<Finding>& findings);
  void fail(const LaunchError& error, const LaunchRequest& request, const LoadedFunction& kernel);
  void account_library(const LibraryOperation& operation, cudaStream_t stream, const LibraryTouches& touches);
  [[nodiscard]] std::string more_shared_memory(const LoadedFunction& kernel, std::size_t bytes,
                                               std::size_t fixed) const;
  /// What no GPU of this kind would launch.
  [[nodiscard]] Refusal check(const LoadedFunction& kernel, const LaunchRequest& request) const;
  cudaError_t refuse_launch(const Refusal& refusal, const LoadedFunction& kernel, const LaunchRequest& request);
  KernelRecord& record_of(const LoadedFunction& kernel, const LaunchRequest& request);

  const GpuProfile& profile_;
  std::unique_ptr<Device> device_;
  std::set<std::pair<int, int>> reached_;              ///< who reaches whom
  std::map<std::string, std::size_t> kernel_records_;  ///< by name: where in record.kernels
  std::map<std::string, std::size_t> findings_;        ///< of kernels and calls, by kernel and message
  std::string printed_, printed_by_;                   ///< and by which launch, the first of them
  /// What nobody has been told yet, and what stays. The process's: with several GPUs a fault of one ends the others'
  /// work, too (two H100, driver 580).
  cudaError_t pending_ = cudaSuccess, sticky_ = cudaSuccess;
  std::uint64_t launches_ = 0;
  std::size_t stack_limit_ = kStackLimit;
  /// The first that was used, managed, the host's, another GPU's: "'cudaHostAlloc #1' in add".
  std::string far_memory_[3];
  bool initcheck_ = false;  ///< is on
};

/// The error that cudaGetLastError gives to this thread.
cudaError_t& last_error();

/// This thread has called a function of the runtime's: the primary context is its own, where it has none.
bool& uses_runtime();

/// The GPU that is this thread's current one: cudaSetDevice.
int& current_gpu();

/// While it lives, another one is.
class OnGpu {
 public:
  explicit OnGpu(int gpu) : before_(std::exchange(current_gpu(), gpu)) {}
  ~OnGpu() { current_gpu() = before_; }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  const int before_;
};

/// Who wrote the <<<>>> that this thread launches next; null where none did.
void*& configured_by();

/// When a call waits for what was queued before. `asks`: not at all, and it says what is so behind a fault, too.
enum class Waits { no, yes, asks };

/// What each function of the runtime does around its own: counts the call, gives what is wrong with the device, turns
/// what is thrown into an error.
cudaError_t call_from(void* caller, const char* name, Waits waits, std::uint64_t bytes,
                      const std::function<cudaError_t(Session&)>& body);

/// The same for the function that calls this: its own caller is told of what is not supported.
template <typename Body>
[[gnu::always_inline]] inline cudaError_t call(const char* name, Waits waits, const Body& body,
                                               std::uint64_t bytes = 0) {
  return call_from(__builtin_return_address(0), name, waits, bytes, std::cref(body));
}

}  // namespace gpulab::cuda_api
