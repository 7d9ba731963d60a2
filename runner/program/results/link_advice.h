#pragma once
// What a linker misses, in the user's words: the library's option, or the program's file that has it.

#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

/// Sentences on the "undefined reference" of a link's log; `words` are nvcc's, with the program's files.
[[nodiscard]] std::vector<std::string> advice_on_linking(std::string_view log, const std::vector<std::string>& words);

}  // namespace gpulab
