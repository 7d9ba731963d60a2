#include "labs/segsum/round_trip.h"

#include <vector>

#include "common/device/gpu/driver_api.h"
#include "labs/segsum/bags.h"

namespace gpulab::labs::segsum {
namespace {

CUdeviceptr address(const VendorCall& call, const char* buffer) {
  return reinterpret_cast<CUdeviceptr>(call.buffers.find(buffer)->second);
}

template <typename T>
std::vector<T> downloaded(const VendorCall& call, const char* buffer, std::size_t count) {
  std::vector<T> host(count);
  if (count == 0) return host;
  driver()->check(driver()->cuMemcpyDtoH(host.data(), address(call, buffer), count * sizeof(T)), DriverUse::memory,
                  buffer);
  return host;
}

/// All of x over the bus, a loop on the CPU, the sums back. The copies wait for what runs on the GPU before.
void run(const VendorCall& call) {
  const auto bags = static_cast<std::size_t>(call.params->integer("bags"));
  if (bags == 0) return;
  const auto first_row = downloaded<int>(call, "first_row", bags + 1);
  const auto x = downloaded<float>(call, "x", static_cast<std::size_t>(first_row.back()) * features);
  const auto fallback = downloaded<float>(call, "fallback", features);
  std::vector<float> out(bags * features);
  sum_bags(x, first_row, fallback, out);
  driver()->check(driver()->cuMemcpyHtoD(address(call, "out"), out.data(), out.size() * sizeof(float)),
                  DriverUse::memory, "out");
}

}  // namespace

Vendor round_trip() { return {nullptr, run, nullptr}; }

}  // namespace gpulab::labs::segsum
