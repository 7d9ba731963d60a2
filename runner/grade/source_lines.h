#pragma once
// Lines of a submission beside what is said of them: who reads a grade may not have the file at hand.

#include <string>
#include <string_view>

namespace gpulab {

/// `text`, then each line of the source that it names as "total.cu:5", the first few, cut to a width:
/// "total.cu:5 is: sum += in[i];".
[[nodiscard]] std::string with_source_lines(std::string text, std::string_view file, std::string_view source);

}  // namespace gpulab
