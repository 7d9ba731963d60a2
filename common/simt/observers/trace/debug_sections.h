#pragma once
// The debugging sections of a PTX text as bytes, with what their numbers refer to.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpulab::simt {

/// A section that is written as `.b8 1,2`, `.b64 label+4`, `label:`.
struct DebugSection {
  /// A number that the linker would add to the bytes, which hold the addend.
  struct Bytes {
    std::vector<std::uint8_t> all;
    std::unordered_map<std::size_t, std::string_view> symbols;  ///< by place
  } bytes;
  std::unordered_map<std::string_view, std::size_t> labels;  ///< places
};

/// The section of this name (".debug_info"), empty where there is none; nothing, where its text is none of a section.
[[nodiscard]] std::optional<DebugSection> debug_section(std::string_view ptx, std::string_view name);

/// Lines of the labels in functions ("$L__tmp0"), from 1.
[[nodiscard]] std::unordered_map<std::string_view, std::uint32_t> label_lines(std::string_view ptx);

/// Reads a section from some place on. Behind its end all is 0, and `ok` false for good.
class DebugReader {
 public:
  DebugReader(const DebugSection& section, std::size_t at) : section_(section), at_(at) {}

  [[nodiscard]] std::uint64_t number(int size);  ///< of 1 to 8 bytes
  [[nodiscard]] std::uint64_t uleb();
  [[nodiscard]] std::string string();
  void skip(std::uint64_t count);
  /// The symbol that the number here is added to; empty: none.
  [[nodiscard]] std::string_view symbol() const;
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool ok() const { return ok_; }
  void fail() { ok_ = false; }

 private:
  const DebugSection& section_;
  std::size_t at_;
  bool ok_ = true;
};

}  // namespace gpulab::simt
