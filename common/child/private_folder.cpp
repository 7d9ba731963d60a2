#include "common/child/private_folder.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "common/child/housekeeper.h"
#include "common/error.h"

namespace gpulab {

namespace fs = std::filesystem;

PrivateFolder::PrivateFolder() {
  const char* named = std::getenv("TMPDIR");
  const fs::path place = fs::absolute(named != nullptr && *named != '\0' ? named : "/tmp");
  for (int attempt = 0; path_.empty(); ++attempt) {
    std::uint64_t random = 0;  // not std::random_device: a package's would need the C library of 2022 (glibc 2.36)
    if (getrandom(&random, sizeof random, 0) != sizeof random) random = static_cast<std::uint64_t>(attempt);
    const auto path = place / fmt::format("gpulab-{:016x}", random);
    // Told before it is there: a signal between the two leaves nothing.
    Housekeeper::instance().remember_path(path);
    if (mkdir(path.c_str(), 0700) == 0) {
      path_ = path;
      break;
    }
    const int error = errno;
    Housekeeper::instance().forget_path(path);
    if (error == EEXIST && attempt < 10) continue;
    throw Error(ExitCode::missing, fmt::format("no folder can be made in {}: {}", place.string(), std::strerror(error)),
                {}, "the compiler needs one; TMPDIR names another place");
  }
}

PrivateFolder::~PrivateFolder() {
  std::error_code failed;
  fs::remove_all(path_, failed);
  if (!failed) Housekeeper::instance().forget_path(path_);
}

}  // namespace gpulab
