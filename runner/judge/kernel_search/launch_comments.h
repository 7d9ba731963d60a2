#pragma once
// `// gpulab: block 32x8 for 32x32`: how a source says which blocks its kernel is made for.

#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

/// The launches that comments ask for, a text each: "32x8 for 32x32", "128". A comment is of the kernel that it stands
/// in, else of the next one; a kernel without any of its own has those at the top of the file, above #include, say.
/// What stands between #if 0 and #endif counts: the text says it, whatever is compiled. `kernel`: without namespace and
/// template arguments.
[[nodiscard]] std::vector<std::string> launches_in_comments(std::string_view source, std::string_view kernel);

}  // namespace gpulab
