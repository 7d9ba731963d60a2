#pragma once
// Libraries that stand in for NVIDIA's (common/cuda_api/libraries), which this binary holds: put beside a program that
// is linked with them, and before the linker that asks for them by -l.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

struct MathLibrary {
  std::string_view name;    ///< "cublas": of -lcublas
  std::string_view soname;  ///< "libcublas.so.13"
  std::string_view header;  ///< of the toolkit's that it was made from
  std::string_view bytes;
};
[[nodiscard]] std::span<const MathLibrary> math_libraries();

/// The one of a soname; null: there is none.
[[nodiscard]] const MathLibrary* math_library(std::string_view soname);

/// Writes those of these sonames to a folder. Returns their paths, for LD_PRELOAD.
std::vector<std::string> put_math_libraries(const std::vector<std::string>& sonames,
                                            const std::filesystem::path& folder);

/// What nvcc needs to link with them, where its words ask for one: they come to `folder` under the linker's names, and
/// the words are -L of it. Nothing where no word asks. Static libraries of NVIDIA's become shared ones of ours.
[[nodiscard]] std::vector<std::string> linking_words(std::vector<std::string>& words,
                                                     const std::filesystem::path& folder);

/// The sonames of those that the words of a link name by -l.
[[nodiscard]] std::vector<std::string> sonames_of(const std::vector<std::string>& words);

/// The -I of headers that a source includes and nvcc does not find by itself: NVTX's since CUDA 13, which have a folder
/// of their own, and NCCL's, which come with a wheel.
[[nodiscard]] std::vector<std::string> header_words(const std::vector<std::string>& files, const std::string& nvcc);

/// The words -l for what the sources include: cuBLAS by its header.
[[nodiscard]] std::vector<std::string> libraries_of_sources(const std::vector<std::string>& files,
                                                            const std::vector<std::string>& words);

}  // namespace gpulab
