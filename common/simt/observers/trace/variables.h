#pragma once
// Which variable of the source a register holds, and when: from the debugging information that nvcc -G writes into PTX
// (DWARF 2 to 4, sections .debug_info, .debug_abbrev, .debug_loc as rows of numbers and labels; an operation DW_OP_regx
// names a register by the letters of its name, the last one in the highest byte: NVIDIA's PTX ISA, "Debugging
// Directives").

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpulab::simt {

/// Lines are those of the PTX, from 1. Where the text has no such information, or one that does not fit this
/// description, nothing has a name.
class Variables {
 public:
  explicit Variables(std::string_view ptx);

  /// The variable that `reg` ("%r1") holds when the instruction of `line` begins; empty: none that is known.
  [[nodiscard]] std::string_view held(std::string_view reg, std::uint32_t line) const;
  /// The parameter of a kernel that stands in "kernel_param_0".
  [[nodiscard]] std::string_view parameter(std::string_view symbol) const;
  /// A variable in a function's local memory ("__local_depot0"), of which each function has one piece.
  struct Local {
    std::uint64_t offset = 0;
    std::string name;
  };
  /// Those of one piece, by offset; several at one offset are in none of it.
  [[nodiscard]] const std::vector<Local>& locals(std::string_view symbol) const;

 private:
  struct Range {
    std::uint32_t begin = 0, end = 0;  ///< lines of its labels
    std::string name;
  };

  std::unordered_map<std::string, std::vector<Range>> ranges_;  ///< by register
  std::unordered_map<std::string, std::string> parameters_;     ///< by symbol
  std::unordered_map<std::string, std::vector<Local>> locals_;  ///< by symbol
  mutable std::uint64_t patience_ = std::uint64_t{1}
                                    << 26;  ///< comparisons that are left: a hostile text names one register often
};

}  // namespace gpulab::simt
