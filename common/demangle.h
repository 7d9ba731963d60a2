#pragma once
// C++ names of kernels. PTX holds mangled names; people, labs and reports use "reduce_warp<float, Sum>".

#include <span>
#include <string>
#include <string_view>

namespace gpulab {

/// "_Z11reduce_warpIf3SumEvPKT_PS1_i" -> "void reduce_warp<float, Sum>(float const*, float*, int)".
/// A name that is not mangled (extern "C") is returned as it is.
[[nodiscard]] std::string demangle(std::string_view mangled);

/// The same without return type, argument list and "(anonymous namespace)::": "reduce_warp<float, Sum>".
[[nodiscard]] std::string kernel_name(std::string_view mangled);

/// True if both name the same kernel: spaces and the suffix of integer template arguments (256u) do not count.
[[nodiscard]] bool same_kernel_name(std::string_view left, std::string_view right);

/// The entry of `entries` (mangled names) that `asked` means: its mangled name, its C++ name, or the name without
/// template arguments where there is only one instantiation. Throws usage_error with near misses otherwise.
[[nodiscard]] std::string_view find_entry(std::string_view asked, std::span<const std::string_view> entries);

}  // namespace gpulab
