#pragma once
// What orders the steps of a plan, where the tool streamcheck is on: two steps of different streams or GPUs that touch
// one byte, one of them writing, and no wait between them, are a finding. The simulator takes steps in the order of the
// plan, so that such a plan is right there, always; on GPUs it is right at times.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/cuda_api/ordering/operations.h"
#include "common/cuda_api/ordering/ordering.h"
#include "common/device/device.h"
#include "common/finding.h"

namespace gpulab {

class PlanOrder {
 public:
  explicit PlanOrder(Device& device) : device_(device), on_(device.keeps_touched()) {}

  void begin_launch() {
    if (on_) device_.keep_touched(simt::Touches::all);
  }
  void end_launch(const std::string& kernel, std::size_t step, int gpu, std::uint32_t stream);
  /// A copy: what it reads and writes of the device's memory (0: nothing), and the names of the two.
  struct Copied {
    DevicePointer to = 0, from = 0;
    std::uint64_t bytes = 0;
    std::string name_to{}, name_from{};
  };
  void copied(const Copied& copy, std::size_t step, int gpu, std::uint32_t stream);
  void marked(std::size_t mark, int gpu, std::uint32_t stream);
  void waits(std::size_t mark, int gpu, std::uint32_t stream);

  [[nodiscard]] std::vector<Finding> take_findings() { return std::move(findings_); }

 private:
  [[nodiscard]] cuda_api::Ordering::Stream stream_of(int gpu, std::uint32_t stream);
  void add(cuda_api::Operation operation);
  void tell(const cuda_api::Operation& earlier, const cuda_api::Operation& later, const cuda_api::Conflict& conflict);

  static constexpr std::size_t kMostFindings = 100;
  Device& device_;
  const bool on_;
  cuda_api::Ordering ordering_;
  cuda_api::Operations operations_{ordering_};
  std::map<std::size_t, cuda_api::Mark> marks_;
  std::vector<Finding> findings_;
};

}  // namespace gpulab
