#include "runner/case/issuing/bound_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "common/device/used_gpu.h"

namespace gpulab {

BoundPlan::BoundPlan(Device& device, const DeviceBuffers& buffers, const std::vector<Step>& steps)
    : device_(device), order_(device) {
  for (const auto& step : steps) gpus_ = std::max(gpus_, step.gpu + 1);
  steps_.reserve(steps.size());
  for (const auto& step : steps) {
    if (step.copy.has_value() == !step.kernel.empty()) throw std::logic_error("a step is a launch or a copy");
    const UsedGpu used(device_, step.gpu);
    Bound bound{{}, step.gpu, step.stream, step.after};
    if (!step.copy)
      bound.what = launch(buffers, step);
    else if (buffers.declared(step.copy->to).on_host || buffers.declared(step.copy->from).on_host)
      bound.what = transfer(buffers, step);
    else
      bound.what = device_copy(buffers, step);
    for (const std::size_t before : step.after) {
      if (before >= steps_.size()) throw std::logic_error("a step waits for one that comes later");
      steps_[before].awaited = true;
    }
    steps_.push_back(std::move(bound));
  }
}

/// `gpu` is in use.
void BoundPlan::reach(int gpu, const Buffer& buffer) {
  gpus_ = std::max(gpus_, buffer.gpu + 1);
  if (!buffer.on_host && buffer.gpu != gpu && reached_.emplace(gpu, buffer.gpu).second) device_.reach(buffer.gpu, true);
}

Launch BoundPlan::launch(const DeviceBuffers& buffers, const Step& step) {
  const std::pair key(step.gpu, step.kernel);
  auto found = kernels_.find(key);
  if (found == kernels_.end()) found = kernels_.emplace(key, device_.kernel(step.kernel)).first;
  Launch made{&found->second, {step.grid, step.block, step.dynamic_shared_bytes, step.cooperative, step.stream}, {}};
  made.arguments.reserve(step.arguments.size());
  for (const auto& argument : step.arguments) {
    made.arguments.push_back(buffers.argument(argument));
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) reach(step.gpu, buffers.declared(buffer->buffer));
  }
  return made;
}

namespace {

void check_types(const DeviceBuffers& buffers, const Copy& copy) {
  if (buffers.declared(copy.to).type != buffers.declared(copy.from).type)
    throw std::logic_error(fmt::format("'{}' and '{}' differ in type", copy.to, copy.from));
}

}  // namespace

Transfer BoundPlan::transfer(const DeviceBuffers& buffers, const Step& step) {
  const auto& [to, from, first, count] = *step.copy;
  const auto &target = buffers.declared(to), &source = buffers.declared(from);
  check_types(buffers, *step.copy);
  if (target.on_host && target.role == BufferRole::input)
    throw std::logic_error(fmt::format("'{}' is an input of the host's: nothing restores it", to));
  const bool to_device = source.on_host;
  const Transfer made{to_device,
                      buffers.on_device(to_device ? to : from, first, count),
                      buffers.on_host(to_device ? from : to, first, count),
                      step.stream,
                      to,
                      from};
  ++traffic_.copies;
  (to_device ? traffic_.bytes_to_device : traffic_.bytes_to_host) += made.host.size();
  return made;
}

DeviceCopy BoundPlan::device_copy(const DeviceBuffers& buffers, const Step& step) {
  const auto& [to, from, first, count] = *step.copy;
  const auto &target = buffers.declared(to), &source = buffers.declared(from);
  check_types(buffers, *step.copy);
  const DeviceCopy made{buffers.on_device(to, first, count),
                        buffers.on_device(from, first, count),
                        count * size_of(target.type),
                        step.stream,
                        to,
                        from};
  for (const auto* side : {&target, &source}) reach(step.gpu, *side);
  ++traffic_.copies;
  if (target.gpu != source.gpu) traffic_.bytes_to_peers += made.bytes;
  return made;
}

void BoundPlan::mark(std::size_t mark, int gpu, std::uint32_t stream) const {
  device_.queue_mark(mark, stream);
  order_.marked(mark, gpu, stream);
}

void BoundPlan::wait(std::size_t mark, int gpu, std::uint32_t stream) const {
  device_.queue_wait(mark, stream);
  order_.waits(mark, gpu, stream);
}

void BoundPlan::issue(std::size_t step) const {
  const Bound& bound = steps_[step];
  const UsedGpu used(device_, bound.gpu);
  for (const std::size_t before : bound.after) wait(before, bound.gpu, bound.stream);
  if (const auto* launch = std::get_if<Launch>(&bound.what)) {
    order_.begin_launch();
    device_.launch(*launch->kernel, launch->config, launch->arguments);
    order_.end_launch(launch->kernel->cpp_name, step, bound.gpu, bound.stream);
  } else if (const auto* within = std::get_if<DeviceCopy>(&bound.what)) {
    device_.queue_copy(within->to, within->from, within->bytes, within->stream);
    order_.copied({within->to, within->from, within->bytes, within->name_to, within->name_from}, step, bound.gpu,
                  bound.stream);
  } else {
    const auto& copy = std::get<Transfer>(bound.what);
    if (copy.to_device)
      device_.queue_write(copy.device, copy.host, copy.stream);
    else
      device_.queue_read(copy.host, copy.device, copy.stream);
    const auto host = reinterpret_cast<DevicePointer>(copy.host.data());
    order_.copied({copy.to_device ? copy.device : host, copy.to_device ? host : copy.device, copy.host.size(),
                   copy.name_to, copy.name_from},
                  step, bound.gpu, bound.stream);
  }
  if (bound.awaited) mark(step, bound.gpu, bound.stream);
}

/// The first GPU's stream comes behind all others'.
void BoundPlan::gather() const {
  for (int gpu = 1; gpu < gpus_; ++gpu) {
    const std::size_t here = steps_.size() + static_cast<std::size_t>(gpu);
    {
      const UsedGpu used(device_, gpu);
      mark(here, gpu, 0);
    }
    wait(here, 0, 0);
  }
}

void BoundPlan::issue() const {
  gather();  // behind what has prepared the buffers of each
  const std::size_t begin = steps_.size();
  if (gpus_ > 1) mark(begin, 0, 0);
  for (int gpu = 1; gpu < gpus_; ++gpu) {
    const UsedGpu used(device_, gpu);
    wait(begin, gpu, 0);
  }
  for (std::size_t step = 0; step < steps_.size(); ++step) issue(step);
  gather();
}

std::vector<const Launch*> BoundPlan::launches() const {
  std::vector<const Launch*> all;
  for (const auto& step : steps_)
    if (const auto* launch = std::get_if<Launch>(&step.what)) all.push_back(launch);
  return all;
}

}  // namespace gpulab
