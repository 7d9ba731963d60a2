#include "common/cuda_api/driver/modules/jit_options.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gpulab::cuda_api {

JitOptions::JitOptions(unsigned count, const CUjit_option* options, void** values) {
  if (options == nullptr || values == nullptr) return;
  for (unsigned i = 0; i < count; ++i) {
    // A size is given in place of a pointer, and taken back there.
    const auto size = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(values[i]));
    switch (options[i]) {
      case CU_JIT_ERROR_LOG_BUFFER:
        errors_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        errors_.bytes = size;
        errors_.size = &values[i];
        break;
      case CU_JIT_INFO_LOG_BUFFER:
        infos_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        infos_.bytes = size;
        infos_.size = &values[i];
        break;
      case CU_JIT_WALL_TIME:
        time_ = &values[i];
        break;
      default:
        break;
    }
  }
  // Nothing is in them so far.
  errors_.take({});
  infos_.take({});
}

void JitOptions::Log::take(std::string_view text) const {
  std::size_t taken = 0;
  if (buffer != nullptr && bytes > 0) {
    taken = std::min(text.size(), bytes - 1);
    std::memcpy(buffer, text.data(), taken);
    buffer[taken] = '\0';
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (size != nullptr) *size = reinterpret_cast<void*>(taken == 0 ? taken : taken + 1);
}

void JitOptions::tell_time() const {
  const float none = 0;  // nothing has been compiled
  if (time_ != nullptr) std::memcpy(time_, &none, sizeof none);
}

}  // namespace gpulab::cuda_api
