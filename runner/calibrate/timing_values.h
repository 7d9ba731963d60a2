#pragma once
// What the timing model has to know of a GPU, from what probes took there.

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "runner/calibrate/probe.h"

namespace gpulab::calibrate {

/// Which number of configs/timing follows from which probes, and how.
struct TimingRule {
  std::string_view field;                ///< TimingField::name
  std::vector<std::string_view> probes;  ///< ids
  std::string_view how;                  ///< "a chain of loads, less its arithmetic"
  double (*value)(const struct Measured& at) = nullptr;
};
[[nodiscard]] const std::vector<TimingRule>& timing_rules();

/// Readings of one GPU, and what follows from them first.
struct Measured {
  const Place& place;
  std::map<std::string, Probe, std::less<>> probes;  ///< by id
  const Readings& readings;
  double clock_ghz = 1, launch_ms = 0;

  [[nodiscard]] bool has(std::span<const std::string_view> ids) const;
  /// Cycles of one turn.
  [[nodiscard]] double cycles(std::string_view id) const;
  /// The same of all, by the time less a launch's.
  [[nodiscard]] double all_cycles(std::string_view id) const;
  [[nodiscard]] double ms(std::string_view id) const;
  [[nodiscard]] const Probe& probe(std::string_view id) const;
};
/// Throws std::out_of_range where the clock and an empty launch were not measured.
[[nodiscard]] Measured measured(const Place& place, const std::vector<Probe>& probes, const Readings& readings);

}  // namespace gpulab::calibrate
