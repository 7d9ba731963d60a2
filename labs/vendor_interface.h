#pragma once
// Between the labs and libgpulab_vendor.so, which holds the code of labs/*/vendor.cu (CUB, Thrust): plain data and C
// functions, so that neither side depends on the other's compiler or C++ library. The labs' side is labs/vendor.h, the
// library's labs/vendor_code.h. A change of this file needs a higher `interface_version`.

#include <cstddef>
#include <cstdint>

namespace gpulab::vendor {

constexpr std::int32_t interface_version = 1;

/// A parameter of the case: a word where `word` is not null; else `integer` and `real` hold the same number.
struct Param {
  const char* name;
  const char* word;
  std::int64_t integer;
  double real;
};

struct Buffer {
  const char* name;
  void* pointer;  ///< in the GPU's memory
};

struct Call {
  const Param* params;
  std::size_t param_count;
  const Buffer* buffers;
  std::size_t buffer_count;
  void* workspace;
  std::size_t workspace_bytes;
};

struct Failure {
  enum Kind : std::int32_t { none, fault, out_of_memory, defect } kind;  ///< defect: a fault of the lab's code
  char message[512];
  char where[128];  ///< "cub::DeviceReduce"
};

struct Function {
  const char* name;  ///< "reduce.cub": lab, variant
  std::size_t (*workspace_bytes)(const Call*, Failure*);
  void (*run)(const Call*, Failure*);  ///< on the default stream
};

/// What `extern "C" const Library* gpulab_vendor_library()` of the library returns.
struct Library {
  std::int32_t interface_version;
  const char* sources;  ///< hash of the vendor.cu files and of this interface that it was built from
  const Function* functions;
  std::size_t function_count;
};

}  // namespace gpulab::vendor
