// streamcheck: two operations of a program (kernels, copies, fills, accesses of the host) that touch one byte, one of
// them a write, with nothing that orders them. Of a launch of the host all bytes are gathered, where whoever launches
// it asks for them (Device::keep_touched); operations are judged in common/cuda_api/ordering. A kernel beside those
// that it launches is judged here (touched/child_order.h).

#include "common/simt/machine/block.h"
#include "common/simt/observers/accusations.h"
#include "common/simt/observers/locator.h"
#include "common/simt/observers/tool.h"
#include "common/simt/observers/touched/child_order.h"
#include "common/simt/observers/touched/touch_recorder.h"

namespace gpulab::simt {

namespace {

class Streamcheck final : public Observer {
 public:
  explicit Streamcheck(const ToolParts& parts)
      : Observer(kWatchAccesses | kWatchCompleted),
        locator_(parts.locator),
        touched_(parts.touched),
        accusations_(parts.accusations),
        children_(parts.locator, parts.accusations) {}

  void grid_started(const LaunchState& launch) override {
    program_ = launch.program;
    children_.grid_started(launch);
    if (launch.grid_workspace) touched_.leave_out(launch.grid_workspace);
  }
  void grid_ended(const LaunchState&) override { program_ = nullptr; }
  void access(Warp& w, const MicroOp* op) override {
    const bool by_children = children_.looks_at_accesses();
    if (!(touched_.is_on() || by_children) || !locator_.lanes()) return;
    const auto space = locator_.use().space;
    if (space == MemoryUse::Space::shared || space == MemoryUse::Space::cluster)
      return;  // a block's own, or a sibling's
    if (touched_.is_on()) touched_.access(locator_);
    if (by_children) children_.access(w, op);
  }
  void launched(const Warp& w, int lane) override { children_.launched(w, lane); }
  void barrier_completed(const BlockContext& block, std::uint32_t, bool everyone) override {
    if (everyone) children_.barrier_completed(block);
  }
  void written_for(const Warp& w, int, std::uint64_t address, std::uint64_t bytes) override {
    if (!touched_.is_on()) return;
    if (const Allocation* allocation = w.global->find(address); allocation && allocation->host)
      touched_.written(*allocation, address - allocation->address, bytes);
  }
  /// By a copy or a fill that a kernel has launched.
  void written(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes) override {
    if (touched_.is_on()) touched_.written(allocation, offset, bytes);
  }
  void index_freed(std::uint32_t allocation) override { touched_.index_freed(allocation); }
  void lacks_memory() override {
    touched_.keep(Touches::none);
    children_.forget();
    if (program_) accusations_.warn_unchecked("streamcheck", *program_, kLacksMemory);
  }

 private:
  Locator& locator_;
  TouchRecorder& touched_;
  Accusations& accusations_;
  ChildOrder children_;
  const Program* program_ = nullptr;  ///< that runs
};

}  // namespace

namespace tools {
extern const ToolKind streamcheck{"streamcheck", 50, [](const ToolParts& parts) -> std::unique_ptr<Observer> {
                                    return std::make_unique<Streamcheck>(parts);
                                  }};
}  // namespace tools

}  // namespace gpulab::simt
