#pragma once
// The functions of both APIs whose results a program should look at, and a header for the host's compiler that makes
// it warn where one is dropped. The warnings are for us (nvcc_messages.h).

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

constexpr std::string_view watching_header = "gpulab_watched_functions.h";

/// The header's text. Where it knows nothing of a toolkit or a compiler, it is empty to them.
/// `has_driver`: with the driver's API, whose header nobody includes for nothing.
[[nodiscard]] std::string watching_header_text(bool has_driver = false);

/// "cudaMemcpy" of "cudaMemcpy_ptds" and "cudaMemcpy": as the runtime calls it; empty for what is not watched.
[[nodiscard]] std::string watched_name(std::string_view function);

/// May a build with these words for nvcc have the header? Not one that makes errors of warnings, writes what its
/// preprocessor saw, or lists the files that it has read where we do not find the list.
[[nodiscard]] bool may_watch(const std::vector<std::string>& words);
/// The file in which nvcc lists what it has read, beside what it makes (-MD -MF FILE); empty: none.
[[nodiscard]] std::string list_of_files(const std::vector<std::string>& words);
/// Takes the header out of such a list: make would look for it.
[[nodiscard]] std::string without_header(const std::string& list);

/// Writes the header into the folder, for the sources among these words; the words for nvcc that include it.
[[nodiscard]] std::vector<std::string> watching_words(const std::filesystem::path& folder,
                                                      const std::vector<std::string>& sources);

}  // namespace gpulab
