#pragma once
// Kernels of every mma and wmma form, written as PTX by this file, and what they must compute: unit_tests run them on
// the simulator, gpu_tests on a GPU. Values are such that every result is exact but for one rounding.

#include <cstdint>
#include <string>
#include <vector>

#include "common/device/device.h"

namespace gpulab::tests {

/// One form with its operands' places.
struct MatrixForm {
  int m = 0, n = 0, k = 0;
  std::string a, b, c, d;  ///< element types
  bool wmma = false;
  bool a_by_rows = true, b_by_rows = false, c_by_rows = true;
  std::string space;      ///< wmma: ".global", ".shared", "" (generic)
  std::string operation;  ///< of single bits: "xor", "and"
  bool saturate = false;  ///< .satfinite
  [[nodiscard]] bool quads() const { return !wmma && k == 4 && a == "f16"; }  ///< four products, m8n8k4
};

struct MatrixKernel {
  std::string name;    ///< of the entry
  std::string opcode;  ///< of the instruction that multiplies
  MatrixForm form;
  int module = 0;
};

struct MatrixKernels {
  std::vector<std::string> modules;  ///< PTX
  std::vector<MatrixKernel> kernels;
};
[[nodiscard]] const MatrixKernels& matrix_kernels();

/// Elements' bits, matrix by matrix, row by row; forms of quads multiply four.
struct MatrixBits {
  std::vector<std::vector<std::uint64_t>> a, b, c, d;
};
[[nodiscard]] int products_of(const MatrixForm& form);
/// D of A, B and C, by a launch on a device that has the modules loaded.
void multiply(Device& device, const MatrixKernel& kernel, MatrixBits& matrices);

/// Launches on a device that has the modules loaded; says what is wrong, empty: nothing.
[[nodiscard]] std::string run_matrix_kernel(Device& device, const MatrixKernel& kernel);

}  // namespace gpulab::tests
