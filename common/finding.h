#pragma once
// What a sanitizer tool accuses a kernel of.

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/dim3.h"
#include "common/enum_text.h"

namespace gpulab {

struct FindingSite {
  std::string file;
  int line = 0;
  std::string access;  ///< "read", "write", "atomic", "barrier" …
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::string address;  ///< "in[4]", "s[35]"; empty where no memory is meant
};

enum class Severity : std::uint8_t { error, warning, note };
constexpr std::array<std::string_view, 3> words_of(Severity) { return {"error", "warning", "note"}; }

/// `tool` and `severity` in compute-sanitizer's terms; `count`: how often the pair of lines met.
struct Finding {
  std::string tool;
  Severity severity = Severity::error;
  std::string message;
  std::uint64_t count = 1;
  std::vector<FindingSite> at;
  std::string kernel{};    ///< of a race
  int reach = 0;           ///< of a race: 1, 2, 3: its threads are of one warp, one block, several blocks; 0: no race
  bool unchecked = false;  ///< accuses nobody: the tool has not watched all of the launch, and says why
};

/// Races of one kernel and pair of lines: one mistake, whatever the addresses, and whichever thread came first.
[[nodiscard]] inline bool is_one_mistake(const Finding& a, const Finding& b) {
  const auto lines = [](const Finding& f) {
    auto first = std::tie(f.at.front().file, f.at.front().line), second = std::tie(f.at.back().file, f.at.back().line);
    return second < first ? std::pair(second, first) : std::pair(first, second);
  };
  return a.reach != 0 && b.reach != 0 && a.tool == b.tool && a.kernel == b.kernel && !a.at.empty() && !b.at.empty() &&
         lines(a) == lines(b);
}

/// The race among these that is the same mistake; null: there is none.
[[nodiscard]] inline Finding* known_mistake(std::vector<Finding>& known, const Finding& finding) {
  const auto same = std::ranges::find_if(known, [&](const Finding& one) { return is_one_mistake(one, finding); });
  return same == known.end() ? nullptr : &*same;
}

/// Counts the same mistake once more. The one whose threads are farther apart is told, for its advice holds for both.
inline void join(Finding& known, Finding other) {
  const std::uint64_t count = known.count + other.count;
  if (other.reach > known.reach) known = std::move(other);
  known.count = count;
}

}  // namespace gpulab
