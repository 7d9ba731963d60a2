#pragma once
// A CUDA source file as text, and what it includes.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulab {

/// The whole file. Throws usage_error: missing, a folder, no regular file, unreadable.
[[nodiscard]] std::string read_file(const std::string& path, std::string_view option);

/// Nobody writes a longer source file or PTX text by hand, or has a compiler write it.
inline constexpr std::uint64_t most_source_bytes = std::uint64_t{8} << 20;
/// The same of a file that somebody gave us: it also throws where that is too long.
[[nodiscard]] std::string read_source(const std::string& path, std::string_view option);

/// The same text with comments and the insides of literals blanked: what is found there is code. Lines keep their
/// numbers.
[[nodiscard]] std::string code_only(std::string_view source);

/// Where the comments stand: each from its slashes to its end.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> comments_in(std::string_view source);

/// The files that it includes from beside it, at any depth, whatever the preprocessor would skip.
[[nodiscard]] std::vector<std::string> included_files(const std::string& path, const std::string& source);

}  // namespace gpulab
