#pragma once
// What a GPU adds to the contents of a trial (Result::contents) that it has timed: each buffer once more, as the last
// of the timed launches has left it, and the time of the launch that is verified, of data that no launch had seen.
// Contents go from the process that launches to the one that judges as they are, and a kernel that nobody trusts is
// judged there alone.

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "runner/case/result.h"

namespace gpulab {

/// What the names of the last timed launch's buffers begin with.
inline constexpr std::string_view kTimedPrefix = "timed ";
/// An entry of eight bytes: milliseconds. No buffer is called so.
inline constexpr std::string_view kFirstLaunch = "first launch, ms";

inline void add_first_launch(double ms, Result& result) {
  std::vector<std::byte> bytes(sizeof ms);
  std::memcpy(bytes.data(), &ms, sizeof ms);
  result.contents.emplace_back(kFirstLaunch, std::move(bytes));
}

/// Nothing where no GPU has timed it.
[[nodiscard]] inline std::optional<double> first_launch_ms(const Result& result) {
  for (const auto& [name, bytes] : result.contents) {
    double ms = 0;
    if (name != kFirstLaunch || bytes.size() != sizeof ms) continue;
    std::memcpy(&ms, bytes.data(), sizeof ms);
    return ms;
  }
  return std::nullopt;
}

}  // namespace gpulab
