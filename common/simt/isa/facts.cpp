#include "common/simt/isa/facts.h"

#include <algorithm>
#include <iterator>

namespace gpulab::simt {

namespace {

struct Named {
  std::string_view text;
  std::uint32_t facts;
};

/// By what the opcode begins with.
constexpr Named kinds[] = {
    {"ret", kReturn},
    {"exit", kExit},
    {"brx", kTableBranch},
    {"bar.warp.sync", kWarpBarrier},
    {"bar", kAligned},
    {"fence", kFence},
    {"membar", kFence},
    {"mbarrier", kMbarrier},
    {"shfl", kShuffle},
    {"shfl.sync.up", kShuffleUp},
    {"shfl.sync.down", kShuffleDown},
    {"shfl.sync.bfly", kShuffleXor},
    {"cp.async.bulk", kBulkCopy},
    {"cp.reduce.async.bulk", kBulkCopy},
    {"st.async", kBulkCopy | kAsyncStore},
    {"red.async", kBulkCopy | kAsyncStore},
    {"tensormap", kBulkCopy},
    {"div.rn", kQuotient},
    {"rcp.rn", kQuotient},
    {"sqrt.rn", kQuotient},
    {"nanosleep", kNap},
};

/// By what stands between two dots, up to "::".
constexpr Named modifiers[] = {
    {"global", kInGlobal},
    {"shared", kInShared},
    {"local", kInLocal},
    {"volatile", kVolatile},
    {"relaxed", kStrong | kRelaxed},
    {"acquire", kStrong | kAcquires},
    {"release", kStrong | kReleases},
    {"acq_rel", kStrong | kAcquires | kReleases},
    {"aligned", kAligned},
};

}  // namespace

std::uint32_t facts_of(std::string_view opcode) {
  std::uint32_t facts = 0;
  for (const Named& kind : kinds)
    if (opcode == kind.text || (opcode.starts_with(kind.text) && opcode[kind.text.size()] == '.')) facts |= kind.facts;
  for (std::size_t at = opcode.find('.'); at != std::string_view::npos;) {
    const std::size_t next = opcode.find('.', at + 1);
    std::string_view part = opcode.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
    if (part != "shared::cluster") part = part.substr(0, part.find("::"));  // which is a sibling's, maybe
    const auto known =
        std::find_if(std::begin(modifiers), std::end(modifiers), [&](const Named& m) { return m.text == part; });
    if (known != std::end(modifiers)) facts |= known->facts;
    at = next;
  }
  return facts;
}

}  // namespace gpulab::simt
