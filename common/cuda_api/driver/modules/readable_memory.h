#pragma once
// Memory that a program gives by its address alone, of a length that only what lies there says. What cannot be read
// ends it, instead of the process.

#include <cstddef>
#include <span>
#include <string_view>

namespace gpulab::cuda_api {

/// The bytes from there on that can be read, `most` at most; none where `from` is null.
[[nodiscard]] std::span<const std::byte> readable_from(const void* from, std::size_t most);

/// Text up to its null; up to what cannot be read, where none comes.
[[nodiscard]] std::string_view readable_text(const char* from, std::size_t most);

}  // namespace gpulab::cuda_api
