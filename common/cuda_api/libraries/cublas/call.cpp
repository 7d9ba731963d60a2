#include "common/cuda_api/libraries/cublas/call.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <unordered_set>

namespace gpulab::cublas {
namespace {

std::mutex mutex;
std::unordered_set<cublasHandle_t>& handles() {
  static auto* const all = new std::unordered_set<cublasHandle_t>;  // programs call while they end
  return *all;
}

Type type_of(char letter) {
  switch (letter) {
    case 'D':
    case 'd':
      return CUDA_R_64F;
    case 'C':
    case 'c':
      return CUDA_C_32F;
    case 'Z':
    case 'z':
      return CUDA_C_64F;
    case 'H':
      return CUDA_R_16F;
    default:
      return CUDA_R_32F;
  }
}

}  // namespace

bool is_handle(cublasHandle_t handle) {
  const std::lock_guard lock(mutex);
  return handles().contains(handle);
}

Type Call::type() const {
  for (const char* letter = letters; *letter != '\0'; ++letter)
    if (is_complex(type_of(*letter))) return type_of(*letter);
  return type_of(*letters);
}

Type Call::scalar_type() const { return std::string_view(letters).size() == 2 ? real_of(type()) : type(); }

std::string Call::routine() const {
  std::string name = std::string(this->name).substr(std::string_view("cublas").size());
  if (name.ends_with("_64")) name.resize(name.size() - 3);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

/// Routines that refuse without a word, as on an H100.
static bool is_silent(std::string_view routine) { return routine.ends_with("GEMV") || routine.ends_with("SYMV"); }

Status Call::check(const std::string& routine, const std::vector<Rule>& rules) const {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  for (const auto& rule : rules) {
    if (rule.holds) continue;
    if (!is_silent(routine)) cublasXerbla(routine.c_str(), rule.parameter);
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  return CUBLAS_STATUS_SUCCESS;
}

Status Call::check_host(const char* what, const void* pointer) const {
  if (pointer == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (on_device() || runtime().host_may_touch(address_of(pointer))) return CUBLAS_STATUS_SUCCESS;
  runtime().find(std::string(name) + ": its '" + what +
                     "' lies in the device's memory, which the host cannot reach; the handle's pointer mode is "
                     "CUBLAS_POINTER_MODE_HOST: pass a variable of the host's, or call cublasSetPointerMode(handle, "
                     "CUBLAS_POINTER_MODE_DEVICE)",
                 caller);
  return CUBLAS_STATUS_EXECUTION_FAILED;
}

Status Call::queue(const Job& job, std::vector<LibraryBuffer> buffers, const Work& work) const {
  LibraryOperation operation;
  operation.function = name;
  operation.shape = job.shape;
  operation.operations = job.operations;
  operation.unit = job.unit;
  operation.kernels = job.kernels;
  operation.stream = handle->stream;
  operation.caller = caller;
  operation.waits = job.waits;
  const cudaError_t error = runtime().queue(operation, [buffers = std::move(buffers), work](LibraryAccess& memory) {
    memory.use(buffers);
    work(memory);
  });
  if (error == cudaSuccess) return CUBLAS_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_EXECUTION_FAILED;
}

void Result::add_to(std::vector<LibraryBuffer>& buffers) const {
  if (!on_device) return;
  buffers.push_back(vector("result", pointer, type, 1, 1).written().buffer());
}

void Result::set(LibraryAccess& memory, Complex value) const {
  char bytes[sizeof(Complex)];
  const double real = value.real();
  if (is_complex(type))
    encode(type, &value, bytes, 1);
  else
    encode(type, &real, bytes, 1);
  const auto size = static_cast<std::size_t>(bytes_of(type));
  if (on_device)
    memory.write(address_of(pointer), bytes, size);
  else
    std::memcpy(pointer, bytes, size);
}

LibraryUnit unit_of(const Call& call, Type type) {
  switch (real_of(type)) {
    case CUDA_R_64F:
      return LibraryUnit::fp64_tensor;
    case CUDA_R_32F:
      return (call.handle->math & 7) == CUBLAS_TF32_TENSOR_OP_MATH ? LibraryUnit::tf32_tensor : LibraryUnit::fp32;
    case CUDA_R_8I:
    case CUDA_R_8U:
      return LibraryUnit::byte_tensor;
    default:
      return bytes_of(type) == 1 ? LibraryUnit::byte_tensor : LibraryUnit::half_tensor;
  }
}

}  // namespace gpulab::cublas

using namespace gpulab::cublas;

namespace {

/// A setting of a handle's: `Get` and `Set` of cuBLAS.
template <typename T>
Status get(cublasHandle_t handle, T cublasContext::*member, T* to) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (to == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *to = handle->*member;
  return CUBLAS_STATUS_SUCCESS;
}
template <typename T>
Status set(cublasHandle_t handle, T cublasContext::*member, T value, bool valid = true) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!valid) return CUBLAS_STATUS_INVALID_VALUE;
  handle->*member = value;
  return CUBLAS_STATUS_SUCCESS;
}

struct StatusRow {
  Status status;
  const char *name, *text;
};
constexpr StatusRow statuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was used as an argument"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "an absent device architectural feature is required"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the GPU program failed to execute"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "an error appears when checking the license"},
};

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  (void)gpulab::libraries::runtime();
  const std::lock_guard lock(mutex);
  *handle = *handles().insert(new cublasContext).first;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  const std::lock_guard lock(mutex);
  if (handles().erase(handle) == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
  *value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : type == MINOR_VERSION ? CUBLAS_VER_MINOR : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion() { return CUBLAS_VER_MAJOR * 1000 + CUBLAS_VER_MINOR / 10 * 10; }

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void*, size_t) {
  return is_handle(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t stream) {
  return set(h, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t h, cudaStream_t* stream) {
  return get(h, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t h, cublasPointerMode_t* mode) {
  return get(h, &cublasContext::pointers, mode);
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t h, cublasPointerMode_t mode) {
  return set(h, &cublasContext::pointers, mode, mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t h, cublasAtomicsMode_t* mode) {
  return get(h, &cublasContext::atomics, mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t h, cublasAtomicsMode_t mode) {
  return set(h, &cublasContext::atomics, mode, mode == CUBLAS_ATOMICS_NOT_ALLOWED || mode == CUBLAS_ATOMICS_ALLOWED);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t h, cublasMath_t* mode) { return get(h, &cublasContext::math, mode); }
cublasStatus_t cublasSetMathMode(cublasHandle_t h, cublasMath_t mode) {
  return set(h, &cublasContext::math, mode, (mode & ~31) == 0);
}
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t h, int* count) { return get(h, &cublasContext::sm_count, count); }
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t h, int count) {
  return set(h, &cublasContext::sm_count, count, count >= 0);
}

#if CUBLAS_VERSION >= 130100
// Emulated precisions: a product is computed in full here, whatever way they ask for.
cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t h, cublasEmulationStrategy_t* strategy) {
  return get(h, &cublasContext::strategy, strategy);
}
cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t h, cublasEmulationStrategy_t strategy) {
  return set(h, &cublasContext::strategy, strategy,
             strategy >= CUBLAS_EMULATION_STRATEGY_DEFAULT && strategy <= CUBLAS_EMULATION_STRATEGY_EAGER);
}
cublasStatus_t cublasGetEmulationSpecialValuesSupport(cublasHandle_t h, cudaEmulationSpecialValuesSupport* mask) {
  return get(h, &cublasContext::special_values, mask);
}
cublasStatus_t cublasSetEmulationSpecialValuesSupport(cublasHandle_t h, cudaEmulationSpecialValuesSupport mask) {
  return set(h, &cublasContext::special_values, mask);
}
cublasStatus_t cublasGetFixedPointEmulationMantissaControl(cublasHandle_t h, cudaEmulationMantissaControl* control) {
  return get(h, &cublasContext::mantissa_control, control);
}
cublasStatus_t cublasSetFixedPointEmulationMantissaControl(cublasHandle_t h, cudaEmulationMantissaControl control) {
  return set(h, &cublasContext::mantissa_control, control);
}
cublasStatus_t cublasGetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t h, int* bits) {
  return get(h, &cublasContext::most_bits, bits);
}
cublasStatus_t cublasSetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t h, int bits) {
  return set(h, &cublasContext::most_bits, bits, bits >= 0);
}
cublasStatus_t cublasGetFixedPointEmulationMantissaBitOffset(cublasHandle_t h, int* offset) {
  return get(h, &cublasContext::bit_offset, offset);
}
cublasStatus_t cublasSetFixedPointEmulationMantissaBitOffset(cublasHandle_t h, int offset) {
  return set(h, &cublasContext::bit_offset, offset);
}
cublasStatus_t cublasGetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t h, int** bits) {
  return get(h, &cublasContext::bits, bits);
}
cublasStatus_t cublasSetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t h, int* bits) {
  return set(h, &cublasContext::bits, bits);
}
#endif

cublasStatus_t cublasLoggerConfigure(int, int, int, const char*) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback) { return CUBLAS_STATUS_SUCCESS; }

const char* cublasGetStatusName(cublasStatus_t status) {
  for (const auto& row : statuses)
    if (row.status == status) return row.name;
  return "CUBLAS_STATUS_UNKNOWN";
}
const char* cublasGetStatusString(cublasStatus_t status) {
  for (const auto& row : statuses)
    if (row.status == status) return row.text;
  return "unknown error";
}

void cublasXerbla(const char* routine, int parameter) {
  // Names are six letters wide, but for one: as on an H100.
  const std::string_view name = routine;
  const char* blanks = name.ends_with("TRMM") ? " " : name.size() < 5 ? "   " : "  ";
  std::printf(" ** On entry to %s%sparameter number %d had an illegal value\n", routine, blanks, parameter);
}

}  // extern "C"
