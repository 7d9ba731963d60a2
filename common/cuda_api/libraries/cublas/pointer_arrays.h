#pragma once
// Arrays of pointers in the device's memory: what batched routines find their matrices by, when they run.

#include <utility>
#include <vector>

#include "common/cuda_api/libraries/cublas/call.h"

namespace gpulab::cublas {

class PointerArrays {
 public:
  PointerArrays(std::initializer_list<std::pair<const char*, const void*>> arrays, i64 count) {
    for (const auto& [name, pointer] : arrays) arrays_.push_back(vector(name, pointer, CUDA_R_64F, count, 1));
  }
  [[nodiscard]] std::vector<LibraryBuffer> buffers() const {
    std::vector<LibraryBuffer> all;
    for (const auto& array : arrays_) all.push_back(array.buffer());
    return all;
  }
  /// The addresses of each array.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> load(LibraryAccess& memory) const {
    std::vector<std::vector<std::uint64_t>> all;
    for (const auto& array : arrays_) {
      auto& one = all.emplace_back(static_cast<std::size_t>(array.rows));
      memory.read(one.data(), array.address, one.size() * sizeof(std::uint64_t));
    }
    return all;
  }

 private:
  std::vector<Operand> arrays_;
};

}  // namespace gpulab::cublas
