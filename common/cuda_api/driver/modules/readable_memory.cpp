#include "common/cuda_api/driver/modules/readable_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gpulab::cuda_api {
namespace {

constexpr std::size_t kPage = 4096;

/// The kernel reads a byte of each page for us, and says where it cannot.
class Probe {
 public:
  Probe() { open_ = pipe2(ends_, O_CLOEXEC | O_NONBLOCK) == 0; }
  ~Probe() {
    if (!open_) return;
    close(ends_[0]);
    close(ends_[1]);
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  [[nodiscard]] bool can_read(const std::byte* at) const {
    if (!open_ || write(ends_[1], at, 1) != 1) return false;
    std::byte taken{};
    return read(ends_[0], &taken, 1) == 1;
  }

 private:
  int ends_[2] = {-1, -1};
  bool open_ = false;
};

std::size_t to_end_of_page(const std::byte* at) { return kPage - reinterpret_cast<std::uintptr_t>(at) % kPage; }

}  // namespace

std::span<const std::byte> readable_from(const void* from, std::size_t most) {
  const Probe probe;
  const auto* const start = static_cast<const std::byte*>(from);
  std::size_t known = 0;
  while (known < most && start != nullptr && probe.can_read(start + known)) known += to_end_of_page(start + known);
  return {start, std::min(known, most)};
}

std::string_view readable_text(const char* from, std::size_t most) {
  const Probe probe;
  const auto* const start = reinterpret_cast<const std::byte*>(from);
  std::size_t known = 0;
  while (known < most && start != nullptr && probe.can_read(start + known)) {
    const std::size_t page = std::min(to_end_of_page(start + known), most - known);
    if (const void* end = std::memchr(start + known, 0, page)) {
      known = static_cast<std::size_t>(static_cast<const std::byte*>(end) - start);
      break;
    }
    known += page;
  }
  return {from, known};
}

}  // namespace gpulab::cuda_api
