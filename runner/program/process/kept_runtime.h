#pragma once
// Our runtime in a folder of the user's that stays ($XDG_DATA_HOME/gpulab, else ~/.local/share/gpulab), one for each
// build of gpulab. Programs of `gpulab nvcc` find it there when they are started bare, as ./program; beside it stands
// which gpulab that was, for the report that GPULAB_REPORT asks for (common/cuda_api/runtime/host/bare_start.cpp).
// `exec` takes it from there, too: comparing 6 MB takes a fifth of the time that writing them takes.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpulab {

/// The folder with the library, whose bytes have just been compared; nothing where none can be kept, or others may
/// write to it.
[[nodiscard]] std::optional<std::filesystem::path> kept_runtime();

/// Words for a link by nvcc, such that the program looks there before it looks elsewhere. Those of `sonames` that are
/// ours (cuBLAS and its kin) are put into folders of their own there, at which this program alone looks.
[[nodiscard]] std::vector<std::string> words_for_bare_start(const std::vector<std::string>& sonames);

}  // namespace gpulab
