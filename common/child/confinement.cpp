#include "common/child/confinement.h"

#include <link.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "common/child/landlock.h"
#include "common/child/seccomp.h"
#include "common/child/spawn_gate.h"

namespace gpulab {
namespace {

/// A child is this program again, and needs its libraries where they lie elsewhere (scripts/bundle.sh).
int add_library(dl_phdr_info* info, std::size_t, void* into) {
  auto& places = *static_cast<std::vector<std::string>*>(into);
  const std::string_view file = info->dlpi_name;
  const bool known =
      std::ranges::any_of(places, [&](const std::string& place) { return file.starts_with(place + "/"); });
  if (file.starts_with("/") && !known) places.emplace_back(file);
  return 0;
}

}  // namespace

std::vector<std::string> system_programs() {
  std::vector<std::string> places{"/usr/include",     "/usr/lib",       "/usr/lib32",     "/usr/lib64",
                                  "/usr/libexec",     "/usr/bin",       "/bin",           "/lib",
                                  "/lib64",           "/usr/local/lib", "/usr/local/bin", "/usr/local/include",
                                  "/etc/ld.so.cache", "/dev/urandom"};
  dl_iterate_phdr(add_library, &places);
  return places;
}

IsolationSupport isolation_support() { return {landlock_version(), has_seccomp()}; }

PreparedConfinement::PreparedConfinement(const Confinement& confinement, bool asks)
    : ruleset_(landlock_ruleset(confinement)) {
  const auto support = isolation_support();
  if (!support.seccomp) return;
  filter_ = refused_calls(support.landlock, {.alone = confinement.alone, .pairs = confinement.pairs});
  if (asks && has_spawn_gate())
    asking_ = refused_calls(support.landlock, {.alone = confinement.alone, .asks = true, .pairs = confinement.pairs});
}

PreparedConfinement::~PreparedConfinement() {
  if (ruleset_ >= 0) close(ruleset_);
}

int PreparedConfinement::enter(int ruleset, int& gate) const {
  gate = -1;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (ruleset >= 0) {
    if (const int error = landlock_enter(ruleset); error != 0) return error;
  }
  // EBUSY: somebody else is asked already, for we are confined ourselves.
  if (!asking_.empty()) {
    if (const int error = seccomp_enter(asking_, &gate); error != EBUSY) return error;
  }
  return filter_.empty() ? 0 : seccomp_enter(filter_);
}

}  // namespace gpulab
