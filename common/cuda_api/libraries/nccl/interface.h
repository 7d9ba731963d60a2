#pragma once
// What programs and NCCL agree on: values of its enumerations, and the functions that are here. Declared here, so that
// the library is there although the toolkit that builds it has no nccl.h; programs take theirs from NVIDIA's.

#include <driver_types.h>

#include <cstddef>

struct ncclComm;

extern "C" {

using ncclComm_t = ncclComm*;
using ncclRedOp_t = int;
using ncclDataType_t = int;

enum ncclResult_t {
  ncclSuccess,
  ncclUnhandledCudaError,
  ncclSystemError,
  ncclInternalError,
  ncclInvalidArgument,
  ncclInvalidUsage,
  ncclRemoteError,
  ncclInProgress,
};

struct ncclUniqueId {
  char internal[128];
};

/// The beginning of what NCCL_CONFIG_INITIALIZER fills in; `size` says how much of it the program's header has.
struct ncclConfig_t {
  std::size_t size;
  unsigned magic, version;
  int blocking, cgaClusterSize, minCTAs, maxCTAs;
  const char* netName;
  int splitShare;
};

}  // extern "C"

namespace gpulab::nccl {

enum DataType : int { int8, uint8, int32, uint32, int64, uint64, half, float32, float64, bfloat16, e4m3, e5m2, types };
enum ReduceOp : int { sum, product, maximum, minimum, average, operations };

/// That the functions are like those of.
inline constexpr int kVersion = 22809;

}  // namespace gpulab::nccl
