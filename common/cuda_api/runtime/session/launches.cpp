// A launch: whether it can be, kept for later where a stream is captured, else run.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "common/cuda_api/runtime/clusters.h"
#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/launch_display.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams/streams.h"
#include "common/error.h"
#include "common/occupancy.h"

namespace gpulab::cuda_api {
namespace {

/// A shape beyond the hardware: the runtimes differ.
constexpr cudaError_t kWrongShape = CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;

/// `visit` of each allocation that a kernel's parameters point into: words of 8 bytes that are such addresses.
template <typename Memory, typename Visit>
void each_memory_of(const LoadedFunction& kernel, const LaunchRequest& request, Memory& memory, const Visit& visit) {
  const auto& sizes = kernel.kernel.parameter_sizes;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t at = 0; at + sizeof value <= sizes[i]; at += sizeof value) {
      std::memcpy(&value, static_cast<const std::byte*>(request.arguments[i]) + at, sizeof value);
      if (const MemoryEntry* entry = memory.holding(value)) visit(*entry);
    }
}

}  // namespace

/// How a kernel gets that much dynamic shared memory, or that it cannot.
std::string Session::more_shared_memory(const LoadedFunction& kernel, std::size_t bytes, std::size_t fixed) const {
  const std::size_t optin = profile_.shared_bytes_per_block_optin;
  if (bytes + fixed > optin) return fmt::format("no block has more than {} bytes: let it work on less at once", optin);
  return fmt::format("call cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {}) before the launch",
                     kernel.kernel.cpp_name, bytes);
}

Session::Refusal Session::check(const LoadedFunction& kernel, const LaunchRequest& request) const {
  const Dim3 &grid = request.grid, &block = request.block;
  if (stream_of(request.stream) == nullptr) {
    auto reason = no_stream(request.stream);
    return {cudaErrorInvalidResourceHandle, std::move(reason.why), std::move(reason.remedy)};
  }
  if (grid.volume() == 0)
    return {kWrongShape, "a grid without blocks", "round up: (n + threads - 1) / threads blocks, and none for n = 0"};
  if (block.volume() == 0)
    return {kWrongShape, "a block without threads", "give each dimension of the block 1 at least"};
  if (block.volume() > 1024)
    return {kWrongShape, fmt::format("a block of {} threads; 1024 are the most", block.volume()),
            "take smaller blocks and more of them: x * y * z threads are 1024 at most"};
  if (block.z > 64) return {kWrongShape, fmt::format("a block of {} in z; 64 are the most", block.z)};
  if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
    return {kWrongShape, "a grid that is too large; 2^31 - 1 blocks in x, 65535 in y and z are the most",
            "let x count what there is most of, or let each thread take several elements"};
  if (const auto wrong = check_cluster(kernel, request); wrong.error != cudaSuccess) return wrong;
  const auto most_threads = kernel.kernel.attributes.max_threads_per_block;
  if (most_threads && block.volume() > static_cast<std::uint64_t>(*most_threads))
    return {cudaErrorInvalidValue,  // as an H100 has it, by both APIs
            fmt::format("a block of {} threads; its __launch_bounds__ says {}", block.volume(), *most_threads),
            "launch what the kernel was compiled for, or raise its __launch_bounds__"};
  const std::size_t fixed = kernel.kernel.attributes.static_shared_bytes.value_or(0);
  const std::size_t most = std::max(profile_.shared_bytes_per_block,
                                    kernel.dynamic_shared_most == 0 ? 0 : kernel.dynamic_shared_most + fixed);
  if (request.shared_bytes + fixed > most)
    return {cudaErrorInvalidValue,
            fmt::format("{} bytes of shared memory; {} are the most, unless cudaFuncSetAttribute allows more",
                        request.shared_bytes + fixed, most),
            more_shared_memory(kernel, request.shared_bytes, fixed)};
  const auto registers = kernel.kernel.attributes.registers;
  if (!registers) return {};
  const auto fits = occupancy(profile_, *registers, fixed, request.shared_bytes, static_cast<int>(block.volume()));
  if (!fits || fits->blocks_per_sm > 0) return {};
  return {cudaErrorLaunchOutOfResources,
          fmt::format("a block of {} threads with {} registers each: an SM has fewer; __launch_bounds__({}) lets the "
                      "compiler spare them",
                      block.volume(), *registers, block.volume())};
}

bool Session::captures(cudaStream_t stream) const {
  return captured != nullptr && number_on_gpu(stream_number(stream)) != Timeline::kDefault && streams.captures(stream);
}

bool Session::breaks_capture(cudaStream_t stream) {
  const bool breaks =
      captured != nullptr && capture_waits_for_default && number_on_gpu(stream_number(stream)) == Timeline::kDefault;
  capture_is_broken |= breaks;
  return breaks;
}

bool Session::capture(cudaStream_t stream, Work work, cudaGraphNodeType type, std::shared_ptr<KeptLaunch> launch) {
  if (!captures(stream)) return under_way.later(stream, std::move(work));
  captured->push_back({std::move(work), type, std::move(launch)});
  streams.captured(stream);
  return true;
}

cudaError_t Session::launch(const LaunchRequest& request) {
  // A launch runs on its stream's GPU, whichever is current (CUDA 13 on two H100s); a node of a graph on its own.
  const OnGpu on(request.in_graph ? current_gpu() : gpu_of_stream(stream_number(request.stream)));
  const LoadedFunction& kernel = kernel_of(*request.function);
  if (const auto wrong = check(kernel, request); wrong.error != cudaSuccess)
    return refuse_launch(wrong, kernel, request);
  if (captures(request.stream) || under_way.any()) {
    const auto kept = keep(request);
    if (capture(request.stream, work_of(kept), cudaGraphNodeTypeKernel, kept)) return cudaSuccess;
  }
  ++launches_;
  if (pending_ != cudaSuccess) return cudaSuccess;  // behind the one that failed: it does not run
  KernelRecord& mine = record_of(kernel, request);
  ++mine.launches;
  try {
    managed.before(memory);
    const bool has_ended = run(kernel, request, mine);
    remember_memory_of(kernel, request);
    remember_far_memory_of(kernel, request);
    if (options.gpus > 1) remember_peer_memory_of(kernel, request);
    if (has_ended) managed.after(kernel.name, launches_);
  } catch (const LaunchError& error) {
    take_what_it_left(kernel, request, mine);
    fail(error, request, kernel);
  } catch (const Error& error) {
    if (!request.cooperative || !std::string_view(error.what()).starts_with("a cooperative grid")) throw;
    --launches_;  // it is none
    return refuse_launch({cudaErrorCooperativeLaunchTooLarge, error.what(),
                          "launch no more, and let blocks stride over the work: "
                          "cudaOccupancyMaxActiveBlocksPerMultiprocessor times the GPU's SMs"},
                         kernel, request);
  }
  return cudaSuccess;
}

std::shared_ptr<KeptLaunch> Session::keep(const LaunchRequest& request) {
  const LoadedFunction& kernel = kernel_of(*request.function);
  auto kept = std::make_shared<KeptLaunch>();
  kept->request = request;
  for (std::size_t i = 0; i < kernel.kernel.parameter_sizes.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(request.arguments[i]);
    kept->arguments.emplace_back(bytes, bytes + kernel.kernel.parameter_sizes[i]);
  }
  for (auto& argument : kept->arguments) kept->places.push_back(argument.data());
  kept->request.arguments = kept->places.data();
  return kept;
}

Work Session::work_of(std::shared_ptr<KeptLaunch> launch) {
  return [kept = std::move(launch), gpu = current_gpu()](Session& session, cudaStream_t stream) {
    const OnGpu on(gpu);
    LaunchRequest again = kept->request;
    again.stream = stream;
    again.in_graph = true;
    return session.launch(again);
  };
}

void Session::remember_memory_of(const LoadedFunction& kernel, const LaunchRequest& request) {
  if (!initcheck_) return;
  const auto& sizes = kernel.kernel.parameter_sizes;
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(request.arguments[i]);
    std::uint64_t value = 0;
    if (sizes[i] <= sizeof value) {
      std::memcpy(&value, bytes, sizes[i]);
      if (value > 1) numbers.push_back(value);
    }
  }
  each_memory_of(kernel, request, memory, [&](const MemoryEntry& entry) {
    writing.got(entry, request.caller, [&](std::string caller) {
      if (caller.empty()) caller = place_in_program(request.caller);
      return WritingLaunch{kernel.kernel.cpp_name, std::move(caller), request.caller,
                           request.grid,           request.block,     numbers};
    });
  });
}

void Session::remember_far_memory_of(const LoadedFunction& kernel, const LaunchRequest& request) {
  if (!far_memory_[0].empty() && !far_memory_[1].empty()) return;
  each_memory_of(kernel, request, memory, [&](const MemoryEntry& entry) {
    if (!entry.host_may_touch()) return;
    auto& first = far_memory_[entry.kind == MemoryEntry::Kind::managed ? 0 : 1];
    if (first.empty()) first = fmt::format("'{}' in {}", entry.name, kernel.kernel.cpp_name);
  });
}

void Session::remember_peer_memory_of(const LoadedFunction& kernel, const LaunchRequest& request) {
  if (!far_memory_[2].empty()) return;
  each_memory_of(kernel, request, memory, [&](const MemoryEntry& entry) {
    if (!far_memory_[2].empty() || entry.host_may_touch() || entry.gpu == current_gpu()) return;
    far_memory_[2] =
        fmt::format("'{}' of GPU {} in {} on GPU {}", entry.name, entry.gpu, kernel.kernel.cpp_name, current_gpu());
  });
}

void Session::note_far_memory() {
  if (!far_memory_[0].empty())
    note(fmt::format(
        "times of kernels take managed memory ({}) for memory that lies on the GPU already; a GPU would move "
        "its pages first",
        far_memory_[0]));
  if (!far_memory_[1].empty())
    note(fmt::format(
        "kernels reach pinned memory of the host ({}) over the link, modelled at 51 GB/s (PCIe 5.0, an H100); what "
        "is used more than once is faster copied to the GPU's own",
        far_memory_[1]));
}

/// A launch with all that it needs when its caller has gone on.
struct Session::Beside {
  LoadedFunction kernel;
  LaunchRequest request;
  std::vector<KernelArgument> arguments;
  std::vector<void*> places;  ///< of these, as LaunchRequest has them
  double begun_ms = 0;
};

/// Whoever waits for somebody else may wait for the host where that may write what it polls, or for another stream's
/// work. Several GPUs hide their memory from each other while a kernel runs, and a graph goes on node by node.
bool Session::may_run_beside(const LoadedFunction& kernel, const LaunchRequest& request) const {
  if (!kernel.kernel.may_poll || request.in_graph || options.gpus > 1 || options.steps || options.schedule != 0)
    return false;
  return number_on_gpu(stream_number(request.stream)) != Timeline::kDefault || under_way.any() ||
         std::ranges::any_of(memory.all(), [](const auto& one) { return one.second.host_may_touch(); });
}

bool Session::run(const LoadedFunction& kernel, const LaunchRequest& request, KernelRecord& mine) {
  const auto launch = std::make_shared<Beside>();
  for (std::size_t i = 0; i < kernel.kernel.parameter_sizes.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(request.arguments[i]);
    launch->arguments.push_back({std::vector<std::byte>(bytes, bytes + kernel.kernel.parameter_sizes[i])});
  }
  LaunchConfig config;
  config.grid = request.grid;
  config.block = request.block;
  config.dynamic_shared_bytes = static_cast<std::uint32_t>(request.shared_bytes);
  config.carveout = kernel.carveout;
  config.cooperative = request.cooperative;
  config.cluster = cluster_of(kernel, request.cluster);
  const bool is_timed = (options.model && options.counters) || options.steps;  // of a run of its own
  const auto work = [this, launch, config, is_timed](const LoadedFunction& one) {
    const ShownLaunch shown(one.name);
    const auto launched = [&] { device().launch(one.kernel, config, launch->arguments); };
    if (is_timed)
      (void)device().time(launched, true);
    else
      launched();
  };
  streams.before_launch(*this, request);
  if (options.steps) device().keep_steps(steps_wanted());
  if (may_run_beside(kernel, request)) {
    launch->kernel = kernel;
    launch->request = request;
    launch->request.beside = true;
    for (auto& argument : launch->arguments) launch->places.push_back(argument.bytes.data());
    launch->request.arguments = launch->places.data();
    launch->begun_ms = timeline.reached(stream_number(request.stream)).ms;
    const bool has_ended = under_way.run({.stream = request.stream,
                                          .work = [launch, work] { work(launch->kernel); },
                                          .over = [this, launch](const std::exception_ptr& e) { over(*launch, e); }});
    if (!has_ended) {
      if (device().keeps_touched()) (void)device().take_touched();  // of its first turns alone
      return false;
    }
  } else {
    work(kernel);
  }
  streams.after_launch(*this, request, kernel, launches_);
  take_what_it_left(kernel, request, mine);
  return true;
}

/// A launch that went on beside the host: of its time nothing is known but how long the host let it wait.
void Session::over(const Beside& launch, const std::exception_ptr& error) {
  const LoadedFunction& kernel = launch.kernel;
  KernelRecord& mine = record_of(kernel, launch.request);
  take_what_it_printed(kernel, launch.request);
  if (const auto counters = device().take_counters()) {
    mine.counters += *counters;
    mine.counted = true;
  }
  (void)device().take_lines();
  take_findings(kernel, launch.request, mine);
  mine.beside_host = true;
  mine.modelled = false;
  mine.model_unavailable = "it polls what others write while it runs, and ends when they do";
  note(
      fmt::format("{} polls what others write while it runs: it ran beside the host, and its counters and its time "
                  "differ from run to run",
                  kernel.kernel.cpp_name));
  const double ms = std::max(timeline.host_ms() - launch.begun_ms, 0.0);
  mine.ms += ms;
  mine.most_ms = std::max(mine.most_ms, ms);
  timeline.queue(stream_number(launch.request.stream), {.ms = ms});
  streams.synchronised();
  try {
    if (error) std::rethrow_exception(error);
  } catch (const LaunchError& e) {
    fail(e, launch.request, kernel);
  } catch (const Error& e) {
    refuse(e, launch.request.caller);
  } catch (const std::exception& e) {
    refuse(Error(ExitCode::missing, e.what()), launch.request.caller);
  }
}

void Session::do_later(const Work& work, cudaStream_t stream) {
  failures.begin();
  cudaError_t error = cudaSuccess;
  try {
    error = work(*this, stream);
  } catch (const LaunchError& e) {
    error = e.kind == LaunchFailure::out_of_memory ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure;
  } catch (const Error& e) {
    refuse(e, nullptr);
  } catch (const std::exception&) {
    error = cudaErrorMemoryAllocation;
  }
  failures.end(record, "work behind a kernel that polled", error, nullptr);
  if (pending_ == cudaSuccess) pending_ = error;
}

}  // namespace gpulab::cuda_api
