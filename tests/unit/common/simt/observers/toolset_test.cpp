// The tools that can be asked for, and what they ask of decode.
#include "common/simt/observers/toolset.h"

#include "common/error.h"
#include "common/simt/observers/tool.h"
#include "tests/catch.h"

namespace gpulab::simt {
namespace {

std::uint16_t watches_of(const std::vector<std::string>& names) {
  const Toolset tools(names);
  std::uint16_t watches = 0;
  for (const Observer* observer : tools.observers()) watches |= observer->watches();
  return watches;
}

TEST_CASE("tools are listed as help and messages name them") {
  std::vector<std::string_view> names;
  for (const ToolKind* kind : tool_kinds()) names.push_back(kind->name);
  names.resize(4);  // the terms of compute-sanitizer first
  CHECK(names == std::vector<std::string_view>{"memcheck", "racecheck", "initcheck", "synccheck"});
}

TEST_CASE("decode puts in what the tools that are on ask for, and no more") {
  CHECK(Toolset({}).observers().empty());
  CHECK(watches_of({"synccheck"}) == (kWatchCollectives | kWatchValues | kWatchWays | kWatchCompleted));
  CHECK(watches_of({"initcheck"}) == (kWatchAccesses | kWatchValues));
  CHECK(watches_of({"streamcheck"}) == (kWatchAccesses | kWatchCompleted));
  CHECK(watches_of({"memcheck"}) == (kWatchAccesses | kGapsInShared));
  CHECK(watches_of({"synccheck", "racecheck"}) ==
        (kWatchAccesses | kWatchFences | kWatchCollectives | kWatchValues | kWatchWays | kWatchCompleted));
}

TEST_CASE("a tool that is none is refused") { CHECK_THROWS_AS(Toolset({"memchek"}), Error); }

}  // namespace
}  // namespace gpulab::simt
