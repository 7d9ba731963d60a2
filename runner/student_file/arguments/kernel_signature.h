#pragma once
// A kernel's parameters: sizes and kinds from its PTX, the C++ types from its mangled name.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/dim3.h"
#include "runner/student_file/arguments/file_argument.h"

namespace gpulab {

struct KernelParameter {
  std::string type;  ///< "float*"; where the name is not mangled (extern "C"), PTX's: ".u64"
  std::size_t bytes = 0;
  bool floating = false;   ///< .f32, .f64
  bool aggregate = false;  ///< a struct by value
  std::string name{};      ///< where the source text says it; else empty
};
struct KernelSignature {
  std::string name;  ///< "scale<float>"
  std::vector<KernelParameter> parameters;
  Dim3 exact_block{0, 0, 0};               ///< of __block_size__ (PTX: .reqntid); x = 0: none
  std::uint64_t most_threads = 0;          ///< of __launch_bounds__ (PTX: .maxntid); 0: none
  [[nodiscard]] std::string text() const;  ///< "scale<float>(float*, float, int)"
};

/// Of an entry of a PTX text. Throws Error where the text is no PTX.
[[nodiscard]] KernelSignature signature_of(const std::string& ptx, const std::string& file, std::string_view entry);

/// The kernel that `asked` means; empty: the only one. Throws usage_error that lists what there is. `instance`: of a
/// template in the file, "scale<float>"; empty: it has none.
[[nodiscard]] std::string choose_kernel(std::string_view asked, std::span<const std::string_view> entries,
                                        const std::string& file, const std::string& instance);

/// Adds the parameters' names, and their types where the kernel's own name has none (extern "C"), from the text that
/// declares it (code_only): of a definition of that name with as many parameters.
void read_declaration(std::string_view code, KernelSignature& kernel);

/// Throws usage_error where arguments and parameters differ in number, size or kind.
void check_arguments(const KernelSignature& kernel, std::span<const FileArgument> arguments);

/// Buffers whose elements are not what the kernel's pointer points to: "x is f64, parameter 1 is float*". Legal
/// (bytes are bytes), and mostly a slip.
[[nodiscard]] std::vector<std::string> doubtful_buffers(const KernelSignature& kernel,
                                                        std::span<const FileArgument> arguments);

}  // namespace gpulab
