#pragma once
// Element types of buffers and scalars, as the command line and JSON name them.

#include <cstddef>
#include <optional>
#include <string_view>

namespace gpulab {

enum class Scalar { u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64 };

[[nodiscard]] std::size_t size_of(Scalar type);           ///< bytes
[[nodiscard]] std::string_view name_of(Scalar type);      ///< "f32"
[[nodiscard]] std::string_view cpp_name_of(Scalar type);  ///< "float", as it appears in a demangled kernel name
[[nodiscard]] bool is_floating(Scalar type);
[[nodiscard]] std::optional<Scalar> scalar_named(std::string_view name);  ///< accepts "f32" and "float"

}  // namespace gpulab
