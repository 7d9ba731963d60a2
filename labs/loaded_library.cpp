#include "labs/loaded_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// A variable of the environment; nothing where it is empty.
const char* set_in_environment(const char* variable) {
  const char* value = variable == nullptr ? nullptr : std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

std::vector<std::string> candidates(const LibraryPlaces& places) {
  std::vector<std::string> names;
  if (const char* own = set_in_environment(places.variable)) names.emplace_back(own);
  std::vector<std::string> folders{""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = set_in_environment(variable)) folders.push_back(std::string(root) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::error_code none;
  if (const char* environment = set_in_environment("VIRTUAL_ENV"); environment != nullptr && places.wheel != nullptr)
    for (const auto& python : fs::directory_iterator(fs::path(environment) / "lib", none))
      folders.push_back((python.path() / "site-packages" / places.wheel / "").string());
  for (const auto& folder : folders)
    for (const auto& file : places.files) names.push_back(folder + file);
  return names;
}

}  // namespace

LoadedLibrary::LoadedLibrary(const LibraryPlaces& places) {
  for (const auto& name : candidates(places)) {
    handle_ = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle_ != nullptr) break;
    const char* why = dlerror();
    if (problem_.empty() && why != nullptr) problem_ = why;
  }
  if (handle_ != nullptr) problem_.clear();
}

void* LoadedLibrary::find(const char* name) {
  void* found = handle_ == nullptr ? nullptr : dlsym(handle_, name);
  if (handle_ != nullptr && found == nullptr) problem_ = fmt::format("it has no {}", name);
  return found;
}

}  // namespace gpulab
