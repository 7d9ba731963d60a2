#pragma once
// One mistake each, put into a source that is right: what students do to it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

struct Mutation {
  std::string kind;        ///< "barrier", "guard", "comparison" …
  std::string what;        ///< "__syncthreads() is gone"
  std::uint32_t line = 0;  ///< of the source
  std::string text;        ///< the whole source with it
};

/// In the order of lines, each text once; at most `most`, then spread evenly over all that there are. Comments,
/// literals and what is outside of functions stay as they are.
[[nodiscard]] std::vector<Mutation> mutations_of(std::string_view source, std::size_t most);

}  // namespace gpulab
