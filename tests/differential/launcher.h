#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "common/device/device.h"
#include "tests/differential/evaluate.h"
#include "tests/differential/program.h"

namespace gpulab::differential {

/// Runs programs on a device. A device keeps every module that it loads, so it is made anew now and then.
class Launcher {
 public:
  using MakeDevice = std::function<std::unique_ptr<Device>()>;
  explicit Launcher(MakeDevice make) : make_(std::move(make)) {}

  /// The buffers after a launch of the program's kernel in `ptx`. Throws what the device throws.
  [[nodiscard]] Buffers run(const Program& program, const std::string& ptx);

 private:
  void renew();

  MakeDevice make_;
  std::deque<std::string> texts_;
  std::set<std::uint64_t> seeds_;
  std::unique_ptr<Device> device_;
};

/// A simulator as Launcher wants it.
[[nodiscard]] Launcher::MakeDevice simulator(int threads = 1, std::uint64_t schedule = 0);

}  // namespace gpulab::differential
