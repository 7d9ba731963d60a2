#include "common/device/gpu/gpu_limits.h"

namespace gpulab {

std::vector<DeviceLimit> gpu_limits(const DriverApi& driver, CUdevice device) {
  struct Row {
    std::string_view field;
    CUdevice_attribute attribute;
  };
  constexpr Row rows[] = {
      {"sm_count", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {"max_threads_per_sm", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
      {"max_threads_per_block", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {"max_blocks_per_sm", CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
      {"registers_per_sm", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
      {"registers_per_block", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
      {"shared_bytes_per_sm", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
      {"shared_bytes_per_block", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
      {"shared_bytes_per_block_optin", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {"reserved_shared_bytes_per_block", CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK},
      {"l2", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
  };
  std::vector<DeviceLimit> limits;
  const auto ask = [&](int& value, CUdevice_attribute attribute) {
    return driver.cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS;
  };
  for (const Row& row : rows)
    if (int value = 0; ask(value, row.attribute)) limits.push_back({row.field, static_cast<double>(value)});
  // Memory moves twice a clock; a driver may say 0.
  int khz = 0, bits = 0;
  if (ask(khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) && ask(bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) &&
      khz > 0 && bits > 0)
    limits.push_back({"memory_bandwidth", 2.0 * khz * 1e3 * bits / 8 / 1e9});
  return limits;
}

}  // namespace gpulab
