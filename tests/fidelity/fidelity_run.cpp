// The fidelity suite as a program, so that Nsight Compute can profile it: each case is one launch, in order.
//
// usage: fidelity_run --list                 case, kernel and grid of each launch, in order
//        fidelity_run --device gpu|sim       launches all; checks what memory holds afterwards
//        fidelity_run --agree DATA.csv RESIDUALS.csv
//                                          the simulator's counters beside a data file's (scripts/fidelity.py)
#include <fmt/format.h>

#include <exception>
#include <map>
#include <string>
#include <vector>

#include "common/device/gpu/gpu.h"
#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "tests/fidelity/agreement.h"
#include "tests/fidelity/model.h"
#include "tests/fidelity/suite.h"

namespace gpulab::fidelity {
namespace {

int list() {
  for (const Case& one : all_cases())
    fmt::print("{},{},{},{},{}\n", one.name(), one.kernel.substr(0, one.kernel.find('<')), one.grid.x, one.grid.y,
               one.grid.z);
  return 0;
}

int run(const std::string& kind) {
  const auto device = kind == "gpu" ? make_gpu(0) : make_simulator(gpu_profile("h200"));
  for (const auto& module : suite_modules()) device->load(module);
  int launched = 0, wrong = 0;
  for (const Case& one : all_cases()) {
    const auto after = launch(*device, one);
    ++launched;
    if (after == expected(one).buffers) continue;
    ++wrong;
    fmt::print("{}: memory is not what it must be\n", one.name());
  }
  fmt::print("{} cases on {}, {} wrong\n", launched, device->info().name, wrong);
  return wrong != 0;
}

/// Counters by cases in which either side counted something; then the causes of what differs.
void print_table(const HardwareData& data, const Comparison& comparison, const std::vector<Residual>& residuals) {
  using Verdict = Judged::Verdict;
  fmt::print("{:<36}{:>8}{:>11}{:>9}{:>14}\n", "counter", "equal", "within 5%", "differs", "not measured");
  for (const Row& row : comparison.table) {
    const auto of = [&](Verdict verdict) { return row.cases.contains(verdict) ? row.cases.at(verdict) : 0; };
    fmt::print("{:<36}{:>8}{:>11}{:>9}{:>14}\n", row.counter, of(Verdict::equal), of(Verdict::within_noise),
               of(Verdict::differs), of(Verdict::not_measured));
  }
  std::map<std::string, int> causes;
  for (const auto& residual : residuals)
    if (residual.difference.gpu == data.gpu) ++causes[residual.cause];
  for (const auto& [cause, count] : causes) fmt::print("{} differences: {}\n", count, cause);
}

int agree(const std::string& path, const std::string& residuals_path) {
  const HardwareData data = read_hardware(path);
  const auto residuals = read_residuals(residuals_path);
  const Comparison comparison = compare(data, residuals);
  for (const auto& line : comparison.wrong) fmt::print("{}\n", line);
  print_table(data, comparison, residuals);
  fmt::print("{} cases measured on {} (driver {}, ncu {}), {} disagreements\n", data.cases.size(), data.about.at("gpu"),
             data.about.at("driver"), data.about.at("ncu"), comparison.wrong.size());
  return !comparison.wrong.empty();
}

}  // namespace
}  // namespace gpulab::fidelity

int main(int count, char** arguments) {
  using namespace gpulab::fidelity;
  const std::string what = count > 1 ? arguments[1] : "", value = count > 2 ? arguments[2] : "";
  try {
    if (what == "--list") return list();
    if (what == "--device" && (value == "gpu" || value == "sim")) return run(value);
    if (what == "--agree" && count == 4) return agree(value, arguments[3]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 3;
  }
  fmt::print(stderr, "usage: fidelity_run --list | --device gpu|sim | --agree DATA.csv RESIDUALS.csv\n");
  return 2;
}
