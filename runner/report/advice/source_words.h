#pragma once
// What a kernel's source says by itself. It is a stranger's text: of any length, with anything in it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

/// Lines of a function, from 1: that of its `__global__`, and those of its body. 0: it was not found.
struct FunctionLines {
  std::uint32_t head = 0, last = 0;
};

/// The text without comments, and without what stands in quotes; as many lines.
[[nodiscard]] std::vector<std::string> code_lines(const std::vector<std::string_view>& text);

// All that follows takes what code_lines() gave.

/// The kernel that `line` lies in: from the `__global__` before it to the end of its braces.
[[nodiscard]] FunctionLines kernel_around(const std::vector<std::string>& code, std::uint32_t line);
/// Does the word stand by itself in the lines?
[[nodiscard]] bool has_word(const std::vector<std::string>& code, FunctionLines lines, std::string_view word);
/// Where the kernel declares shared memory: of several arrays the one with the largest number in its brackets, else the
/// first; 0: nowhere.
[[nodiscard]] std::uint32_t shared_declaration(const std::vector<std::string>& code, FunctionLines lines);
/// What makes the line compute in double: "0.5", "M_PI", "PI" (which a #define or a constant of the file says to be
/// one), "pow()"; empty: nothing that can be seen.
[[nodiscard]] std::string double_word(const std::vector<std::string>& code, std::uint32_t line);
/// The line of the kernel's work: of its first loop, else of its last assignment; 0: it has neither.
[[nodiscard]] std::uint32_t work_line(const std::vector<std::string>& code, FunctionLines lines);

}  // namespace gpulab
