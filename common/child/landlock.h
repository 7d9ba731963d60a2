#pragma once
// Landlock, the kernel's rules for what files a process may open, by their system calls: the headers of Debian 12 know
// only its first versions.

#include "common/child/confinement.h"

namespace gpulab {

/// 1, 2, …; 0 where the kernel has none. $GPULAB_LANDLOCK is the newest that is used: tests ask what older kernels do.
[[nodiscard]] int landlock_version();
/// A ruleset's descriptor, or -1 where there is no Landlock. Paths that are not there are left out.
[[nodiscard]] int landlock_ruleset(const Confinement& confinement);
/// 0 or an errno. Needs no_new_privs.
[[nodiscard]] int landlock_enter(int ruleset);

}  // namespace gpulab
