#pragma once
// What CUDA once had and has no longer, as old books and courses call it: since when, and what stands for it now. The
// one table of such things: a row in dropped_names.cpp, and where `--old-cuda` supplies it, some lines of the header
// runner/program/old_cuda/old_cuda.cuh.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

struct DroppedName {
  std::string_view name;     ///< as the program writes it, and as nvcc quotes it
  std::string_view message;  ///< a part of nvcc's error that the name alone does not make: "no member"; empty: none
  std::string_view gone;     ///< "left with CUDA 13"
  std::string_view instead;  ///< what stands for it now
  std::string_view stands;   ///< what `--old-cuda` takes for it; empty: nothing honest can be
};
[[nodiscard]] std::span<const DroppedName> dropped_names();

/// A name that an error of nvcc speaks of, and where.
struct DroppedUse {
  const DroppedName* name;
  std::string file;
  int line = 0;
};
/// Of the log of a build, each name once, in the order of the errors.
[[nodiscard]] std::vector<DroppedUse> dropped_in(std::string_view log);

/// "scan.cu:12: __shfl left with …: write …".
[[nodiscard]] std::string in_words(const DroppedUse& use);

/// The first use of each name that `--old-cuda` supplies, in a file's text, outside of comments and strings.
[[nodiscard]] std::vector<DroppedUse> supplied_in(const std::string& file, std::string_view text);

}  // namespace gpulab
