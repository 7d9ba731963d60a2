// Launches from kernels, streams and events: the device runtime's calls as nvcc 12 and 13 emit them (__cudaCDP2…),
// and with the same parameters up to nvcc 11 (cuda…).

#include "common/simt/device_runtime/device_launch.h"

#include "common/ptx/extent.h"
#include "common/simt/device_runtime/builtin_tables.h"
#include "common/simt/device_runtime/builtins.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/faults.h"

namespace gpulab::simt {

namespace {

/// Streams that need not be created (driver_types.h, cuda_device_runtime_api.h); 0 to 2 are the default, the legacy and
/// the per-thread one.
constexpr std::uint64_t kTailLaunchStream = 3, kFireAndForgetStream = 4;
constexpr std::uint32_t kNonBlocking = 1, kDisableTiming = 2;

struct Words3 {
  std::uint32_t x, y, z;
};
Dim3 dimensions(const Words3& w) { return {w.x, w.y, w.z}; }

GridLaunches& launches(const Warp& w) { return *w.block->launch.launches; }

const ptx::Function* kernel_at(const Warp& w, std::uint64_t address) {
  const auto& all = w.program->module->functions;
  const std::size_t i = function_of_address(address);
  return i < all.size() && all[i].is_entry ? &all[i] : nullptr;
}

/// Of a kernel that check() has found good.
std::uint64_t parameter_bytes(const Warp& w, const ptx::Function& function) {
  return w.block->launch.runtime->program(function)->parameter_bytes;
}

/// Memory for the parameters of a launch to come; 0 where there are too many already.
std::uint64_t parameter_buffer(Warp& w, std::uint64_t bytes) {
  DeviceRuntime& runtime = *w.block->launch.runtime;
  if (runtime.buffers.size() >= DeviceRuntime::kMostPending) return 0;
  const std::uint64_t address = runtime_memory(w, "parameters of a launch", bytes);
  runtime.buffers.insert(address);
  return address;
}

/// The hardware's limits (CUDA C++ Programming Guide, Technical Specifications), and the kernel's own.
bool fits(const DeviceRuntime& runtime, const Program& program, const DeviceLaunch& launch) {
  const Dim3 &g = launch.grid, &b = launch.block;
  if (!g.x || !g.y || !g.z || g.x > 0x7fffffff || g.y > 65535 || g.z > 65535) return false;
  if (!b.volume() || b.volume() > 1024 || b.x > 1024 || b.y > 1024 || b.z > 64) return false;
  const int most = runtime.max_threads(program);
  if (most && b.volume() > static_cast<std::uint64_t>(most)) return false;
  constexpr int shared_memory_per_block = 8;  // cudaDevAttrMaxSharedMemoryPerBlock: nobody opts in to more here
  return program.static_shared_bytes + std::uint64_t{launch.dynamic_shared_bytes} <=
         static_cast<std::uint64_t>(runtime.attribute(shared_memory_per_block).value_or(0));
}

CudaError check(const Warp& w, const DeviceLaunch& launch) {
  const DeviceRuntime& runtime = *w.block->launch.runtime;
  const Program* program = launch.function ? runtime.program(*launch.function) : nullptr;
  if (!program) return CudaError::invalid_device_function;
  if (!fits(runtime, *program, launch)) return CudaError::invalid_configuration;
  if (launches(w).level >= DeviceRuntime::kMostLevels) return CudaError::launch_max_depth_exceeded;
  if (runtime.pending >= DeviceRuntime::kMostPending) return CudaError::launch_pending_count_exceeded;
  return CudaError::success;
}

bool known_stream(const Warp& w, std::uint64_t stream) {
  return stream <= kFireAndForgetStream || launches(w).streams.count(stream);
}

/// Puts work into a stream, after all that is there.
CudaError enqueue(Warp& w, int lane, DeviceLaunch launch, std::uint64_t stream) {
  if (!known_stream(w, stream)) return CudaError::invalid_resource_handle;
  GridLaunches& own = launches(w);
  const bool tail = stream == kTailLaunchStream;
  launch.level = own.level + !tail;
  (tail ? own.tail : own.ordinary).push_back(launch);
  if (!tail && launch.kind == DeviceLaunch::Kind::grid)
    w.block->launch.tell([&](Observer& observer) { observer.launched(w, lane); });
  ++w.block->launch.runtime->pending;
  return CudaError::success;
}

void get_parameter_buffer(Warp& w, const MicroOp*, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    DeviceLaunch launch;
    launch.function = kernel_at(w, argument<std::uint64_t>(w, call, 0, lane));
    launch.grid = dimensions(argument<Words3>(w, call, 1, lane));
    launch.block = dimensions(argument<Words3>(w, call, 2, lane));
    launch.dynamic_shared_bytes = argument<std::uint32_t>(w, call, 3, lane);
    CudaError error = check(w, launch);
    if (error == CudaError::success) {
      launch.parameters = parameter_buffer(w, parameter_bytes(w, *launch.function));
      if (!launch.parameters) error = CudaError::launch_pending_count_exceeded;
    }
    set_last_error(w, lane, error);
    if (error != CudaError::success) return return_value(w, call, lane, std::uint64_t{0});
    launches(w).prepared[launch.parameters] = launch;
    return_value(w, call, lane, launch.parameters);
  });
}

void launch_prepared(Warp& w, const MicroOp*, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const auto found = launches(w).prepared.find(argument<std::uint64_t>(w, call, 0, lane));
    if (found == launches(w).prepared.end()) return return_error(w, call, lane, CudaError::invalid_value);
    const DeviceLaunch launch = found->second;
    launches(w).prepared.erase(found);
    return_error(w, call, lane, enqueue(w, lane, launch, argument<std::uint64_t>(w, call, 1, lane)));
  });
}

/// The older pair: a buffer of a size, and a launch that says the rest.
void get_plain_buffer(Warp& w, const MicroOp*, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const auto bytes = argument<std::uint64_t>(w, call, 1, lane);
    return_value(w, call, lane, bytes > 4096 ? 0 : parameter_buffer(w, bytes));
  });
}
void launch_device(Warp& w, const MicroOp*, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    DeviceLaunch launch;
    launch.function = kernel_at(w, argument<std::uint64_t>(w, call, 0, lane));
    launch.parameters = argument<std::uint64_t>(w, call, 1, lane);
    launch.grid = dimensions(argument<Words3>(w, call, 2, lane));
    launch.block = dimensions(argument<Words3>(w, call, 3, lane));
    launch.dynamic_shared_bytes = argument<std::uint32_t>(w, call, 4, lane);
    CudaError error = check(w, launch);
    if (error == CudaError::success && parameter_bytes(w, *launch.function) &&
        !w.global->host(launch.parameters, parameter_bytes(w, *launch.function)))
      error = CudaError::invalid_value;
    if (error == CudaError::success) error = enqueue(w, lane, launch, argument<std::uint64_t>(w, call, 5, lane));
    return_error(w, call, lane, error);
  });
}

/// cudaDeviceSynchronize in a kernel waits for all that its block has launched. Here all of its grid runs, which may
/// start at any time.
void wait_for_launches(Warp& w, const MicroOp*, const CallInfo& call) {
  GridLaunches& own = launches(w);
  const bool may = own.level <= w.block->launch.runtime->sync_depth;
  if (may && own.wait && !own.ordinary.empty()) {
    own.wait(w);
    // Memory has come and gone meanwhile.
    w.worker->patterns.forget_allocations();
    for (const auto& one : w.global->allocations())
      if (one->host != nullptr && w.footprint->words(one->index) == 0) w.footprint->add(*one);
  }
  for_active_lanes(
      w, [&](int lane) { return_error(w, call, lane, may ? CudaError::success : CudaError::sync_depth_exceeded); });
}

// ---- streams and events: work runs in the order in which it was launched, so that every wait has been served ----

/// Creates a handle, `*arguments[0] = handle`; the flags have to be `flags`.
void create(Warp& w, const MicroOp* op, const CallInfo& call, std::set<std::uint64_t>& handles, std::uint32_t flags) {
  for_active_lanes(w, [&](int lane) {
    if (argument<std::uint32_t>(w, call, 1, lane) != flags)
      return return_error(w, call, lane, CudaError::invalid_value);
    if (handles.size() >= DeviceRuntime::kMostHandles) return return_error(w, call, lane, CudaError::memory_allocation);
    const std::uint64_t handle = launches(w).next_handle++;
    handles.insert(handle);
    store_result(w, op, lane, argument<std::uint64_t>(w, call, 0, lane), handle);
    return_error(w, call, lane, CudaError::success);
  });
}
void destroy(Warp& w, const CallInfo& call, std::set<std::uint64_t>& handles) {
  for_active_lanes(w, [&](int lane) {
    const bool known = handles.erase(argument<std::uint64_t>(w, call, 0, lane)) != 0;
    return_error(w, call, lane, known ? CudaError::success : CudaError::invalid_resource_handle);
  });
}
void stream_create(Warp& w, const MicroOp* op, const CallInfo& call) {
  create(w, op, call, launches(w).streams, kNonBlocking);
}
void stream_destroy(Warp& w, const MicroOp*, const CallInfo& call) { destroy(w, call, launches(w).streams); }
void event_create(Warp& w, const MicroOp* op, const CallInfo& call) {
  create(w, op, call, launches(w).events, kDisableTiming);
}
void event_destroy(Warp& w, const MicroOp*, const CallInfo& call) { destroy(w, call, launches(w).events); }

/// Checks that a stream and an event may be used together.
template <int stream_argument, int event_argument>
void connect(Warp& w, const MicroOp*, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const auto stream = argument<std::uint64_t>(w, call, stream_argument, lane);
    const auto event = argument<std::uint64_t>(w, call, event_argument, lane);
    CudaError error = CudaError::success;
    if (stream == kTailLaunchStream || stream == kFireAndForgetStream)
      error = CudaError::invalid_value;
    else if (!known_stream(w, stream) || !launches(w).events.count(event))
      error = CudaError::invalid_resource_handle;
    return_error(w, call, lane, error);
  });
}

// ---- copies and fills: not from or to shared or local memory, which a child cannot see ----

CudaError enqueue_move(Warp& w, const DeviceLaunch& move, std::uint64_t stream) {
  if (w.block->launch.runtime->pending >= DeviceRuntime::kMostPending) return CudaError::launch_pending_count_exceeded;
  // One allocation holds all rows, which do not overlap: so no copy is longer than the memory that it is in.
  const auto reaches = [&](std::uint64_t address, std::uint64_t pitch) {
    const auto bytes = extent_of_rows(move.rows, pitch, move.bytes);
    return bytes && (move.rows <= 1 || pitch >= move.bytes) && w.global->host(address, *bytes);
  };
  if (move.rows == 0 || move.bytes == 0)
    return known_stream(w, stream) ? CudaError::success : CudaError::invalid_resource_handle;
  if (!reaches(move.to, move.pitch_to)) return CudaError::invalid_value;
  if (move.kind == DeviceLaunch::Kind::copy && !reaches(move.from, move.pitch_from)) return CudaError::invalid_value;
  return enqueue(w, 0, move, stream);  // of no lane: no grid
}

template <bool rows>
void copy(Warp& w, const MicroOp*, const CallInfo& call) {
  constexpr std::uint32_t host_to_device = 1, device_to_host = 2;
  for_active_lanes(w, [&](int lane) {
    const auto at = [&](std::size_t k) { return argument<std::uint64_t>(w, call, k, lane); };
    DeviceLaunch move;
    move.kind = DeviceLaunch::Kind::copy;
    move.to = at(0);
    move.from = at(rows ? 2 : 1);
    move.bytes = at(rows ? 4 : 2);
    if constexpr (rows) {
      move.pitch_to = at(1);
      move.pitch_from = at(3);
      move.rows = at(5);
    }
    const auto kind = argument<std::uint32_t>(w, call, rows ? 6 : 3, lane);
    if (kind == host_to_device || kind == device_to_host) return return_error(w, call, lane, CudaError::invalid_value);
    return_error(w, call, lane, enqueue_move(w, move, at(rows ? 7 : 4)));
  });
}

template <bool rows>
void fill(Warp& w, const MicroOp*, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const auto at = [&](std::size_t k) { return argument<std::uint64_t>(w, call, k, lane); };
    DeviceLaunch move;
    move.kind = DeviceLaunch::Kind::fill;
    move.to = at(0);
    move.value = static_cast<std::uint8_t>(argument<std::uint32_t>(w, call, rows ? 2 : 1, lane));
    move.bytes = at(rows ? 3 : 2);
    if constexpr (rows) {
      move.pitch_to = at(1);
      move.rows = at(4);
    }
    return_error(w, call, lane, enqueue_move(w, move, at(rows ? 5 : 3)));
  });
}

constexpr Builtin builtins[] = {
    {"__cudaCDP2GetParameterBufferV2", get_parameter_buffer, true},
    {"__cudaCDP2LaunchDeviceV2", launch_prepared, true},
    {"__cudaCDP2GetParameterBuffer", get_plain_buffer, true},
    {"__cudaCDP2LaunchDevice", launch_device, true},
    {"__gpulabDeviceSynchronize", wait_for_launches, true},  // runner/program/old_cuda/old_cuda.cuh
    {"__cudaCDP2StreamCreateWithFlags", stream_create, true},
    {"__cudaCDP2StreamDestroy", stream_destroy, true},
    {"__cudaCDP2StreamWaitEvent", connect<0, 1>, true},
    {"__cudaCDP2EventCreateWithFlags", event_create, true},
    {"__cudaCDP2EventDestroy", event_destroy, true},
    {"__cudaCDP2EventRecord", connect<1, 0>, true},
    {"__cudaCDP2EventRecordWithFlags", connect<1, 0>, true},
    {"__cudaCDP2MemcpyAsync", copy<false>, true},
    {"__cudaCDP2Memcpy2DAsync", copy<true>, true},
    {"__cudaCDP2MemsetAsync", fill<false>, true},
    {"__cudaCDP2Memset2DAsync", fill<true>, true},
};

}  // namespace

std::span<const Builtin> launch_builtins() { return builtins; }

}  // namespace gpulab::simt
