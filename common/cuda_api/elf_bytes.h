#pragma once
// Structs and texts at places that a file names, which may lie anywhere.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

namespace gpulab::cuda_api {

/// A struct at a place of the file; nothing beyond its end.
template <typename T>
std::optional<T> at(std::span<const std::byte> file, std::uint64_t offset) {
  if (offset > file.size() || sizeof(T) > file.size() - offset) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

/// Text up to its end, of a table that begins at `table`.
inline std::string text_at(std::span<const std::byte> file, std::uint64_t table, std::uint64_t offset) {
  std::string text;
  constexpr std::size_t longest = 4096;
  if (offset > file.size() || table > file.size() - offset) return text;
  for (std::uint64_t i = table + offset; i < file.size() && file[i] != std::byte{0} && text.size() < longest; ++i)
    text += static_cast<char>(file[i]);
  return text;
}

}  // namespace gpulab::cuda_api
