#include "tests/differential/launcher.h"

#include <fmt/format.h>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"

namespace gpulab::differential {
namespace {

constexpr std::size_t kModulesEach = 64;

}  // namespace

void Launcher::renew() {
  auto fresh = make_();  // before the old one goes: a GPU keeps its context
  device_ = std::move(fresh);
  texts_.clear();
}

Buffers Launcher::run(const Program& program, const std::string& ptx) {
  // A device finds the first kernel of a name: the same seed, shrunk, needs another device.
  if (!device_ || texts_.size() >= kModulesEach || !seeds_.insert(program.seed).second) {
    renew();
    seeds_ = {program.seed};
  }
  texts_.push_back(ptx);
  device_->load({"differential", texts_.back(), {}});
  Buffers buffers = initial_buffers(program);
  const std::array<std::span<std::byte>, 5> parts = {std::as_writable_bytes(std::span(buffers.init)), buffers.input,
                                                     buffers.own, buffers.counters,
                                                     std::as_writable_bytes(std::span(buffers.out))};
  std::vector<DevicePointer> pointers;
  std::vector<KernelArgument> arguments;
  for (const auto& part : parts) {
    pointers.push_back(device_->allocate("buffer", part.size()));
    device_->write(pointers.back(), part);
    arguments.push_back(KernelArgument::of(pointers.back()));
  }
  try {
    device_->launch(device_->kernel(fmt::format("k{}", program.seed)), {program.grid, program.block}, arguments);
    device_->synchronize();
  } catch (...) {
    device_.reset();  // it may hold a module that is none, or a kernel that faulted
    throw;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    device_->read(parts[i], pointers[i]);
    device_->release(pointers[i]);
  }
  return buffers;
}

Launcher::MakeDevice simulator(int threads, std::uint64_t schedule) {
  return [=] {
    SimulatorOptions options;
    options.threads = threads;
    options.schedule = schedule;
    return make_simulator(gpu_profile("h200"), options);
  };
}

}  // namespace gpulab::differential
