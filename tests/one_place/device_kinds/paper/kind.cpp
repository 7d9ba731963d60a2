// A kind of device that is one file: pencil and paper. (It cheats: the simulator does its sums.)

#include "common/device/device_kind.h"

namespace gpulab::device_kind {

extern const DeviceKind paper{
    .name = "paper",
    .noun = "a sheet of paper",
    .capabilities = simulator_capabilities,
    .problem = [] { return std::string(); },
    .present = [] { return std::vector<DeviceInfo>(); },
    .describe = [](const DeviceRequest&) { return simulator_info(gpu_profile("t4")); },
    .open = [](const DeviceRequest& request) { return make_simulator(gpu_profile("t4"), request.simulation); },
    .listing = [] { return std::string("Paper (--device paper)\n  one sheet\n"); },
    .checks =
        [] {
          return std::vector<SystemCheck>{{SystemCheck::State::good, "paper", "one sheet", {}}};
        }};

}  // namespace gpulab::device_kind
