#pragma once
// `gpulab nvcc`: a build whose results say where the program drops what the runtime's functions return.

#include <string>
#include <vector>

namespace gpulab {

struct WatchedBuild {
  bool watched = true;    ///< the header of watched_functions.h can be
  bool old_cuda = false;  ///< with what CUDA has dropped (runner/program/old_cuda)
};
/// Runs nvcc with these words (the first is nvcc) and the header of watched_functions.h, its messages but for those
/// that this brings on our standard error as they come. Its exit code.
[[nodiscard]] int build_watched(const std::vector<std::string>& words, const WatchedBuild& how = {});
/// The same without the header, and without a look at the messages.
[[nodiscard]] int build_unwatched(const std::vector<std::string>& words);

/// What nvcc makes with these words: a program or objects, as paths.
[[nodiscard]] std::vector<std::string> made_by(const std::vector<std::string>& words);

}  // namespace gpulab
