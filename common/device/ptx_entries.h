#pragma once
// Where the kernels of a PTX text begin and end. The driver compiles all that it is given, tens of milliseconds
// per kernel, and a ladder of templates has hundreds: so the GPU device hands over one kernel at a time.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

struct PtxEntry {
  std::string_view name;  ///< mangled
  std::size_t begin = 0;  ///< of its linkage directive (.visible, .weak) or of .entry
  std::size_t end = 0;    ///< behind its closing brace, or behind the semicolon of a declaration
  bool has_body = true;
};

struct PtxOutline {
  std::vector<PtxEntry> entries;  ///< in order
  /// True where a kernel can be compiled without the others. False for modules with mutable `__device__` variables
  /// (each copy would have its own), with device-side launches (kernels name each other) or debug information
  /// (its sections refer to labels in every kernel).
  bool separable = true;
  /// Kernels launch kernels, or ask the device runtime something else: to be linked with libcudadevrt.a.
  bool calls_runtime = false;
};

[[nodiscard]] PtxOutline outline(std::string_view ptx);

/// The text without the entries other than `name`.
[[nodiscard]] std::string with_only_entry(std::string_view ptx, const PtxOutline& outline, std::string_view name);

}  // namespace gpulab
