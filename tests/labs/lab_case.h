#pragma once
// Cases of labs on the simulator, for the tests of all labs (labs_test.cpp) and of one (NAME_lab_test.cpp).

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "labs/registry.h"
#include "runner/case/run_case.h"

namespace gpulab {

struct Simulation {
  explicit Simulation(const SimulatorOptions& options = {.threads = 2}, std::string_view profile = "h200")
      : gpu(gpu_profile(profile)), device(make_simulator(gpu, options)), runner(*device) {}
  const GpuProfile& gpu;
  std::unique_ptr<Device> device;
  CaseRunner runner;
};

/// Where the tests of all labs run: the simulator, or with GPULAB_LABS_DEVICE=gpu the first GPU (scripts/gpu_test.sh).
class TestedDevice {
 public:
  TestedDevice();
  [[nodiscard]] bool is_gpu() const { return device->capabilities().runs_vendor_code; }
  [[nodiscard]] bool runs(const Variant& variant) const;  ///< does it have what the variant needs?
  std::unique_ptr<Device> device;
  const GpuProfile& gpu;
  CaseRunner runner;
};

/// The labs under test: all, or those that the environment's GPULAB_LABS names ("scan,matmul"), for whoever writes one.
[[nodiscard]] const std::vector<Lab>& tested_labs();
[[nodiscard]] const Lab& lab_named(std::string_view name);
[[nodiscard]] const Variant& variant_named(const Lab& lab, std::string_view name);

/// The lab's defaults, and of words that the variant does not take the first that it does.
[[nodiscard]] Case default_case(const Lab& lab, const Variant& variant, const GpuProfile& gpu);

/// Integer parameters that are sizes of the data.
[[nodiscard]] std::vector<std::string> sizes_of(const Lab& lab);

/// Runs one case of a lab with its counters: parameters and block where they differ from the defaults.
///   const Result r = run_lab_case("transpose", "tiled", {{"rows", 256}, {"cols", 256}});
///   CHECK((*r.counters)["shared_load_bank_conflicts"] == …)
struct CaseChanges {
  std::optional<Dim3> block{}, grid{};
  std::vector<std::string> sanitize{};
};
[[nodiscard]] Result run_lab_case(std::string_view lab, std::string_view variant,
                                  const std::map<std::string, ParamValue>& params = {},
                                  const CaseChanges& changes = {});

/// The value of a counter (flat name) or metric of a result; NaN where it has none.
[[nodiscard]] double counted(const Result& result, std::string_view name);

}  // namespace gpulab
