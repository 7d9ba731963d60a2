#pragma once
// Dynamic parallelism (CUDA C++ Programming Guide, CUDA Dynamic Parallelism, version 2): what kernels launch, and what
// they may ask of the device that runs them. Launches of a grid are kept until its last block has ended and then run in
// the order in which they were made, each with all that it launches itself; what went into the tail launch stream comes
// last. The guide promises no more: a child may start at any time, and streams need not overlap.
// Where a kernel waits for its launches (cudaDeviceSynchronize in a kernel, up to CUDA 11), they run within that call.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "common/dim3.h"
#include "common/ptx/module.h"
#include "common/simt/machine/memory/memory.h"

namespace gpulab::simt {

class DeviceHeap;
struct Program;
struct Warp;

/// The errors of the device runtime (cudaError_t) that it can answer with.
enum class CudaError : std::int32_t {
  success = 0,
  invalid_value = 1,
  memory_allocation = 2,
  invalid_configuration = 9,
  launch_max_depth_exceeded = 65,
  sync_depth_exceeded = 68,
  launch_pending_count_exceeded = 69,
  invalid_device_function = 98,
  invalid_device = 101,
  unsupported_limit = 215,
  invalid_resource_handle = 400,
};

/// cudaGetErrorName and cudaGetErrorString.
struct ErrorText {
  const char *name, *text;
};
[[nodiscard]] ErrorText error_text(std::int32_t error);

/// One grid that a kernel launched, or a copy or fill that it put into a stream.
struct DeviceLaunch {
  enum class Kind { grid, copy, fill } kind = Kind::grid;
  int level = 0;  ///< of nesting: 1 for what the host launches
  const ptx::Function* function = nullptr;
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t parameters = 0;  ///< address of the buffer that the kernel fills
  std::uint64_t to = 0, from = 0, pitch_to = 0, pitch_from = 0, bytes = 0, rows = 1;  ///< of a copy or fill
  std::uint8_t value = 0;
};

/// The launches of one grid.
struct GridLaunches {
  int level = 1;
  std::vector<DeviceLaunch> ordinary, tail;
  std::map<std::uint64_t, DeviceLaunch> prepared;  ///< by parameter buffer: not in a stream yet
  std::set<std::uint64_t> streams, events;         ///< created by this grid: others may not use them
  std::uint64_t next_handle = 16;                  ///< above the predefined streams
  /// Runs `ordinary` to its end while the grid waits, of which `warp` is. Empty: nobody can.
  std::function<void(Warp& warp)> wait{};
};

/// What kernels may ask of a device.
struct DeviceRuntime {
  /// Levels of grids, the host's included; tail launches start when their parent has ended, and stay on its level.
  static constexpr int kMostLevels = 24;
  /// cudaLimitDevRuntimePendingLaunchCount's default: launches made and not begun.
  static constexpr std::uint32_t kMostPending = 2048;
  /// Streams, and events, of one grid; a GPU has memory for so many.
  static constexpr std::size_t kMostHandles = 65536;

  GlobalMemory* memory = nullptr;
  DeviceHeap* heap = nullptr;
  std::uint32_t pending = 0;
  int sync_depth = 2;  ///< cudaLimitDevRuntimeSyncDepth: levels of grids that may wait for what they launched
  std::set<std::uint64_t> buffers;  ///< of parameters, which kernels have asked for and no launch has taken
  /// A kernel of the module as it would run, nullptr where `function` is none.
  std::function<const Program*(const ptx::Function&)> program;
  std::function<std::optional<int>(int attribute)> attribute;  ///< of cudaDeviceAttr; none: unknown to the simulator
  /// Registers per thread and threads per block at most of a kernel; 0: not known.
  std::function<int(const Program&)> registers, max_threads;
  std::function<int(const Program&, int threads, std::uint64_t dynamic_shared_bytes)> blocks_per_sm;
  std::map<std::string_view, std::uint64_t> texts;  ///< of errors, in device memory
};

}  // namespace gpulab::simt
