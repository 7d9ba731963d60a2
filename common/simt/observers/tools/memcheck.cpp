// memcheck: accesses out of bounds, misaligned or to freed memory, and frees of what was not allocated. The machine
// finds what no GPU would let pass; what lies within the block's shared memory, but beyond a variable's end, is found
// here.

#include <fmt/format.h>

#include <algorithm>

#include "common/simt/machine/faults.h"
#include "common/simt/observers/accusations.h"
#include "common/simt/observers/locator.h"
#include "common/simt/observers/shadows/dynamic_arrays.h"
#include "common/simt/observers/tool.h"

namespace gpulab::simt {

namespace {

class Memcheck final : public Observer {
 public:
  explicit Memcheck(const ToolParts& parts)
      : Observer(kWatchAccesses | kGapsInShared), locator_(parts.locator), accusations_(parts.accusations) {
    locator_.look_for_bounds();
  }

  void grid_started(const LaunchState& launch) override { arrays_.start(launch, locator_); }
  void block_started(const BlockContext& block) override { arrays_.block_started(block); }
  void block_ended(const BlockContext& block) override { arrays_.block_ended(block); }

  void access(Warp& w, const MicroOp* op) override {
    arrays_.access(w, op, locator_, accusations_);
    if (locator_.outside() < 0) return;
    const Place place = locator_.place(locator_.outside());
    const MemoryUse& use = locator_.use();
    if (const LocalVariable* meant = locator_.outside_of())
      fault(w, op, locator_.outside(),
            fmt::format("out-of-bounds {} of {} bytes at byte {} of '{}' in local memory, which has {} bytes",
                        use.store ? "store" : "load", use.bytes,
                        static_cast<std::int64_t>(place.address - w.local_base - meant->offset), meant->name,
                        meant->end - meant->offset),
            "compare the index with the number of elements before the access");
    const std::uint64_t window = place.local ? kLocalWindow : kSharedWindow;
    const std::uint64_t whose = place.sibling != nullptr ? rank_window(place.sibling->rank) : 0;
    fault_access(w, op, window + whose + place.address, locator_.outside(), use.bytes, use.store ? "store" : "load");
  }

  void faulted(Warp& w, const MicroOp* op, int lane, std::uint64_t address, const std::string& what) override {
    Place place;
    place.address = address;
    const std::uint32_t bytes = std::max<std::uint32_t>(locator_.use_at(op->site).bytes, 1);
    std::string name;
    if (address - kSharedWindow < kWindowBytes || address - kLocalWindow < kWindowBytes) {
      place.local = address - kLocalWindow < kWindowBytes;
      place.shared = !place.local;
      place.address = address & (kWindowBytes - 1);
      if (place.shared && w.own_window != 0) place.address %= kRankBytes;
      if (place.shared && lane == locator_.outside()) place.beyond = locator_.place(lane).beyond;
      name = name_of(*w.program, place, bytes);
    } else if (const Allocation* above = w.global->in_front_of(address)) {
      if ((above->address - address) % bytes == 0)
        name = fmt::format("{}[-{}]", above->name, (above->address - address) / bytes);
    } else if (const Allocation* below = w.global->overrun(address); below && address >= kGlobalStart) {
      place.allocation = below;
      place.offset = address - below->address;
      name = name_of(*w.program, place, bytes);
    }
    accusations_.add({.tool = "memcheck", .message = what, .address = name, .first = suspect(w, lane, op->site)});
  }

 private:
  Locator& locator_;
  Accusations& accusations_;
  DynamicArrays arrays_;
};

}  // namespace

namespace tools {
extern const ToolKind memcheck{"memcheck", 10, [](const ToolParts& parts) -> std::unique_ptr<Observer> {
                                 return std::make_unique<Memcheck>(parts);
                               }};
}  // namespace tools

}  // namespace gpulab::simt
