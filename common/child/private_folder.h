#pragma once
// A folder of our own in $TMPDIR, else /tmp. It is gone with its object, or with the process, whatever ends that.

#include <filesystem>

namespace gpulab {

class PrivateFolder {
 public:
  /// Throws Error (missing) where no folder can be made.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gpulab
