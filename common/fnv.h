#pragma once
// FNV-1a, 64 bit (Fowler, Noll, Vo): a checksum that every language has in five lines. Not against malice.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gpulab {

constexpr std::uint64_t fnv1a64_start = 14695981039346656037U;

[[nodiscard]] inline std::uint64_t fnv1a64(std::span<const std::byte> bytes, std::uint64_t hash = fnv1a64_start) {
  for (const auto byte : bytes) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 1099511628211U;
  return hash;
}
[[nodiscard]] inline std::uint64_t fnv1a64(std::string_view text, std::uint64_t hash = fnv1a64_start) {
  return fnv1a64(std::as_bytes(std::span(text)), hash);
}

}  // namespace gpulab
