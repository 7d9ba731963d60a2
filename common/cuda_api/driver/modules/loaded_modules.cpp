#include "common/cuda_api/driver/modules/loaded_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/modules/readable_memory.h"
#include "common/cuda_api/fat_binary.h"
#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/demangle.h"
#include "common/error.h"
#include "common/ptx/parser.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  ///< of an image
constexpr std::uint32_t kElf = 0x464c457f, kFatBinary = 0xba55ed50, kWrapper = 0x466243b1;
constexpr std::size_t kWrapperData = 8;  ///< where a wrapper has the address of its fat binary

std::map<const void*, std::unique_ptr<LoadedModule>>& all() {
  static auto& modules = *new std::map<const void*, std::unique_ptr<LoadedModule>>;
  return modules;
}

/// What the session calls a module, for good.
std::string next_name(std::string name) {
  static std::uint64_t last = 0;
  return fmt::format("{}#{}", name.empty() ? "module" : std::move(name), ++last);
}

Reason no_module() {
  return {"there is no such module, or it has been unloaded", "check what loading it returned", false, true};
}

Reason no_ptx_there() {
  return {"what lies at this address is neither PTX nor a fat binary",
          "PTX is text that begins with .version and ends with a null byte"};
}

/// Names that a C++ function of the host's is asked for, where the kernel's is mangled.
Reason no_such_kernel(const LoadedModule& module, const std::string& name) {
  std::string has;
  for (const auto& kernel : module.kernels) {
    if (has.size() > 200) {
      has += ", …";
      break;
    }
    has += fmt::format("{}'{}'", has.empty() ? "" : ", ", kernel);
  }
  for (const auto& kernel : module.kernels)
    if (kernel_name(kernel) == name && kernel != name)
      return {fmt::format("the module has no kernel '{}', but '{}', which is its name in C++", name, kernel),
              "declare it extern \"C\", or ask for the mangled name (nvrtcGetLoweredName)"};
  return {fmt::format("the module has no kernel '{}'; it has {}", name, has.empty() ? "none" : has)};
}

[[noreturn]] void refuse_machine_code(Session& session, void* caller) {
  session.refuse(fmt::format("{} of machine code (a cubin), which only a GPU runs", session.name_of("a module")),
                 caller, "give it PTX: nvcc -ptx or -fatbin with code=compute_NN, nvrtcGetPTX");
}

std::uint32_t first_word(std::span<const std::byte> bytes) {
  std::uint32_t word = 0;
  if (bytes.size() >= sizeof word) std::memcpy(&word, bytes.data(), sizeof word);
  return word;
}

/// PTX for GPUs of 2008 has a multiplication with an addition that says no rounding; ptxas makes a fused one of it for
/// GPUs of today, to the nearest.
std::string of_today(std::string_view text) {
  std::string ptx(text);
  bool is_old = false;
  for (const std::string_view target : {".target sm_10", ".target sm_11", ".target sm_12", ".target sm_13"}) {
    const auto at = ptx.find(target);
    is_old |= at != std::string::npos && !std::isdigit(static_cast<unsigned char>(ptx[at + target.size()]));
  }
  if (!is_old) return ptx;
  for (const std::string_view old : {"mad.f32", "mad.sat.f32"})
    for (auto at = ptx.find(old); at != std::string::npos; at = ptx.find(old, at + old.size()))
      ptx.insert(at + std::string_view("mad").size(), ".rn");
  return ptx;
}

cudaError_t take_fat_binary(Session& session, std::span<const std::byte> bytes, GivenPtx& ptx) {
  try {
    const auto length = length_of(bytes);
    const auto images = images_of(length ? bytes.first(*length) : bytes);
    const auto& gpu = session.profile();
    const DeviceImage& image = ptx_for(gpu.compute_major * 10 + gpu.compute_minor, images);
    ptx = {image.name, image.content};
    return cudaSuccess;
  } catch (const Error& error) {
    return session.because(cudaErrorNoKernelImageForDevice, {error.what(), error.hint});
  }
}

/// "ptx:12:5" is line 12.
std::string line_in(const std::string& where) {
  const auto at = where.find(':');
  return at == std::string::npos ? "?" : where.substr(at + 1, where.find(':', at + 1) - at - 1);
}

}  // namespace

LoadedModule* loaded_module(const void* handle) {
  const auto found = all().find(handle);
  return found == all().end() ? nullptr : found->second.get();
}

const void* module_handle_of(const FunctionEntry& function) {
  for (const auto& [handle, module] : all())
    if (module->number == function.module) return handle;
  return nullptr;
}

cudaError_t take_ptx(Session& session, const void* image, std::size_t bytes, GivenPtx& ptx, void* caller) {
  if (image == nullptr) return session.because(cudaErrorInvalidValue, null_argument("image"));
  auto there = readable_from(image, bytes == 0 ? sizeof(std::uint64_t) : std::min(bytes, kMostBytes));
  switch (first_word(there)) {
    case kElf:
      refuse_machine_code(session, caller);
    case kWrapper: {
      const void* data = nullptr;
      there = readable_from(image, kWrapperData + sizeof data);
      if (there.size() < kWrapperData + sizeof data) break;
      std::memcpy(&data, there.data() + kWrapperData, sizeof data);
      return take_fat_binary(session, readable_from(data, kMostBytes), ptx);
    }
    case kFatBinary:
      return take_fat_binary(session, bytes == 0 ? readable_from(image, kMostBytes) : there, ptx);
    default:
      break;
  }
  std::string_view text = bytes == 0 ? readable_text(static_cast<const char*>(image), kMostBytes)
                                     : std::string_view(reinterpret_cast<const char*>(there.data()), there.size());
  text = text.substr(0, text.find('\0'));
  if (text.find(".version") == std::string_view::npos)
    return session.because(cudaErrorInvalidKernelImage, no_ptx_there());
  ptx.text = of_today(text);
  return cudaSuccess;
}

cudaError_t tell_wrong_ptx(Session& session, const Error& error, std::initializer_list<const JitOptions*> logs) {
  const std::string line = line_in(error.where);
  for (const JitOptions* log : logs)  // as ptxas has it
    log->tell_error(
        fmt::format("ptxas application ptx input, line {}; error   : {}\nptxas fatal   : Ptx assembly aborted "
                    "due to errors",
                    line, error.what()));
  return session.because(cudaErrorInvalidPtx,
                         {fmt::format("line {} of the PTX is wrong: {}", line, error.what()), error.hint});
}

cudaError_t read_given_file(Session& session, const char* path, std::string& bytes) {
  if (path == nullptr) return session.because(cudaErrorInvalidValue, null_argument("file's name"));
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0 || static_cast<std::size_t>(size) > kMostBytes)
    return session.because(cudaErrorFileNotFound, {fmt::format("there is no file '{}' that can be read", path),
                                                   "paths are relative to where the program is started"});
  bytes.resize(static_cast<std::size_t>(size));
  file.seekg(0);
  file.read(bytes.data(), size);
  return cudaSuccess;
}

cudaError_t load_text(Session& session, std::string name, std::string ptx, const JitOptions& jit, void** handle) {
  auto made = std::make_unique<LoadedModule>();
  made->context = session.context;
  jit.tell_time();
  try {
    const auto module = ptx::parse(ptx, "ptx", {}, ptx::TextOwner::caller);
    for (const auto& variable : module.variables)
      if (variable.is_managed) made->managed.emplace(variable.name);
    for (const auto entry : ptx::entry_names(ptx)) made->kernels.emplace_back(entry);
  } catch (const Error& error) {
    return tell_wrong_ptx(session, error, {&jit});
  }
  made->number = session.modules.add_text(next_name(std::move(name)), std::move(ptx));
  *handle = made.get();
  all()[*handle] = std::move(made);
  return cudaSuccess;
}

cudaError_t load_image(Session& session, const void* image, const JitOptions& jit, void** handle, void* caller) {
  if (handle == nullptr) return session.because(cudaErrorInvalidValue, null_argument("place for the module"));
  GivenPtx ptx;
  const auto error = take_ptx(session, image, 0, ptx, caller);
  return error != cudaSuccess ? error : load_text(session, std::move(ptx.name), std::move(ptx.text), jit, handle);
}

cudaError_t load_file(Session& session, const char* path, const JitOptions& jit, void** handle, void* caller) {
  if (handle == nullptr) return session.because(cudaErrorInvalidValue, null_argument("place for the module"));
  std::string bytes;
  if (const auto e = read_given_file(session, path, bytes); e != cudaSuccess) return e;
  bytes += '\0';
  GivenPtx ptx;
  const auto error = take_ptx(session, bytes.data(), bytes.size(), ptx, caller);
  if (error != cudaSuccess) return error;
  const std::string_view file(path);
  return load_text(session, std::string(file.substr(file.rfind('/') + 1)), std::move(ptx.text), jit, handle);
}

cudaError_t unload(Session& session, const void* handle) {
  const LoadedModule* module = loaded_module(handle);
  if (module == nullptr) return session.because(cudaErrorInvalidResourceHandle, no_module());
  if (const auto error = session.under_way.wait_for_all(); error != cudaSuccess) return error;
  session.modules.remove(module->number);
  all().erase(handle);
  return cudaSuccess;
}

void unload_modules_of(Session& session, std::uint64_t context) {
  for (auto one = all().begin(); one != all().end();) {
    const bool ends = one->second->context == context;
    if (ends) session.modules.remove(one->second->number);
    one = ends ? all().erase(one) : std::next(one);
  }
}

cudaError_t find_function(Session& session, const void* handle, const char* name, FunctionEntry** function) {
  const LoadedModule* module = loaded_module(handle);
  if (module == nullptr) return session.because(cudaErrorInvalidResourceHandle, no_module());
  if (name == nullptr || function == nullptr)
    return session.because(cudaErrorInvalidValue, null_argument(name == nullptr ? "name" : "place for the function"));
  const std::string wanted(readable_text(name, 1 << 16));
  if (std::ranges::find(module->kernels, wanted) == module->kernels.end())
    return session.because(cudaErrorSymbolNotFound, no_such_kernel(*module, wanted));
  *function = &session.modules.function_of(module->number, wanted);
  return cudaSuccess;
}

cudaError_t find_global(Session& session, const void* handle, const char* name, CUdeviceptr* address,
                        std::size_t* bytes) {
  const LoadedModule* module = loaded_module(handle);
  if (module == nullptr) return session.because(cudaErrorInvalidResourceHandle, no_module());
  if (name == nullptr) return session.because(cudaErrorInvalidValue, null_argument("name"));
  const std::string wanted(readable_text(name, 1 << 16));
  if (!session.variable_of(module->number, wanted))
    return session.because(cudaErrorSymbolNotFound, {fmt::format("the module has no variable '{}'", wanted),
                                                     "__device__ and __constant__ variables in namespaces, and static "
                                                     "ones, have other names in PTX: declare it extern \"C\""});
  void* managed = nullptr;
  const auto place =
      session.place_of({nullptr, wanted, module->number, 0, module->managed.contains(wanted) ? &managed : nullptr});
  if (address != nullptr) *address = place.address;
  if (bytes != nullptr) *bytes = place.bytes;
  return cudaSuccess;
}

}  // namespace gpulab::cuda_api
