#include "common/child/spawn_gate.h"

#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

namespace gpulab {
namespace {

constexpr int at_once = 64;  // then the caller looks at what else it waits for

/// What a kernel writes may be longer than what its headers said when we were compiled.
seccomp_notif_sizes sizes() {
  seccomp_notif_sizes sizes{};
  if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0) return {};
  sizes.seccomp_notif = std::max<__u16>(sizes.seccomp_notif, sizeof(seccomp_notif));
  sizes.seccomp_notif_resp = std::max<__u16>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp));
  return sizes;
}

}  // namespace

bool has_spawn_gate() {
  // An answer may say "go on" since Linux 5.5, which cannot be asked for; this flag came with 5.7. A kernel that knows
  // all flags finds the missing filter next.
  constexpr unsigned since_5_7 = 1U << 4;
  constexpr unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC | since_5_7;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, nullptr) != 0 && errno == EFAULT &&
         sizes().seccomp_notif != 0;
}

SpawnGate::~SpawnGate() {
  if (descriptor_ >= 0) close(descriptor_);
}

void SpawnGate::answer(const std::function<bool()>& may) const {
  if (descriptor_ < 0) return;
  const auto bytes = sizes();
  std::vector<std::max_align_t> question_bytes(bytes.seccomp_notif / sizeof(std::max_align_t) + 1),
      answer_bytes(bytes.seccomp_notif_resp / sizeof(std::max_align_t) + 1);
  for (int asked = 0; asked < at_once; ++asked) {
    pollfd waiting{descriptor_, POLLIN, 0};
    if (poll(&waiting, 1, 0) != 1 || (waiting.revents & POLLIN) == 0) return;
    std::memset(question_bytes.data(), 0, question_bytes.size() * sizeof(std::max_align_t));
    std::memset(answer_bytes.data(), 0, answer_bytes.size() * sizeof(std::max_align_t));
    auto* question = reinterpret_cast<seccomp_notif*>(question_bytes.data());
    auto* answer = reinterpret_cast<seccomp_notif_resp*>(answer_bytes.data());
    if (ioctl(descriptor_, SECCOMP_IOCTL_NOTIF_RECV, question) != 0) continue;  // who asked has been killed
    if (!may()) return;
    answer->id = question->id;
    answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    (void)ioctl(descriptor_, SECCOMP_IOCTL_NOTIF_SEND, answer);
  }
}

}  // namespace gpulab
