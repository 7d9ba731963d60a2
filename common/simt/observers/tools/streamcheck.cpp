// streamcheck: two operations of a program (kernels, copies, fills, accesses of the host) that touch one byte, one of
// them a write, with nothing that orders them. A kernel alone has no such: here its bytes are gathered, where whoever
// launches it asks for them (Device::keep_touched); operations are judged in common/cuda_api/ordering.

#include "common/simt/machine/block.h"
#include "common/simt/observers/accusations.h"
#include "common/simt/observers/locator.h"
#include "common/simt/observers/tool.h"
#include "common/simt/observers/touched/touch_recorder.h"

namespace gpulab::simt {

namespace {

class Streamcheck final : public Observer {
 public:
  explicit Streamcheck(const ToolParts& parts)
      : Observer(kWatchAccesses), locator_(parts.locator), touched_(parts.touched), accusations_(parts.accusations) {}

  void grid_started(const LaunchState& launch) override {
    program_ = launch.program;
    if (launch.grid_workspace) touched_.leave_out(launch.grid_workspace);
  }
  void grid_ended(const LaunchState&) override { program_ = nullptr; }
  void access(Warp&, const MicroOp*) override {
    if (touched_.is_on() && locator_.lanes()) touched_.access(locator_);
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
    if (program_) accusations_.warn_unchecked("streamcheck", *program_, kLacksMemory);
  }

 private:
  Locator& locator_;
  TouchRecorder& touched_;
  Accusations& accusations_;
  const Program* program_ = nullptr;  ///< that runs
};

}  // namespace

namespace tools {
extern const ToolKind streamcheck{"streamcheck", 50, [](const ToolParts& parts) -> std::unique_ptr<Observer> {
                                    return std::make_unique<Streamcheck>(parts);
                                  }};
}  // namespace tools

}  // namespace gpulab::simt
