#pragma once
// The fidelity suite: launches of the kernels in tests/fidelity/*.cu, and for each which thread touches what, step by
// step, written down independently of the kernels' code. model.h works out from that alone what memory must hold
// afterwards and what the counters must be; agreement.h compares counters with an NVIDIA GPU's.

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "common/device/device.h"
#include "common/dim3.h"

namespace gpulab::fidelity {

/// Buffers of a launch; each is kBufferBytes long, far from the others and aligned to more than a sector.
enum class Buffer { in, out, other };
inline constexpr std::size_t kBufferBytes = 256 << 10;

/// A kernel's argument: a buffer, or a number of 4 or 8 bytes.
using Argument = std::variant<Buffer, int, std::uint64_t>;

/// One thread of a launch. x, y, z within the block; `linear` is x + y * width + z * area.
struct Thread {
  Dim3 block, at;
  std::uint32_t linear = 0;
  std::uint32_t lane = 0;
  int of_grid = 0;             ///< blockIdx.x * blockDim.x + threadIdx.x
  int gx = 0, gy = 0, gz = 0;  ///< threadIdx + blockIdx * blockDim
};

enum class Space { in, out, other, shared, local, constant };
/// What a step does with the thread's one register.
enum class Action {
  load,        ///< register = memory
  sum,         ///< register += memory, 32 bits; likewise:
  difference,  ///< register -= memory
  complement,  ///< register = ~memory
  third,       ///< register = memory / 3
  clear,       ///< register = 0, no access
  store,       ///< memory = register
  number,      ///< memory = 0 at a store, no register
  add_u32,     ///< atomics without a result: memory += linear + 1
  add_u64,
  add_f32,
  add_f64,
  fetch,  ///< atomics with one: register = memory, memory = value
};

/// No access: the thread is not on this path.
inline constexpr std::int64_t kIdle = -1;
using Element = std::function<std::int64_t(const Thread&)>;
/// An access, in units of its width: which thread touches which element, or kIdle.
struct Step {
  Action action;
  Space space;
  std::uint32_t width;  ///< bytes per thread
  Element element;
  std::function<std::uint64_t(const Thread&, std::uint64_t old)> value = {};  ///< fetch: what memory becomes
  bool joins_next = false;  ///< one request with the next step, of other lanes
};

struct Case {
  std::string kernel;  ///< "load_stride<unsigned int>"
  Dim3 grid, block;
  std::vector<Argument> arguments;
  std::vector<Step> steps;
  /// The kernel, its numbers and its shape: unique.
  [[nodiscard]] std::string name() const;
};

/// Element types that kernels are compiled for, by bytes per lane.
struct Width {
  std::uint32_t bytes;
  const char* type;
};
inline constexpr Width kWidths[] = {
    {1, "unsigned char"}, {2, "unsigned short"}, {4, "unsigned int"}, {8, "unsigned long long"}, {16, "uint4"}};

[[nodiscard]] std::vector<Case> global_cases();
[[nodiscard]] std::vector<Case> shared_cases();
[[nodiscard]] std::vector<Case> local_cases();
[[nodiscard]] std::vector<Case> atomic_cases();
[[nodiscard]] std::vector<Case> control_cases();
/// All of them, in the order in which they are launched and profiled.
[[nodiscard]] std::vector<Case> all_cases();

/// Buffers as a launch finds them: `in` and `other` hold bytes that differ everywhere, `out` too where atomics start
/// from small numbers, else poison.
[[nodiscard]] std::vector<std::byte> initial(Buffer buffer, const Case& one);

/// PTX of tests/fidelity/*.cu, compiled by the build.
[[nodiscard]] std::vector<ModuleImage> suite_modules();

/// Launches one case on a device that has the modules loaded; the buffers' contents afterwards, in the enum's order.
[[nodiscard]] std::vector<std::vector<std::byte>> launch(Device& device, const Case& one);

}  // namespace gpulab::fidelity
