#include "common/device/simulator/runtime_queries.h"

#include <optional>
#include <utility>

#include "common/occupancy.h"

namespace gpulab {
namespace {

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

}  // namespace

simt::DeviceRuntime make_runtime(const GpuProfile& profile, KernelLibrary& library, simt::GlobalMemory& memory,
                                 simt::DeviceHeap& heap) {
  const auto attributes = [&library](const simt::Program& p) -> const KernelAttributes& {
    return library.of(p).kernel.attributes;
  };
  simt::DeviceRuntime made;
  made.memory = &memory;
  made.heap = &heap;
  made.program = [&library](const ptx::Function& f) { return library.find(f.name).program.get(); };
  made.attribute = [&profile](int which) { return device_attribute(profile, which); };
  made.registers = [=](const simt::Program& p) { return attributes(p).registers.value_or(0); };
  made.max_threads = [=](const simt::Program& p) { return attributes(p).max_threads_per_block.value_or(0); };
  made.blocks_per_sm = [=, &profile](const simt::Program& p, int threads, std::uint64_t dynamic_shared_bytes) {
    const auto found =
        occupancy(profile, attributes(p).registers.value_or(1), p.static_shared_bytes, dynamic_shared_bytes, threads);
    return found ? found->blocks_per_sm : 0;
  };
  return made;
}

}  // namespace gpulab
