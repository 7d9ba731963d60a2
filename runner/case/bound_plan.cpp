#include "runner/case/bound_plan.h"

#include <fmt/format.h>

#include <stdexcept>

namespace gpulab {

BoundPlan::BoundPlan(Device& device, const DeviceBuffers& buffers, const std::vector<Step>& steps) : device_(device) {
  steps_.reserve(steps.size());
  for (const auto& step : steps) {
    if (step.copy.has_value() == !step.kernel.empty()) throw std::logic_error("a step is a launch or a copy");
    if (step.copy) {
      steps_.emplace_back(transfer(buffers, step));
    } else {
      steps_.emplace_back(launch(buffers, step));
    }
  }
}

Launch BoundPlan::launch(const DeviceBuffers& buffers, const Step& step) {
  auto found = kernels_.find(step.kernel);
  if (found == kernels_.end()) found = kernels_.emplace(step.kernel, device_.kernel(step.kernel)).first;
  Launch made{&found->second, {step.grid, step.block, step.dynamic_shared_bytes, step.cooperative, step.stream}, {}};
  made.arguments.reserve(step.arguments.size());
  for (const auto& argument : step.arguments) made.arguments.push_back(buffers.argument(argument));
  return made;
}

Transfer BoundPlan::transfer(const DeviceBuffers& buffers, const Step& step) {
  const auto& [to, from, first, count] = *step.copy;
  const auto &target = buffers.declared(to), &source = buffers.declared(from);
  if (target.type != source.type) throw std::logic_error(fmt::format("'{}' and '{}' differ in type", to, from));
  if (target.on_host && target.role == BufferRole::input)
    throw std::logic_error(fmt::format("'{}' is an input of the host's: nothing restores it", to));
  const bool to_device = source.on_host;
  const Transfer made{to_device, buffers.on_device(to_device ? to : from, first, count),
                      buffers.on_host(to_device ? from : to, first, count), step.stream};
  ++traffic_.copies;
  (to_device ? traffic_.bytes_to_device : traffic_.bytes_to_host) += made.host.size();
  return made;
}

void BoundPlan::issue() const {
  for (const auto& step : steps_) {
    if (const auto* launch = std::get_if<Launch>(&step)) {
      device_.launch(*launch->kernel, launch->config, launch->arguments);
    } else if (const auto& copy = std::get<Transfer>(step); copy.to_device) {
      device_.queue_write(copy.device, copy.host, copy.stream);
    } else {
      device_.queue_read(copy.host, copy.device, copy.stream);
    }
  }
}

std::vector<const Launch*> BoundPlan::launches() const {
  std::vector<const Launch*> all;
  for (const auto& step : steps_)
    if (const auto* launch = std::get_if<Launch>(&step)) all.push_back(launch);
  return all;
}

}  // namespace gpulab
