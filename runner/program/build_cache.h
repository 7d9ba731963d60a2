#pragma once
// Programs that were built before, and why they would come out the same: in the cache of compilers' results
// (runner/student_file/compile_cache.h).

#include <filesystem>
#include <optional>
#include <string>

#include "runner/program/build_program.h"

namespace gpulab {

struct BuiltProgram {
  std::string bytes;
  std::string messages;  ///< the compiler's warnings, shown at every run
};

class BuildCache {
 public:
  /// Nothing is known, and nothing kept, where the texts do not show all that a program is made of: object files, other
  /// languages than CUDA, folders that options name.
  BuildCache(const BuildRequest& request, const std::string& nvcc);

  [[nodiscard]] bool applies() const { return !key_.empty(); }
  [[nodiscard]] std::optional<BuiltProgram> known() const;
  /// `preprocessed`: the folder in which nvcc has kept what its preprocessor made of the files.
  void keep(const BuiltProgram& program, const std::filesystem::path& preprocessed) const;

 private:
  const BuildRequest& request_;
  std::string key_;
};

}  // namespace gpulab
