#pragma once
// The tools of --sanitize. Each is one file, observers/tools/NAME.cpp, which defines `extern const ToolKind NAME` in
// the namespace `gpulab::simt::tools`; the build finds it there, and the command line's help, parsing and 'all' follow
// (scripts/cmake/tools.cmake).

#include <memory>
#include <span>
#include <string_view>

#include "common/simt/machine/observer.h"

namespace gpulab::simt {

class Accusations;
class Locator;
class TouchRecorder;
class UndefinedValues;

/// What the tools of a device share.
struct ToolParts {
  Locator& locator;
  UndefinedValues& values;
  Accusations& accusations;
  TouchRecorder& touched;
};

/// Why a tool leaves a launch whose memory it cannot follow any further (Accusations::warn_unchecked).
inline constexpr std::string_view kLacksMemory =
    "found no more memory for what it keeps of each access; the launch ran on without it: choose a smaller problem";

struct ToolKind {
  std::string_view name;
  /// Names are listed by it, the least first. Of what happens the tools are told in the opposite order: memcheck, which
  /// is listed first, may end a launch at once, when the others have looked at what happened.
  int rank;
  /// An observer that serves all grids of a device.
  std::unique_ptr<Observer> (*make)(const ToolParts& parts);
};

/// All tools, by rank.
[[nodiscard]] std::span<const ToolKind* const> tool_kinds();

}  // namespace gpulab::simt
