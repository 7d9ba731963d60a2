#include "common/simt/observers/touched/child_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "common/ptx/lines.h"
#include "common/simt/device_runtime/device_launch.h"

namespace gpulab::simt {

namespace {

std::uint32_t number_of(const BlockContext& block) { return static_cast<std::uint32_t>(block.linear); }

std::string line_of(const Program& program, std::uint32_t site) {
  const ptx::Lines lines(*program.module, program.module->name);
  const auto line = lines.user_line(program.sites[site].instruction->location);
  return line.line == 0 ? program.name : fmt::format("{}:{}", lines.shown_file(line), line.line);
}

}  // namespace

void ChildOrder::forget() {
  launches_.clear();
  blocks_.clear();
  barriers_.clear();
  accesses_.clear();
  beside_.clear();
  child_ = 0;
}

void ChildOrder::grid_started(const LaunchState& launch) {
  level_ = launch.launches == nullptr ? 1 : launch.launches->level;
  if (level_ == 1) {
    // A tail launch is on its parent's level, and behind all that came before.
    forget();
    parent_ = launch.program;
    return;
  }
  if (level_ != 2) return;
  beside_.clear();
  const std::size_t number = child_++;
  if (number >= launches_.size()) return;
  const Launch& mine = launches_[number];
  for (const Access& access : accesses_) {
    const bool own = access.block == mine.block && access.thread == mine.thread && number < access.launched;
    if (own || (access.block == mine.block && number < access.at_barrier)) beside_.push_back(&access);
  }
}

void ChildOrder::launched(const Warp& w, int lane) {
  if (level_ != 1) return;
  launches_.push_back({number_of(*w.block), thread_in_block(w, lane)});
  blocks_.insert(number_of(*w.block));
}

void ChildOrder::barrier_completed(const BlockContext& block) {
  if (level_ == 1 && blocks_.contains(number_of(block))) barriers_[number_of(block)] = launches_.size();
}

void ChildOrder::access(const Warp& w, const MicroOp* op) {
  if (locator_.use().may_order()) return;
  if (level_ == 1 && !blocks_.contains(number_of(*w.block))) return;
  for (std::uint32_t left = locator_.lanes(); left; left &= left - 1)
    level_ == 1 ? keep(w, op, std::countr_zero(left)) : judge(w, op, std::countr_zero(left));
}

void ChildOrder::keep(const Warp& w, const MicroOp* op, int lane) {
  const Place place = locator_.place(lane);
  const MemoryUse& use = locator_.use();
  if (!place.allocation || accesses_.size() >= kMostAccesses) return;
  const std::uint32_t block = number_of(*w.block), thread = thread_in_block(w, lane);
  const auto barrier = barriers_.find(block);
  const std::size_t at_barrier = barrier == barriers_.end() ? 0 : barrier->second;
  const bool launches_itself =
      std::ranges::any_of(launches_, [&](const Launch& one) { return one.block == block && one.thread == thread; });
  if (at_barrier == 0 && !launches_itself) return;
  // Neighbours in one row are one access.
  if (!accesses_.empty()) {
    Access& last = accesses_.back();
    if (last.end == place.address && last.site == op->site && last.block == block && last.at_barrier == at_barrier &&
        last.launched == launches_.size() && at_barrier == launches_.size()) {
      last.end += use.bytes;
      return;
    }
  }
  accesses_.push_back(
      {place.address, place.address + use.bytes, block, thread, op->site, launches_.size(), at_barrier, use.store});
}

void ChildOrder::judge(const Warp& w, const MicroOp* op, int lane) {
  const Place place = locator_.place(lane);
  const MemoryUse& use = locator_.use();
  if (!place.allocation) return;
  for (const Access* access : beside_) {
    if (place.address >= access->end || access->first >= place.address + use.bytes) continue;
    if (!use.store && !access->writes) continue;
    accusations_.add(
        {.tool = "streamcheck",
         .message = fmt::format("{} what {}, which launched it, {} at {}, and a kernel cannot wait for those that it "
                                "launches; {} that in a "
                                "kernel that is launched behind this one, into cudaStreamTailLaunch or by the host",
                                use.store ? "writes" : "reads", parent_->name, access->writes ? "writes" : "reads",
                                line_of(*parent_, access->site), access->writes ? "write" : "read"),
         .address = name_of(*w.program, place, use.bytes),
         .first = suspect(w, lane, op->site)});
    return;
  }
}

}  // namespace gpulab::simt
