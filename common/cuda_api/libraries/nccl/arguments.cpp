#include "common/cuda_api/libraries/nccl/arguments.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <mutex>

namespace gpulab::nccl {
namespace {

/// Never destroyed: programs ask while they end.
struct LastError {
  std::mutex mutex;
  std::array<char, 1024> text{};
};
LastError& last() {
  static auto* const one = new LastError;
  return *one;
}

}  // namespace

void set_last_error(const std::string& text) {
  LastError& to = last();
  const std::lock_guard lock(to.mutex);
  to.text.at(text.copy(to.text.data(), to.text.size() - 1)) = '\0';
}

const char* last_error() { return last().text.data(); }

std::string refusal_of(const ncclConfig_t* config) {
  if (config == nullptr) return {};
  constexpr unsigned magic = 0xcafebeef;
  if (config->size < sizeof(ncclConfig_t) || config->magic != magic)
    return "the configuration does not begin as NCCL_CONFIG_INITIALIZER fills it in";
  const auto given = [](int value) { return value != std::numeric_limits<int>::min(); };  // NCCL_CONFIG_UNDEF_INT
  const auto switched = [&](int value) { return !given(value) || value == 0 || value == 1; };
  const auto positive = [&](int value) { return !given(value) || value > 0; };
  if (!switched(config->blocking)) return fmt::format("blocking is {}, not 0 or 1", config->blocking);
  if (given(config->cgaClusterSize) && config->cgaClusterSize < 0)
    return fmt::format("cgaClusterSize is {}", config->cgaClusterSize);
  if (!positive(config->minCTAs) || !positive(config->maxCTAs) ||
      (given(config->minCTAs) && given(config->maxCTAs) && config->minCTAs > config->maxCTAs))
    return fmt::format("minCTAs is {}, maxCTAs {}", config->minCTAs, config->maxCTAs);
  if (!switched(config->splitShare)) return fmt::format("splitShare is {}, not 0 or 1", config->splitShare);
  return {};
}

}  // namespace gpulab::nccl
