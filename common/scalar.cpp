#include "common/scalar.h"

#include <array>

namespace gpulab {
namespace {

struct ScalarFacts {
  Scalar type;
  std::size_t bytes;
  bool floating;
  std::string_view name;  ///< on the command line and in JSON
  std::string_view cpp;   ///< in demangled kernel names (Itanium ABI, LP64: long is 64 bits)
  std::string_view also;  ///< one more accepted spelling
};

constexpr std::array<ScalarFacts, 12> table{{
    {Scalar::u8, 1, false, "u8", "unsigned char", "byte"},
    {Scalar::i8, 1, false, "i8", "signed char", "char"},
    {Scalar::u16, 2, false, "u16", "unsigned short", "ushort"},
    {Scalar::i16, 2, false, "i16", "short", "short"},
    {Scalar::u32, 4, false, "u32", "unsigned int", "unsigned"},
    {Scalar::i32, 4, false, "i32", "int", "int"},
    {Scalar::u64, 8, false, "u64", "unsigned long", "ulong"},
    {Scalar::i64, 8, false, "i64", "long", "long"},
    {Scalar::f16, 2, true, "f16", "__half", "half"},
    {Scalar::bf16, 2, true, "bf16", "__nv_bfloat16", "bfloat16"},
    {Scalar::f32, 4, true, "f32", "float", "float"},
    {Scalar::f64, 8, true, "f64", "double", "double"},
}};

/// The table is in the order of the enumeration.
const ScalarFacts& facts(Scalar type) { return table.at(static_cast<std::size_t>(type)); }

}  // namespace

std::size_t size_of(Scalar type) { return facts(type).bytes; }
std::string_view name_of(Scalar type) { return facts(type).name; }
std::string_view cpp_name_of(Scalar type) { return facts(type).cpp; }
bool is_floating(Scalar type) { return facts(type).floating; }

std::optional<Scalar> scalar_named(std::string_view name) {
  for (const auto& row : table) {
    if (name == row.name || name == row.cpp || name == row.also) return row.type;
  }
  return std::nullopt;
}

}  // namespace gpulab
