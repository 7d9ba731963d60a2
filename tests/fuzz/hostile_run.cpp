#include "tests/fuzz/hostile_run.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/ptx/parser.h"
#include "tests/all_tools.h"

namespace gpulab::tests {
namespace {

constexpr std::size_t buffer_bytes = 4096, most_kernels = 4;
constexpr std::uint64_t most_instructions = 20'000;

SimulatorOptions options_of(std::uint64_t choice) {
  SimulatorOptions options;
  options.threads = choice % 5 == 4 ? 2 : 1;
  options.budget = most_instructions;
  options.counters = choice % 2 == 0;
  options.lines = choice % 7 == 0;
  options.print_limit = 4096;
  if (choice % 3 != 0) options.sanitize = all_tools();
  if (choice % 11 == 0) options.schedule = choice;
  return options;
}

/// A parameter of 8 bytes is taken for a pointer, a larger one for a struct of pointers.
KernelArgument argument_of(std::size_t bytes, DevicePointer buffer) {
  KernelArgument argument{std::vector<std::byte>(bytes)};
  const std::uint64_t value = bytes < 8 ? 32 : buffer;
  for (std::size_t at = 0; at < bytes; at += 8)
    std::memcpy(argument.bytes.data() + at, &value, std::min<std::size_t>(8, bytes - at));
  return argument;
}

void launch(Device& device, const Kernel& kernel, DevicePointer buffer, std::uint64_t choice) {
  std::size_t all = 0;
  for (const auto bytes : kernel.parameter_sizes) all += bytes;
  if (all > std::size_t{1} << 20) return;  // a GPU takes 32 764 bytes; they are filled here, before anybody counts them
  std::vector<KernelArgument> arguments;
  for (const auto bytes : kernel.parameter_sizes) arguments.push_back(argument_of(bytes, buffer));
  const LaunchConfig config{{2, 1, 1}, {64, 1, 1}, 1024, choice % 13 == 0};
  device.launch(kernel, config, arguments);
  device.synchronize();
}

/// Whether the kernel ran to its end.
bool runs(Device& device, const std::string& entry, DevicePointer buffer, std::uint64_t choice, std::string* said) {
  bool ran = true;
  try {
    launch(device, device.kernel(entry), buffer, choice);
  } catch (const Error& error) {
    ran = false;
    if (said != nullptr) *said += std::string(error.what()) + '\n';
  }
  (void)device.take_counters();
  (void)device.take_lines();
  (void)device.take_findings();
  (void)device.take_output();
  (void)device.take_output_cut();
  std::vector<std::byte> bytes(buffer_bytes);
  device.read(bytes, buffer);
  return ran;
}

}  // namespace

Outcome run_hostile(std::string_view ptx, std::uint64_t choice, std::string* said) {
  std::vector<std::string> entries;
  const auto device = make_simulator(gpu_profile("h200"), options_of(choice));
  try {
    for (const auto& entry : ptx::entry_names(ptx)) entries.emplace_back(entry);
    device->load({"hostile.ptx", ptx, {}});
  } catch (const Error& error) {
    if (said != nullptr) *said += std::string(error.what()) + '\n';
    return Outcome::refused;
  }
  const auto buffer = device->allocate("buffer", buffer_bytes);
  device->fill(buffer, std::byte{1}, buffer_bytes);
  bool all_ran = !entries.empty();
  for (std::size_t i = 0; i < std::min(entries.size(), most_kernels); ++i)
    all_ran &= runs(*device, entries[i], buffer, choice, said);
  return all_ran ? Outcome::ran : Outcome::failed;
}

}  // namespace gpulab::tests
