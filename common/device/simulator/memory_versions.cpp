#include "common/device/simulator/memory_versions.h"

#include <algorithm>

namespace gpulab {

void MemoryVersions::changed(std::uint64_t allocation, Stretch where) {
  auto& changes = changes_[allocation];
  std::erase_if(changes, [&](const Change& before) {
    return before.where.offset >= where.offset && before.where.end() <= where.end();
  });
  changes.push_back({where, ++now_});
  if (changes.size() > kMostChanges) {  // the two oldest become one
    const Stretch &first = changes[0].where, &second = changes[1].where;
    const std::uint64_t begin = std::min(first.offset, second.offset);
    changes[1].where = {begin, std::max(first.end(), second.end()) - begin};
    changes.erase(changes.begin());
  }
  if (changes_.size() <= kMostAllocations) return;
  changes_.clear();
  all_changed();
}

bool MemoryVersions::has_changed(std::uint64_t allocation, Stretch where, std::uint64_t since) const {
  if (all_ > since) return true;
  if (where.bytes == 0) return false;
  const auto found = changes_.find(allocation);
  return found != changes_.end() && std::ranges::any_of(found->second, [&](const Change& change) {
           return change.version > since && change.where.offset < where.end() && where.offset < change.where.end();
         });
}

}  // namespace gpulab
