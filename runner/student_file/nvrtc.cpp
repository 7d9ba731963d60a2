#include "runner/student_file/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// Headers of the host that device code needs nothing of (printf, assert and math are built in). A file that includes
/// others holds host code, or wants libcu++'s <cuda/std/…>.
constexpr std::array empty_headers{"cstdio",  "stdio.h", "cstdlib",  "stdlib.h",       "cmath",
                                   "math.h",  "cassert", "assert.h", "cuda_runtime.h", "device_launch_parameters.h",
                                   "cstring", "string.h"};
constexpr std::array integer_headers{"cstdint", "stdint.h", "cstddef", "stddef.h"};
/// As libcu++ has them under NVRTC: the same type may be declared twice.
constexpr const char* integers =
    "#pragma once\n"
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;\n"
    "typedef unsigned long long uint64_t; typedef uint64_t uintptr_t; typedef int64_t intptr_t;\n";

}  // namespace

/// nvrtc.h, as far as it is used: every function returns 0 or an error.
struct Nvrtc::Api {
  using Program = void*;
  const char* (*nvrtcGetErrorString)(int) = nullptr;
  int (*nvrtcVersion)(int*, int*) = nullptr;
  int (*nvrtcGetNumSupportedArchs)(int*) = nullptr;
  int (*nvrtcGetSupportedArchs)(int*) = nullptr;
  int (*nvrtcCreateProgram)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*nvrtcDestroyProgram)(Program*) = nullptr;
  int (*nvrtcAddNameExpression)(Program, const char*) = nullptr;
  int (*nvrtcCompileProgram)(Program, int, const char* const*) = nullptr;
  int (*nvrtcGetProgramLogSize)(Program, std::size_t*) = nullptr;
  int (*nvrtcGetProgramLog)(Program, char*) = nullptr;
  int (*nvrtcGetPTXSize)(Program, std::size_t*) = nullptr;
  int (*nvrtcGetPTX)(Program, char*) = nullptr;

  void check(int status, const char* call) const {
    if (status != 0) throw Error(ExitCode::missing, fmt::format("NVRTC: {}: {}", call, nvrtcGetErrorString(status)));
  }
  using SizeOf = int (*)(Program, std::size_t*);
  using Get = int (*)(Program, char*);
  std::string text(Program program, SizeOf size_of, Get get) const {
    std::size_t size = 0;  // with the NUL at its end
    if (size_of(program, &size) != 0 || size <= 1) return {};
    std::string text(size, '\0');
    check(get(program, text.data()), "its text");
    text.resize(size - 1);
    return text;
  }
};

Nvrtc::Nvrtc(const std::string& library) : library_(dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)) {
  const auto missing = [&](const std::string& why) {
    return Error(ExitCode::missing, fmt::format("NVRTC cannot be used: {}", why), library);
  };
  if (library_ == nullptr) throw missing(dlerror());
  link_map* loaded = nullptr;
  path_ = dlinfo(library_, RTLD_DI_LINKMAP, &loaded) == 0 ? loaded->l_name : library;
  // NVRTC loads its builtins library by its bare name. The loader finds it under that name once it is loaded, so it is
  // loaded here, from NVRTC's own folder.
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(fs::path(path_).parent_path(), ignored)) {
    if (file.path().filename().string().starts_with("libnvrtc-builtins.so.")) dlopen(file.path().c_str(), RTLD_LAZY);
  }
  api_ = new Api;
  const auto take = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library_, name));
    if (function == nullptr) throw missing(fmt::format("it has no {}", name));
  };
#define TAKE(name) take(api_->name, #name)
  TAKE(nvrtcGetErrorString);
  TAKE(nvrtcVersion);
  TAKE(nvrtcGetNumSupportedArchs);
  TAKE(nvrtcGetSupportedArchs);
  TAKE(nvrtcCreateProgram);
  TAKE(nvrtcDestroyProgram);
  TAKE(nvrtcAddNameExpression);
  TAKE(nvrtcCompileProgram);
  TAKE(nvrtcGetProgramLogSize);
  TAKE(nvrtcGetProgramLog);
  TAKE(nvrtcGetPTXSize);
  TAKE(nvrtcGetPTX);
#undef TAKE
}

// The library stays loaded: NVRTC keeps threads and exit handlers of its own.
Nvrtc::~Nvrtc() { delete api_; }

std::string Nvrtc::version() const {
  int major = 0, minor = 0;
  api_->check(api_->nvrtcVersion(&major, &minor), "version");
  return fmt::format("{}.{}", major, minor);
}

int Nvrtc::architecture(int wanted) const {
  int count = 0;
  api_->check(api_->nvrtcGetNumSupportedArchs(&count), "architectures");
  std::vector<int> known(static_cast<std::size_t>(count));
  api_->check(api_->nvrtcGetSupportedArchs(known.data()), "architectures");
  std::sort(known.begin(), known.end());
  const auto above = std::upper_bound(known.begin(), known.end(), wanted);
  return above == known.begin() ? known.at(0) : *std::prev(above);
}

Nvrtc::Outcome Nvrtc::compile(const std::string& source, const std::string& name, const std::string& instance,
                              const std::vector<std::string>& options) const {
  std::vector<const char*> names, texts, flags;
  for (const char* header : empty_headers) names.push_back(header), texts.push_back("");
  for (const char* header : integer_headers) names.push_back(header), texts.push_back(integers);
  for (const auto& option : options) flags.push_back(option.c_str());
  Api::Program program = nullptr;
  api_->check(api_->nvrtcCreateProgram(&program, source.c_str(), name.c_str(), static_cast<int>(names.size()),
                                       texts.data(), names.data()),
              "nvrtcCreateProgram");
  if (!instance.empty()) {
    for (const auto& one : split(instance, '\n'))
      api_->check(api_->nvrtcAddNameExpression(program, one.c_str()), "nvrtcAddNameExpression");
  }
  Outcome outcome;
  outcome.succeeded = api_->nvrtcCompileProgram(program, static_cast<int>(flags.size()), flags.data()) == 0;
  outcome.log = api_->text(program, api_->nvrtcGetProgramLogSize, api_->nvrtcGetProgramLog);
  if (outcome.succeeded) outcome.ptx = api_->text(program, api_->nvrtcGetPTXSize, api_->nvrtcGetPTX);
  api_->check(api_->nvrtcDestroyProgram(&program), "nvrtcDestroyProgram");
  return outcome;
}

}  // namespace gpulab
