#pragma once
// A call of cuBLAS: who makes it with which handle, what is wrong with its parameters, and how its work is queued.

#include <cublasXt.h>
#include <cublas_api.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "common/cuda_api/libraries/library.h"
#include "common/cuda_api/libraries/numbers.h"
#include "common/cuda_api/libraries/operands.h"

/// What a handle stands for; the name is NVIDIA's.
struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  int sm_count = 0;
#if CUBLAS_VERSION >= 130100
  cublasEmulationStrategy_t strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
  cudaEmulationSpecialValuesSupport special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
  cudaEmulationMantissaControl mantissa_control = CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC;
  int most_bits = 0, bit_offset = 0;
  int* bits = nullptr;
#endif
};

namespace gpulab::cublas {

using namespace gpulab::libraries;
using Status = cublasStatus_t;
using Work = cuda_api::LibraryWork;

/// Of a handle that cublasCreate gave and cublasDestroy has not taken.
[[nodiscard]] bool is_handle(cublasHandle_t handle);

/// What an operation is, for the report.
struct Job {
  std::string shape;
  double operations = 0;
  LibraryUnit unit = LibraryUnit::fp32;
  double kernels = 1;
  bool waits = false;
};

struct Call {
  cublasHandle_t handle;
  const char* name;     ///< "cublasSgemm"
  const char* letters;  ///< that say which type: "S", "Sc"
  bool wide;            ///< of 64-bit integers
  void* caller;

  /// Of the elements of its matrices and vectors.
  [[nodiscard]] Type type() const;
  [[nodiscard]] Type real_type() const { return real_of(type()); }
  /// Of alpha where that may be real beside complex elements: "Cs".
  [[nodiscard]] Type scalar_type() const;
  [[nodiscard]] bool on_device() const { return handle->pointers == CUBLAS_POINTER_MODE_DEVICE; }
  [[nodiscard]] Scalar number(const char* what, const void* pointer, Type of) const {
    return scalar(what, pointer, of, on_device());
  }
  [[nodiscard]] Scalar number(const char* what, const void* pointer) const { return number(what, pointer, type()); }

  /// The first of these that does not hold is told as a parameter's number; `routine`: as the message calls it.
  struct Rule {
    int parameter;
    bool holds;
  };
  [[nodiscard]] Status check(const std::string& routine, const std::vector<Rule>& rules) const;
  /// "SGEMM", for the message.
  [[nodiscard]] std::string routine() const;
  /// A pointer that the host is to read or write now is none of the device's alone.
  [[nodiscard]] Status check_host(const char* what, const void* pointer) const;

  /// `operands`: what the work uses, beside what it says itself.
  Status queue(const Job& job, std::vector<LibraryBuffer> buffers, const Work& work) const;
};

/// A result: in the host's memory, or the device's.
struct Result {
  void* pointer;
  Type type;
  bool on_device;
  void add_to(std::vector<LibraryBuffer>& buffers) const;
  void set(LibraryAccess& memory, Complex value) const;
};

/// The unit that computes products of such elements.
[[nodiscard]] LibraryUnit unit_of(const Call& call, Type type);
/// The same where no tensor core helps.
[[nodiscard]] inline LibraryUnit plain_unit(Type type) {
  return real_of(type) == CUDA_R_64F ? LibraryUnit::fp64 : LibraryUnit::fp32;
}
/// Real operations of a multiply-add of such elements.
[[nodiscard]] inline double flops(Type type) { return is_complex(type) ? 8 : 2; }

[[nodiscard]] inline bool is_operation(cublasOperation_t op) { return op >= CUBLAS_OP_N && op <= CUBLAS_OP_C; }
[[nodiscard]] inline bool is_fill(cublasFillMode_t fill) {
  return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER;
}
[[nodiscard]] inline bool is_side(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}
[[nodiscard]] inline bool is_diagonal(cublasDiagType_t diagonal) {
  return diagonal == CUBLAS_DIAG_NON_UNIT || diagonal == CUBLAS_DIAG_UNIT;
}
[[nodiscard]] inline i64 at_least_one(i64 value) { return value < 1 ? 1 : value; }

template <typename... Operands>
[[nodiscard]] std::vector<LibraryBuffer> buffers_of(const Operands&... operands) {
  return {operands.buffer()...};
}

}  // namespace gpulab::cublas

/// As in the manual: what the call does not check costs no words.
#define GPULAB_CHECK(status) \
  if (const ::gpulab::cublas::Status wrong = (status); wrong != CUBLAS_STATUS_SUCCESS) return wrong
