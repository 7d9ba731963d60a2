#include "common/cuda_api/libraries/curand/vendor_tables.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace gpulab::curand {
namespace {

std::vector<std::string> places() {
  std::vector<std::string> all;
  if (const char* named = std::getenv("GPULAB_CURAND")) return {named};
  const auto toolkit = [&](const std::string& folder) {
    for (const char* library : {"lib64", "lib"}) all.push_back(folder + "/" + library + "/libcurand.so.10");
  };
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(name)) toolkit(folder);
  toolkit("/usr/local/cuda");
  return all;
}

template <typename Table>
bool give(void* library, const char* name, Table** table) {
  using Get = curandStatus_t (*)(Table**);
  const auto get = reinterpret_cast<Get>(dlsym(library, name));
  return get != nullptr && get(table) == CURAND_STATUS_SUCCESS && *table != nullptr;
}
template <typename Table>
bool give(void* library, const char* name, curandDirectionVectorSet_t set, Table** table) {
  using Get = curandStatus_t (*)(Table**, curandDirectionVectorSet_t);
  const auto get = reinterpret_cast<Get>(dlsym(library, name));
  return get != nullptr && get(table, set) == CURAND_STATUS_SUCCESS && *table != nullptr;
}

bool read(const std::string& file, VendorTables& t) {
  // Its own names before ours, which have the same names.
  void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
  constexpr const char *of32 = "curandGetDirectionVectors32", *of64 = "curandGetDirectionVectors64";
  return library != nullptr && give(library, of32, CURAND_DIRECTION_VECTORS_32_JOEKUO6, &t.plain32) &&
         give(library, of64, CURAND_DIRECTION_VECTORS_64_JOEKUO6, &t.plain64) &&
         give(library, of32, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6, &t.scrambled32) &&
         give(library, of64, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6, &t.scrambled64) &&
         give(library, "curandGetScrambleConstants32", &t.constants32) &&
         give(library, "curandGetScrambleConstants64", &t.constants64);
}

}  // namespace

const VendorTables* vendor_tables() {
  static const auto* const tables = []() -> const VendorTables* {
    auto* made = new VendorTables;
    for (const auto& file : places())
      if (read(file, *made)) return made;
    delete made;
    return nullptr;
  }();
  return tables;
}

}  // namespace gpulab::curand
