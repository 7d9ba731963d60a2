#pragma once
// A vendor's library that a lab calls where it is there: found and loaded at run time, so that the binary builds and
// starts without it.

#include <string>
#include <type_traits>
#include <vector>

namespace gpulab {

/// Where a library may be, in this order.
struct LibraryPlaces {
  std::vector<std::string> files;  ///< "libcublas.so.13": the loader looks for it by itself, then beside a toolkit
  const char* variable = nullptr;  ///< of the environment: names a file, which comes first
  const char* wheel = nullptr;     ///< "nvidia/nccl/lib": also in site-packages of an active Python environment
};

/// Stays loaded: what it has made lives as long as the process.
class LoadedLibrary {
 public:
  explicit LoadedLibrary(const LibraryPlaces& places);
  /// Sets it to the library's function of that name. Where there is none, that is the problem.
  template <typename Function>
  void take(Function& function, const char* name) {
    function = reinterpret_cast<std::decay_t<Function>>(find(name));  // NOLINT
  }
  /// Why it cannot be used, as the loader says it; or nothing.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void* find(const char* name);

  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace gpulab
