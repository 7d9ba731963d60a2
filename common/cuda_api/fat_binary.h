#pragma once
// Fat binaries: what nvcc puts a program's device code into, several images of it, PTX or machine code, some of them
// compressed. NVIDIA does not document the format; fields are those that cuobjdump and the runtime agree on. Programs
// are strangers': every size is checked against the bytes that are there.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpulab::cuda_api {

/// One image.
struct DeviceImage {
  enum class Kind : std::uint16_t { ptx = 1, elf = 2 };
  Kind kind = Kind::ptx;
  int architecture = 0;  ///< 75
  std::string name;      ///< of the source file; may be empty
  std::string content;   ///< of PTX taken out of its compression; empty where that cannot be
  std::string problem;   ///< why it cannot
};

/// Images of a fat binary that begins with the first byte. Throws Error (missing) where it is none, or is cut off.
[[nodiscard]] std::vector<DeviceImage> images_of(std::span<const std::byte> fat_binary);

/// Its length, by its own header; nothing where it is none or longer than `fat_binary`.
[[nodiscard]] std::optional<std::size_t> length_of(std::span<const std::byte> fat_binary);

/// The PTX that a GPU of this architecture takes: the newest that is not newer than it; where all are newer, the
/// oldest, which the simulator reads, too. Throws Error (missing) where there is none, and says how to build it.
[[nodiscard]] const DeviceImage& ptx_for(int architecture, std::span<const DeviceImage> images);

}  // namespace gpulab::cuda_api
