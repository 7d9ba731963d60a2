#include "labs/vendor.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/launch_error.h"
#include "labs/vendor_interface.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "libgpulab_vendor.so";
constexpr const char* how_to_build =
    GPULAB_VENDOR_CAN_BE_BUILT
        ? "scripts/gpulab builds it on a machine with a GPU; by hand: cmake --build build --target gpulab_vendor"
        : "this build's CUDA compiler has no libcudart_static.a; build with a whole CUDA Toolkit (GPULAB_NVCC)";

struct Loaded {
  const vendor::Library* library = nullptr;
  std::string problem;
};

/// Stays loaded: the CUDA runtime in it lives as long as the process.
Loaded load(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return {nullptr, fmt::format("{} cannot be loaded: {}", file_name, why == nullptr ? path : why)};
  }
  const auto library =
      reinterpret_cast<const vendor::Library* (*)()>(dlsym(handle, "gpulab_vendor_library"));  // NOLINT
  if (library == nullptr) return {nullptr, fmt::format("{} is not gpulab's library of vendor code", path)};
  const vendor::Library* found = library();
  if (found->interface_version != vendor::interface_version ||
      std::string_view(found->sources) != GPULAB_VENDOR_SOURCES)
    return {nullptr, fmt::format("{} was built from other sources than this gpulab: {}", path, how_to_build)};
  return {found, {}};
}

/// Beside the program; tests lie in a folder below it, an installed program beside lib/.
Loaded search() {
  std::error_code unknown;
  const auto folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const char* place : {".", "..", "../lib"}) {
    const auto path = (folder / place / file_name).lexically_normal();
    if (!unknown && fs::exists(path, unknown)) return load(path.string());
  }
  return {nullptr, fmt::format("{}, the code of labs/*/vendor.cu, is not built: {}", file_name, how_to_build)};
}

const Loaded& loaded() {
  static const Loaded once = search();
  return once;
}

const vendor::Function* find(const std::string& name) {
  if (loaded().library == nullptr) return nullptr;
  const std::span functions(loaded().library->functions, loaded().library->function_count);
  for (const auto& function : functions)
    if (function.name == name) return &function;
  return nullptr;
}

/// The call as the interface has it. Views of `call`, which must outlive it.
class PlainCall {
 public:
  explicit PlainCall(const VendorCall& call) {
    for (const auto& [name, value] : call.params->values) {
      vendor::Param param{name.c_str(), nullptr, 0, 0};
      if (const auto* word = std::get_if<std::string>(&value)) param.word = word->c_str();
      if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        param.integer = *integer;
        param.real = static_cast<double>(*integer);
      }
      if (const auto* real = std::get_if<double>(&value)) {
        param.integer = static_cast<std::int64_t>(*real);
        param.real = *real;
      }
      params_.push_back(param);
    }
    for (const auto& [name, pointer] : call.buffers) buffers_.push_back({name.c_str(), pointer});
    plain_ = {params_.data(), params_.size(), buffers_.data(), buffers_.size(), call.workspace, call.workspace_bytes};
  }
  [[nodiscard]] const vendor::Call* get() const { return &plain_; }

 private:
  std::vector<vendor::Param> params_;
  std::vector<vendor::Buffer> buffers_;
  vendor::Call plain_{};
};

/// `work` on the function of that name; throws what it failed with.
template <typename Work>
auto call_by_name(const std::string& name, const VendorCall& call, const Work& work) {
  const vendor::Function* function = find(name);
  if (function == nullptr) throw Error(ExitCode::missing, vendor_code_lack(name));
  const PlainCall plain(call);
  vendor::Failure failure{};
  const auto result = work(*function, plain.get(), &failure);
  if (failure.kind == vendor::Failure::none) return result;
  if (failure.kind == vendor::Failure::defect) throw std::logic_error(fmt::format("{}: {}", name, failure.message));
  throw LaunchError(
      failure.kind == vendor::Failure::out_of_memory ? LaunchFailure::out_of_memory : LaunchFailure::fault,
      failure.message, failure.where);
}

}  // namespace

Vendor vendor_code(const std::string& name) {
  return {[name](const VendorCall& call) {
            return call_by_name(name, call, [](const auto& function, const auto* plain, auto* failure) {
              return function.workspace_bytes(plain, failure);
            });
          },
          [name](const VendorCall& call) {
            call_by_name(name, call, [](const auto& function, const auto* plain, auto* failure) {
              function.run(plain, failure);
              return true;
            });
          },
          [name] { return vendor_code_lack(name); }};
}

std::string vendor_code_lack(const std::string& name) {
  if (loaded().library == nullptr) return loaded().problem;
  return find(name) != nullptr ? "" : fmt::format("{} has no '{}': {}", file_name, name, how_to_build);
}

std::string vendor_library_problem(const std::string& path) { return load(path).problem; }

}  // namespace gpulab
