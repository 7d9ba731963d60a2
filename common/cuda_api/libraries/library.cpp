#include "common/cuda_api/libraries/library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace gpulab::libraries {

cuda_api::LibraryRuntime& runtime() {
  using Find = cuda_api::LibraryRuntime* (*)();
  static cuda_api::LibraryRuntime* const found = [] {
    const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, cuda_api::kLibraryRuntime));
    return find == nullptr ? nullptr : find();
  }();
  if (found != nullptr) return *found;
  std::fputs("gpulab: this library simulates a GPU, and works under 'gpulab exec' alone\n", stderr);
  constexpr int missing = 3;
  _exit(missing);
}

void refuse(const std::string& function, void* caller, const std::string& hint) {
  runtime().refuse(function, caller, hint);
  std::abort();  // not reached: GCC does not believe a virtual function's [[noreturn]]
}

void hang(const std::string& function, const std::string& what, const std::string& hint, void* caller) {
  runtime().hang(function, what, hint, caller);
  std::abort();  // as above
}

}  // namespace gpulab::libraries

/// By its plain name, for functions that are not here (library_wrappers.py).
extern "C" [[noreturn]] void gpulab_library_refuse(const char* function, void* caller) {
  gpulab::libraries::refuse(function, caller);
}
