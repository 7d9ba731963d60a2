#include "runner/execution/executor.h"

#include <utility>

namespace gpulab {
namespace {

class InProcess final : public Executor {
 public:
  explicit InProcess(std::unique_ptr<Device> device) : device_(std::move(device)), runner_(*device_) {}
  [[nodiscard]] const DeviceInfo& info() const override { return device_->info(); }
  [[nodiscard]] Capabilities capabilities() const override { return device_->capabilities(); }
  [[nodiscard]] Result run(const Lab& lab, const Variant& variant, const Case& point,
                           const RunOptions& options) override {
    return runner_.run(lab, variant, point, options);
  }

 private:
  std::unique_ptr<Device> device_;
  CaseRunner runner_;
};

}  // namespace

std::unique_ptr<Executor> in_process(std::unique_ptr<Device> device) {
  return std::make_unique<InProcess>(std::move(device));
}

}  // namespace gpulab
