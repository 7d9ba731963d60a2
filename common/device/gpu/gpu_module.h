#pragma once
// PTX on a GPU: compiled by the driver when a kernel is first asked for.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/device/device.h"
#include "common/device/gpu/driver_api.h"
#include "common/device/ptx_entries.h"

namespace gpulab {

/// One PTX text, and what of it the driver has compiled. Needs its context current, at destruction too.
class GpuModule {
 public:
  GpuModule(const DriverApi& driver, const ModuleImage& image, std::optional<int> optimization);
  ~GpuModule();
  GpuModule(const GpuModule&) = delete;
  GpuModule& operator=(const GpuModule&) = delete;

  [[nodiscard]] std::vector<std::string_view> entry_names() const;  ///< mangled, those with a body
  /// The kernel with its parameter sizes and the driver's attributes; compiled now if it is not yet.
  Kernel kernel(std::string_view entry);

  /// Of a kernel that has been asked for.
  [[nodiscard]] std::optional<ModuleVariable> variable(const std::string& name) const;

 private:
  CUmodule compiled(std::string_view entry);
  CUmodule compile(const std::string& ptx);
  [[nodiscard]] std::vector<std::size_t> parameter_sizes(std::string_view entry) const;

  const DriverApi& driver_;
  std::string name_, ptx_;
  std::optional<int> optimization_;
  PtxOutline outline_;
  std::map<std::string, CUmodule, std::less<>> modules_;  ///< by entry; "" holds the whole text
};

}  // namespace gpulab
