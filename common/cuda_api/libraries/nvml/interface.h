#pragma once
// What programs and NVML agree on. Declared here, so that the library is there although the toolkit that builds it has
// no header of it; programs take theirs from NVIDIA's.

#include <cstddef>

extern "C" {

struct nvmlDevice_st {
  int index;
};
using nvmlDevice_t = nvmlDevice_st*;

enum nvmlReturn_t {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
};

struct nvmlMemory_t {
  unsigned long long total, free, used;
};
struct nvmlMemory_v2_t {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct nvmlPciInfo_t {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};

}  // extern "C"
