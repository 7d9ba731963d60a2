#include "common/simt/observers/toolset.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "common/error.h"
#include "common/simt/observers/tool.h"

namespace gpulab::simt {

Toolset::Toolset(const std::vector<std::string>& names) {
  const auto kinds = tool_kinds();
  const auto is_on = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  for (const std::string& name : names)
    if (std::ranges::none_of(kinds, [&](const ToolKind* kind) { return kind->name == name; }))
      throw usage_error(fmt::format("unknown tool '{}'", name));
  if (names.empty()) return;
  for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind)
    if (is_on((*kind)->name)) tools_.push_back((*kind)->make({locator_, values_, accusations_, touched_}));
  observers_.push_back(&locator_);
  observers_.push_back(&values_);
  for (const auto& tool : tools_) observers_.push_back(tool.get());
  observers_.push_back(&accusations_);
  if (std::ranges::any_of(tools_, [](const auto& tool) { return (tool->watches() & kWatchAccesses) != 0; }))
    locator_.look();
}

}  // namespace gpulab::simt
