#pragma once
// The tools of --sanitize all, as the simulator's options name them: a new tool is in every test that asks for all.

#include <string>
#include <vector>

#include "common/simt/observers/tool.h"

namespace gpulab::tests {

[[nodiscard]] inline std::vector<std::string> all_tools() {
  std::vector<std::string> names;
  for (const simt::ToolKind* kind : simt::tool_kinds()) names.emplace_back(kind->name);
  return names;
}

}  // namespace gpulab::tests
