#include "common/device/device_kind.h"

#include <fmt/format.h>

#include "common/text.h"

namespace gpulab {

const DeviceKind* find_device_kind(std::string_view name) {
  for (const auto* kind : device_kinds())
    if (kind->name == name) return kind;
  return nullptr;
}

std::optional<DeviceName> parse_device_name(std::string_view text) {
  constexpr std::int64_t most = 1023;
  const auto colon = text.find(':');
  const auto* kind = find_device_kind(text.substr(0, colon));
  if (kind == nullptr) return std::nullopt;
  if (colon == std::string_view::npos) return DeviceName{kind, std::nullopt};
  const auto index = parse_integer(text.substr(colon + 1));
  if (!kind->numbered || !index || *index > most) return std::nullopt;
  return DeviceName{kind, static_cast<int>(*index)};
}

std::string device_name(const DeviceKind& kind, int index) {
  return kind.numbered ? fmt::format("{}:{}", kind.name, index) : std::string(kind.name);
}

}  // namespace gpulab
