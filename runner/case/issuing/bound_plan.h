#pragma once
// A plan's steps on a device: kernels looked up, arguments bound, copies resolved to addresses.

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/device/device.h"
#include "labs/lab.h"
#include "runner/case/device_buffers.h"
#include "runner/case/issuing/plan_order.h"

namespace gpulab {

struct Launch {
  const Kernel* kernel;
  LaunchConfig config;
  std::vector<KernelArgument> arguments;
};

/// A copy between the host's memory and a device's.
struct Transfer {
  bool to_device;
  DevicePointer device;
  std::span<std::byte> host;
  std::uint32_t stream;
  std::string name_to, name_from;
};

/// A copy within the device's memory, or between two of its GPUs.
struct DeviceCopy {
  DevicePointer to, from;
  std::size_t bytes;
  std::uint32_t stream;
  std::string name_to, name_from;
};

/// What crosses the link between host and device in one run of a plan, and those between GPUs in copies.
struct Traffic {
  std::uint64_t copies = 0, bytes_to_device = 0, bytes_to_host = 0, bytes_to_peers = 0;
};

class BoundPlan {
 public:
  /// The device and its buffers must outlive this. Throws what looking up a kernel throws, and logic_error for a plan
  /// that makes no sense (a lab's mistake).
  BoundPlan(Device& device, const DeviceBuffers& buffers, const std::vector<Step>& steps);
  BoundPlan(const BoundPlan&) = delete;  // launches point into it
  BoundPlan& operator=(const BoundPlan&) = delete;

  /// Queues all steps, each on its stream and its GPU, which begin together; stream 0 of the first has all of it behind
  /// it then.
  void issue() const;

  [[nodiscard]] std::vector<const Launch*> launches() const;
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }
  /// Whose streams or memory it uses, from the first.
  [[nodiscard]] int gpus() const { return gpus_; }
  /// What nothing has ordered of what was issued, where the tool streamcheck is on.
  [[nodiscard]] std::vector<Finding> take_findings() const { return order_.take_findings(); }

 private:
  [[nodiscard]] Launch launch(const DeviceBuffers& buffers, const Step& step);
  [[nodiscard]] Transfer transfer(const DeviceBuffers& buffers, const Step& step);
  [[nodiscard]] DeviceCopy device_copy(const DeviceBuffers& buffers, const Step& step);
  /// What a GPU loads, stores or copies of another's memory, it reaches without the host.
  void reach(int gpu, const Buffer& buffer);
  void issue(std::size_t step) const;
  void gather() const;
  /// Of the GPU that is in use.
  void mark(std::size_t mark, int gpu, std::uint32_t stream) const;
  void wait(std::size_t mark, int gpu, std::uint32_t stream) const;

  struct Bound {
    std::variant<Launch, Transfer, DeviceCopy> what;
    int gpu;
    std::uint32_t stream;
    std::vector<std::size_t> after;
    bool awaited = false;  ///< by a later one
  };
  Device& device_;
  std::map<std::pair<int, std::string>, Kernel> kernels_;  ///< by GPU and name; plans of thousands of launches have few
  std::vector<Bound> steps_;
  std::set<std::pair<int, int>> reached_;
  int gpus_ = 1;
  Traffic traffic_;
  mutable PlanOrder order_;
};

}  // namespace gpulab
