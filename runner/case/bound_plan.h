#pragma once
// A plan's steps on a device: kernels looked up, arguments bound, copies resolved to addresses.

#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "common/device/device.h"
#include "labs/lab.h"
#include "runner/case/device_buffers.h"

namespace gpulab {

struct Launch {
  const Kernel* kernel;
  LaunchConfig config;
  std::vector<KernelArgument> arguments;
};

struct Transfer {
  bool to_device;
  DevicePointer device;
  std::span<std::byte> host;
  std::uint32_t stream;
};

/// What crosses the link between host and device in one run of a plan.
struct Traffic {
  std::uint64_t copies = 0, bytes_to_device = 0, bytes_to_host = 0;
};

class BoundPlan {
 public:
  /// The device and its buffers must outlive this. Throws what looking up a kernel throws, and logic_error for a plan
  /// that makes no sense (a lab's mistake).
  BoundPlan(Device& device, const DeviceBuffers& buffers, const std::vector<Step>& steps);
  BoundPlan(const BoundPlan&) = delete;  // launches point into it
  BoundPlan& operator=(const BoundPlan&) = delete;

  /// Queues all steps, each on its stream.
  void issue() const;

  [[nodiscard]] std::vector<const Launch*> launches() const;
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  [[nodiscard]] Launch launch(const DeviceBuffers& buffers, const Step& step);
  [[nodiscard]] Transfer transfer(const DeviceBuffers& buffers, const Step& step);

  Device& device_;
  std::map<std::string, Kernel, std::less<>> kernels_;  ///< plans of thousands of launches have few
  std::vector<std::variant<Launch, Transfer>> steps_;
  Traffic traffic_;
};

}  // namespace gpulab
