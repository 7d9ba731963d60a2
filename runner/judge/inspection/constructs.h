#pragma once
// What a kernel is made of, as its PTX shows it: atomics, barriers, shuffles … What it does with them is a counter's
// affair (runner/judge/requirement.h).

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

struct Construct {
  std::string_view name;   ///< "atomics"
  std::string_view about;  ///< what counts as one
};
[[nodiscard]] std::span<const Construct> constructs();

/// Names of those that an entry has, or a function that it may call, in the order of constructs().
[[nodiscard]] std::vector<std::string> constructs_of(std::string_view ptx, std::string_view entry);

}  // namespace gpulab
