#pragma once
// Where the members of a struct lie, read from the text that declares it: `{1,2.5,3}` on the command line becomes the
// bytes that a kernel takes by value.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "common/scalar.h"

namespace gpulab {

struct StructLayout {
  struct Member {
    Scalar type = Scalar::u8;
    std::size_t offset = 0;
  };
  std::vector<Member> members;  ///< numbers alone: arrays and nested structs element by element; a pointer is a u64
  std::size_t bytes = 0, align = 1;

  /// Behind all that is there, where the type's alignment allows it.
  void add(Scalar type);
  void add(const StructLayout& nested);
  /// The size becomes a multiple of the alignment.
  void finish();
};

/// Of a type as C++ names it: "float", "unsigned int", "float4", "Params" where `code` (code_only) declares that.
/// Nothing where it is not found, or has what is not read here: bases, bit fields, templates, sizes that are names.
[[nodiscard]] std::optional<StructLayout> layout_of(std::string_view type, std::string_view code);

/// The number type of C++'s name for it: i32 of "int" and "int32_t", u64 of "size_t", u8 of "bool".
[[nodiscard]] std::optional<Scalar> scalar_of_cpp(std::string_view type);

}  // namespace gpulab
