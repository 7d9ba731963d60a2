#pragma once
// The suite's counters on the simulator beside those that Nsight Compute measured on a GPU (tests/data/fidelity_*.csv,
// written by scripts/fidelity.py). The rules (README.md beside this file): requests and sectors are equal;
// shared-memory wavefronts and bank conflicts within 5% of the wavefronts, for the hardware's arbitration adds some,
// and their difference equal. What differs nevertheless is listed with its cause in tests/data/fidelity_residuals.csv.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/counters.h"

namespace gpulab::fidelity {

/// Values of one launch, by ncu's metric names.
using Metrics = std::map<std::string, double>;

struct HardwareData {
  std::string gpu;                           ///< the file's name after "fidelity_": "h200"
  std::map<std::string, std::string> about;  ///< of the header: gpu, driver, ncu
  std::map<std::string, Metrics> cases;      ///< by Case::name
};

/// A judged counter of one case.
struct Judged {
  enum class Verdict {
    equal,
    within_noise,
    differs,
    not_measured,  ///< this ncu has no metric for it: the data say nothing
  };
  std::string counter;
  double simulator = 0, hardware = 0;
  Verdict verdict = Verdict::equal;
  bool operator==(const Judged&) const = default;
};

/// A judged counter that is not as on the GPU.
struct Difference {
  std::string gpu, name, counter;
  double simulator = 0, hardware = 0;
  bool operator==(const Difference&) const = default;
};
struct Residual {
  Difference difference;
  std::string cause;
};

/// Throws std::runtime_error that names the line of a malformed file.
[[nodiscard]] HardwareData parse_hardware(const std::string& text, const std::string& file);
[[nodiscard]] std::vector<Residual> parse_residuals(const std::string& text, const std::string& file);

/// Every judged counter, in the order of common/counters.h.
[[nodiscard]] std::vector<Judged> judged(const Counters& counters, const Metrics& metrics);

/// What is wrong: differences that no residual explains, residuals of this GPU that are no difference any more.
[[nodiscard]] std::vector<std::string> unexplained(const std::string& gpu, std::span<const Difference> found,
                                                   std::span<const Residual> residuals);

/// Of one counter, the cases in which the simulator or the GPU counted something, by verdict.
struct Row {
  std::string counter;
  std::map<Judged::Verdict, int> cases;
};
struct Comparison {
  /// Unexplained differences, residuals that are none, cases that the file lacks or that the suite has no longer.
  std::vector<std::string> wrong;
  std::vector<Row> table;
};
/// Runs the suite on the simulator and compares it with one data file.
[[nodiscard]] Comparison compare(const HardwareData& data, std::span<const Residual> residuals);

/// tests/data/fidelity_*.csv, without the residuals.
[[nodiscard]] std::vector<std::string> data_files();
[[nodiscard]] HardwareData read_hardware(const std::string& path);
[[nodiscard]] std::vector<Residual> read_residuals(const std::string& path);

}  // namespace gpulab::fidelity
