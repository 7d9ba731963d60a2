#include "common/device/simulator/repeated_launches.h"

#include <algorithm>
#include <cstring>

namespace gpulab {
namespace {

/// From the first byte that it loads or stores to the last.
Stretch all_of(const simt::UsedAllocation& used) {
  const std::uint64_t begin = std::min(used.loaded.bytes ? used.loaded.offset : UINT64_MAX, used.stored.offset);
  return {begin, std::max(used.loaded.end(), used.stored.end()) - begin};
}

}  // namespace

std::vector<std::uint64_t> RepeatedLaunches::shape_of(const Launch& launch) {
  const Dim3 &grid = launch.config.grid, &block = launch.config.block, &cluster = launch.config.cluster;
  return {launch.kernel,
          grid.x,
          grid.y,
          grid.z,
          block.x,
          block.y,
          block.z,
          launch.config.dynamic_shared_bytes,
          static_cast<std::uint64_t>(launch.config.carveout + 1),
          launch.config.cooperative,
          cluster.x,
          cluster.y,
          cluster.z};
}

bool RepeatedLaunches::is_as_it_was(const Known& known) const {
  return std::ranges::all_of(known.memory, [&](const simt::UsedAllocation& used) {
    return used.meets || (!versions_.has_changed(used.address, used.loaded, known.version) &&
                          !versions_.has_changed(used.address, used.stored, known.version));
  });
}

const RepeatedLaunches::Outcome* RepeatedLaunches::find(const Launch& launch) {
  const auto found = known_.find(key_of(launch));
  if (found == known_.end()) return nullptr;
  Known& known = found->second;
  const auto is_there = [&](const Contents& contents) {
    const std::byte* there = memory_.host(contents.address, contents.before.size());
    return there && std::memcmp(there, contents.before.data(), contents.before.size()) == 0;
  };
  const bool meets = std::ranges::any_of(known.memory, &simt::UsedAllocation::meets);
  const bool finds_the_same = std::ranges::all_of(known.contents, is_there);
  if ((meets && !known.has_contents) || !finds_the_same || !is_as_it_was(known)) {
    if (!finds_the_same && known.has_contents) ++known.misses;
    if (meets) keep_before(known);
    return nullptr;
  }
  for (const Contents& contents : known.contents) {
    std::memcpy(memory_.host(contents.address, contents.after.size()), contents.after.data(), contents.after.size());
    const std::uint64_t allocation = memory_.find(contents.address)->address;
    versions_.changed(allocation, {contents.address - allocation, contents.after.size()});
  }
  return &known.outcome;
}

void RepeatedLaunches::keep_before(Known& known) {
  drop_contents(known);
  if (known.misses >= kMostMisses) return;
  for (const auto& used : known.memory) {
    if (!used.meets) continue;
    const Stretch where = all_of(used);
    const std::byte* there = memory_.host(used.address + where.offset, where.bytes);
    if (!there || kept_bytes_ + 2 * where.bytes > kMostBytes) return drop_contents(known);
    kept_bytes_ += 2 * where.bytes;
    known.contents.push_back({used.address + where.offset, {there, there + where.bytes}, {}});
  }
}

void RepeatedLaunches::keep_after(Known& known) {
  for (Contents& contents : known.contents) {
    const std::byte* there = memory_.host(contents.address, contents.before.size());
    if (!there) return drop_contents(known);
    contents.after.assign(there, there + contents.before.size());
  }
  known.has_contents = !known.contents.empty();
}

void RepeatedLaunches::drop_contents(Known& known) {
  for (const Contents& contents : known.contents) kept_bytes_ -= 2 * contents.before.size();
  known.contents.clear();
  known.has_contents = false;
}

RepeatedLaunches::Outcome* RepeatedLaunches::ran(const Launch& launch, const simt::UsedMemory& used) {
  const Key key = key_of(launch);
  const auto before = known_.find(key);
  if (used.of_host) {
    if (before != known_.end()) drop_contents(before->second), known_.erase(before);
    return nullptr;
  }
  if (before == known_.end() && known_.size() >= kMostLaunches) known_.clear(), kept_bytes_ = 0;
  Known& known = known_[key];
  if (known.memory == used.allocations)
    keep_after(known);
  else
    drop_contents(known);
  known.memory = used.allocations;
  known.version = versions_.now();
  known.outcome = {};
  return &known.outcome;
}

}  // namespace gpulab
