#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gpulab::simt::compiled {

/// When kernels run as machine code.
enum class When : std::uint8_t {
  never,
  automatic,  ///< once it pays; GPULAB_COMPILED=off, =auto or =always has the last word
  always      ///< before the first launch, which waits for it
};
constexpr std::array<std::string_view, 3> words_of(When) { return {"off", "auto", "always"}; }

}  // namespace gpulab::simt::compiled
