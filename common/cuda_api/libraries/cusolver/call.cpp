#include "common/cuda_api/libraries/cusolver/call.h"

#include <fmt/format.h>

namespace gpulab::cusolver {

Type type_of(const Call& call) {
  switch (*call.letters) {
    case 'S':
      return CUDA_R_32F;
    case 'D':
      return CUDA_R_64F;
    case 'C':
      return CUDA_C_32F;
    default:
      return CUDA_C_64F;
  }
}

bool is_solvable(Type type) {
  return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_C_32F || type == CUDA_C_64F;
}

Call with_type(const Call& call, Type type) {
  Call made = call;
  made.letters = type == CUDA_R_32F ? "S" : type == CUDA_R_64F ? "D" : type == CUDA_C_32F ? "C" : "Z";
  made.wide = true;
  return made;
}

Operand info_of(Out info, i64 count) { return vector("devInfo", info, CUDA_R_32I, count, 1).written(); }
void store_info(LibraryAccess& memory, const Operand& to, i64 value, i64 index) {
  Operand one = to;
  one.address += static_cast<std::uint64_t>(index) * sizeof(int);
  one.rows = one.columns = 1;
  Values<double> number(one);
  number.all[0] = static_cast<double>(value);
  store(memory, number);
}

Operand batched(Operand one, i64 count, i64 stride) {
  one.batch = count;
  one.batch_stride = stride;
  return one;
}

Status queue(const Call& call, i64 m, i64 n, double operations, const std::vector<LibraryBuffer>& buffers,
             const cuda_api::LibraryWork& work, bool waits) {
  LibraryOperation operation;
  operation.function = call.name;
  operation.shape = fmt::format("{} x {}", m, n);
  operation.operations = operations * (is_complex(type_of(call)) ? 4 : 1);
  operation.unit = real_of(type_of(call)) == CUDA_R_64F ? LibraryUnit::fp64 : LibraryUnit::fp32;
  operation.kernels = static_cast<double>(std::min(m, n)) / 32 + 1;
  operation.stream = call.handle->stream;
  operation.caller = call.caller;
  operation.waits = waits;
  const cudaError_t error = runtime().queue(operation, [=](LibraryAccess& memory) {
    memory.use(buffers);
    work(memory);
  });
  return error == cudaSuccess ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}

Status check(const Call& call, bool valid) {
  if (call.handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return valid ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
Status set_info(const Call& call, i64 value, Out info) {
  if (info == nullptr) return CUSOLVER_STATUS_SUCCESS;
  const Operand result = info_of(info);
  return queue(call, 0, 0, 0, {result.buffer()}, [=](LibraryAccess& memory) { store_info(memory, result, value); });
}
Status tell_parameter(const Call& call, int parameter, Out info) {
  if (call.handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto status = set_info(call, -parameter, info);
  return status == CUSOLVER_STATUS_SUCCESS ? CUSOLVER_STATUS_INVALID_VALUE : status;
}
void find_wrong(const Call& call, const std::string& what) {
  runtime().find(
      fmt::format("{}: {}; a GPU's library says CUSOLVER_STATUS_SUCCESS and solves nothing", call.name, what),
      call.caller);
}
Status give_size(const Call& call, bool valid, int* size) {
  if (const auto status = check(call, valid && size != nullptr); status != CUSOLVER_STATUS_SUCCESS) return status;
  *size = 1;
  return CUSOLVER_STATUS_SUCCESS;
}

Operand triangle(In a, Type t, i64 n, i64 lda, bool upper) {
  Operand made = matrix("A", a, t, n, n, lda);
  made.layout = upper ? Layout::upper : Layout::lower;
  return made;
}

std::vector<i64> load_pivots(LibraryAccess& memory, const Operand& from, i64 n) {
  std::vector<i64> pivots;
  for (const double one : load<double>(memory, from).all) {
    const auto row = static_cast<i64>(std::clamp(one, -0x1p40, 0x1p40)) - 1;
    pivots.push_back(row >= 0 && row < n ? row : static_cast<i64>(pivots.size()));
  }
  return pivots;
}

Operand pivots_of(const Call& call, const char* name, In pivots, i64 count) {
  return vector(name, pivots, call.wide ? CUDA_R_64I : CUDA_R_32I, pivots == nullptr ? 0 : count, 1);
}

std::vector<std::uint64_t> load_pointers(LibraryAccess& memory, const Operand& array) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(array.rows));
  memory.read(all.data(), array.address, all.size() * sizeof(std::uint64_t));
  return all;
}

}  // namespace gpulab::cusolver
