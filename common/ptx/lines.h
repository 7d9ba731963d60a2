#pragma once
// From an instruction's location to the line of the user's own CUDA source, out of whatever was inlined there from
// headers.

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/ptx/module.h"

namespace gpulab::ptx {

struct SourceLine {
  std::string_view file;      ///< path as in .file
  std::uint32_t line = 0;     ///< 1-based
  std::uint32_t column = 0;   ///< 1-based, 0: unknown
  std::string_view function;  ///< mangled name of the inlined function that the line is in; empty: the kernel itself
};

/// Resolves the locations of one module. `user_file` names the user's own source by its path's last parts
/// ("kernels.cu", "reduce/kernels.cu"); empty: the file of the outermost frame of each location.
class Lines {
 public:
  Lines(const Module& module, std::string_view user_file);

  /// Innermost first: the instruction's own line, then the call sites it was inlined through. Frames without a line
  /// (compiler-made code) are left out; empty: nothing is known.
  [[nodiscard]] std::vector<SourceLine> chain(std::int32_t location) const;
  /// The innermost line in the user's file: where the user wrote what this instruction does, also inside of functions
  /// that were inlined. Of code that lies in headers alone: the innermost line of a header of the user's own, else the
  /// outermost of all. Line 0: nothing is known.
  [[nodiscard]] SourceLine user_line(std::int32_t location) const;
  /// What to call a line's file: the user's own as it was named, others by their paths.
  [[nodiscard]] std::string_view shown_file(const SourceLine& line) const;
  /// The outermost line in the user's file: the statement of the kernel itself. Line 0: none.
  [[nodiscard]] SourceLine kernel_line(std::int32_t location) const;

 private:
  [[nodiscard]] bool is_user_file(std::string_view path) const;

  const Module& module_;
  std::string_view user_file_;
  std::vector<std::string_view> paths_;  ///< by .file number, where that is small
};

}  // namespace gpulab::ptx
