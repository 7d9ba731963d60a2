// What kernels may ask of the device runtime: errors, attributes, limits, memory, occupancy.

#include <cuda.h>

#include <array>
#include <cstring>

#include "common/simt/device_runtime/builtin_tables.h"
#include "common/simt/device_runtime/device_heap.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/faults.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

ErrorText error_text(std::int32_t error) {
  switch (static_cast<CudaError>(error)) {
    case CudaError::success:
      return {"cudaSuccess", "no error"};
    case CudaError::invalid_value:
      return {"cudaErrorInvalidValue", "invalid argument"};
    case CudaError::memory_allocation:
      return {"cudaErrorMemoryAllocation", "out of memory"};
    case CudaError::invalid_configuration:
      return {"cudaErrorInvalidConfiguration", "invalid configuration argument"};
    case CudaError::launch_max_depth_exceeded:
      return {"cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"};
    case CudaError::sync_depth_exceeded:
      return {"cudaErrorSyncDepthExceeded",
              "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"};
    case CudaError::launch_pending_count_exceeded:
      return {"cudaErrorLaunchPendingCountExceeded",
              "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"};
    case CudaError::invalid_device_function:
      return {"cudaErrorInvalidDeviceFunction", "invalid device function"};
    case CudaError::invalid_device:
      return {"cudaErrorInvalidDevice", "invalid device ordinal"};
    case CudaError::unsupported_limit:
      return {"cudaErrorUnsupportedLimit", "limit is not supported on this architecture"};
    case CudaError::invalid_resource_handle:
      return {"cudaErrorInvalidResourceHandle", "invalid resource handle"};
  }
  return {"unrecognized error code", "unrecognized error code"};
}

void set_last_error(Warp& w, int lane, CudaError error) {
  if (error == CudaError::success) return;
  w.block->last_errors[w.index * kLanes + static_cast<std::uint32_t>(lane)] = static_cast<std::int32_t>(error);
}

void return_error(Warp& w, const CallInfo& call, int lane, CudaError error) {
  set_last_error(w, lane, error);
  return_value(w, call, lane, static_cast<std::int32_t>(error));
}

std::uint64_t runtime_memory(Warp& w, std::string_view name, std::uint64_t bytes) {
  const std::uint64_t address = w.global->allocate_small(name, bytes);
  w.footprint->add(*w.global->nearest(address));
  return address;
}

namespace {

DeviceRuntime& runtime(const Warp& w) { return *w.block->launch.runtime; }

template <bool forget>
void last_error(Warp& w, const MicroOp*, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const auto found = w.block->last_errors.find(w.index * kLanes + static_cast<std::uint32_t>(lane));
    const bool any = found != w.block->last_errors.end();
    return_value(w, call, lane, any ? found->second : 0);
    if (any && forget) w.block->last_errors.erase(found);
  });
}

/// cudaGetErrorString and cudaGetErrorName: a string in device memory, made when it is first asked for.
template <bool name>
void describe_error(Warp& w, const MicroOp*, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const auto error = argument<std::int32_t>(w, call, 0, lane);
    const ErrorText words = error_text(error);
    const std::string_view text = name ? words.name : words.text;
    std::uint64_t& address = runtime(w).texts[text];  // few: all numbers that are no error have one
    if (!address) {
      address = runtime_memory(w, "text of an error", text.size() + 1);
      std::byte* host = w.global->host(address, text.size() + 1);
      std::memcpy(host, text.data(), text.size());
      host[text.size()] = std::byte{0};
      tell_written(w, lane, address, text.size() + 1);
    }
    return_value(w, call, lane, address);
  });
}

template <std::int32_t value>
void store_constant(Warp& w, const MicroOp* op, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    store_result(w, op, lane, argument<std::uint64_t>(w, call, 0, lane), value);
    return_error(w, call, lane, CudaError::success);
  });
}

void get_attribute(Warp& w, const MicroOp* op, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    if (argument<std::int32_t>(w, call, 2, lane) != 0) return return_error(w, call, lane, CudaError::invalid_device);
    const auto value = runtime(w).attribute(argument<std::int32_t>(w, call, 1, lane));
    if (!value) return return_error(w, call, lane, CudaError::invalid_value);
    store_result(w, op, lane, argument<std::uint64_t>(w, call, 0, lane), *value);
    return_error(w, call, lane, CudaError::success);
  });
}

void get_limit(Warp& w, const MicroOp* op, const CallInfo& call) {
  constexpr std::array<std::pair<int, std::uint64_t>, 3> limits{{{0, 1024},                    // cudaLimitStackSize
                                                                 {1, std::uint64_t{1} << 20},  // …PrintfFifoSize
                                                                 {4, DeviceRuntime::kMostPending}}};
  for_active_lanes(w, [&](int lane) {
    const auto which = argument<std::int32_t>(w, call, 1, lane);
    std::uint64_t value = which == 2 ? runtime(w).heap->limit() : 0;  // cudaLimitMallocHeapSize
    for (const auto& [limit, size] : limits)
      if (limit == which) value = size;
    if (!value) return return_error(w, call, lane, CudaError::unsupported_limit);
    store_result(w, op, lane, argument<std::uint64_t>(w, call, 0, lane), value);
    return_error(w, call, lane, CudaError::success);
  });
}

void allocate(Warp& w, const MicroOp* op, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const auto bytes = argument<std::uint64_t>(w, call, 1, lane);
    const std::uint64_t address = heap_allocate(w, lane, bytes);
    store_result(w, op, lane, argument<std::uint64_t>(w, call, 0, lane), address);
    return_error(w, call, lane, address || !bytes ? CudaError::success : CudaError::memory_allocation);
  });
}
void release(Warp& w, const MicroOp*, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const auto address = argument<std::uint64_t>(w, call, 0, lane);
    const bool freed = !address || runtime(w).heap->free(address) == DeviceHeap::Freed::yes;
    if (freed && address) forget_freed(w, address);
    return_error(w, call, lane, freed ? CudaError::success : CudaError::invalid_value);
  });
}

const Program* program_at(const Warp& w, std::uint64_t address) {
  const auto& all = w.program->module->functions;
  const std::size_t i = function_of_address(address);
  return i < all.size() && all[i].is_entry ? runtime(w).program(all[i]) : nullptr;
}

/// cudaFuncAttributes up to numRegs, as driver_types.h lays it out.
struct FunctionAttributes {
  std::uint64_t shared_bytes, constant_bytes, local_bytes;
  std::int32_t max_threads_per_block, registers;
};
void get_function_attributes(Warp& w, const MicroOp* op, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const Program* program = program_at(w, argument<std::uint64_t>(w, call, 1, lane));
    if (!program) return return_error(w, call, lane, CudaError::invalid_device_function);
    const int most = runtime(w).max_threads(*program);
    const FunctionAttributes attributes{program->static_shared_bytes, 0, program->local_bytes, most ? most : 1024,
                                        runtime(w).registers(*program)};
    const auto to = argument<std::uint64_t>(w, call, 0, lane);
    if (!write_memory(w, lane, to, &attributes, sizeof attributes)) fault_access(w, op, to, lane, 8, "store");
    tell_written(w, lane, to, sizeof attributes);
    return_error(w, call, lane, CudaError::success);
  });
}

void get_occupancy(Warp& w, const MicroOp* op, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    const Program* program = program_at(w, argument<std::uint64_t>(w, call, 1, lane));
    if (!program) return return_error(w, call, lane, CudaError::invalid_device_function);
    const int blocks = runtime(w).blocks_per_sm(*program, argument<std::int32_t>(w, call, 2, lane),
                                                argument<std::uint64_t>(w, call, 3, lane));
    store_result(w, op, lane, argument<std::uint64_t>(w, call, 0, lane), blocks);
    return_error(w, call, lane, CudaError::success);
  });
}

/// The host takes the address of a word for the handle (common/cuda_api/runtime/graphs/conditional_nodes.cpp).
void set_conditional(Warp& w, const MicroOp* op, const CallInfo& call) {
  for_active_lanes(w, [&](int lane) {
    store_result(w, op, lane, argument<std::uint64_t>(w, call, 0, lane), argument<std::uint32_t>(w, call, 1, lane));
  });
}

constexpr Builtin builtins[] = {
    {"cudaGraphSetConditional", set_conditional},
    {"__cudaCDP2GetLastError", last_error<true>, true},
    {"__cudaCDP2PeekAtLastError", last_error<false>, true},
    {"__cudaCDP2GetErrorString", describe_error<false>, true},
    {"__cudaCDP2GetErrorName", describe_error<true>, true},
    {"__cudaCDP2GetDevice", store_constant<0>},
    {"__cudaCDP2GetDeviceCount", store_constant<1>},
    {"__cudaCDP2DeviceGetCacheConfig", store_constant<0>},      // cudaFuncCachePreferNone
    {"__cudaCDP2DeviceGetSharedMemConfig", store_constant<1>},  // banks of 4 bytes
    {"__cudaCDP2RuntimeGetVersion", store_constant<CUDA_VERSION>},
    {"__cudaCDP2DeviceGetAttribute", get_attribute},
    {"__cudaCDP2DeviceGetLimit", get_limit},
    {"__cudaCDP2Malloc", allocate, true},
    {"__cudaCDP2Free", release, true},
    {"__cudaCDP2FuncGetAttributes", get_function_attributes, true},
    {"__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor", get_occupancy, true},
    {"__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", get_occupancy, true},
};

}  // namespace

std::span<const Builtin> device_builtins() { return builtins; }

}  // namespace gpulab::simt
