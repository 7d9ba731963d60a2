#pragma once
// The rows' value functions as LLVM bitcode, one file for each table and level of the CPU: made by clang, where the
// build found one (scripts/cmake/isa.cmake); none else.

#include <cstddef>
#include <span>
#include <string_view>

namespace gpulab::simt {

struct RowBitcode {
  std::string_view level;  ///< "v4"
  std::size_t table;       ///< its number in InstructionSet::tables()
  std::span<const char> bytes;
};

[[nodiscard]] std::span<const RowBitcode> row_bitcode();

/// The name that a file of bitcode has for its ValueTable (isa/value_table.h).
inline constexpr const char* kValueTable = "gpulab_value_table";

}  // namespace gpulab::simt
