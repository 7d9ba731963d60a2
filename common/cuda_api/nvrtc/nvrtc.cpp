// NVRTC, one function after another. Nothing of ours but the options of a compilation and what its result is called.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Result = int;
using Program = void*;
constexpr Result kInvalidInput = 3;  // NVRTC_ERROR_INVALID_INPUT
constexpr int kMissing = 3;          ///< what gpulab ends with where something is not there

void* open_library() {
  const char* path = std::getenv("GPULAB_NVRTC");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND | RTLD_NODELETE);
  if (library == nullptr) {
    std::fprintf(
        stderr,
        "gpulab: the program compiles with NVRTC, and there is none here: %s\n"
        "  hint: install the CUDA Toolkit's, or pip install nvidia-cuda-nvrtc; GPULAB_NVRTC names the library\n",
        path == nullptr ? "none was found" : dlerror());
    std::fflush(nullptr);
    _exit(kMissing);
  }
  // It looks for its builtins by their bare name, which the loader knows once they are loaded.
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(path).parent_path(), ignored))
    if (file.path().filename().string().starts_with("libnvrtc-builtins.so.")) dlopen(file.path().c_str(), RTLD_LAZY);
  return library;
}

/// NVIDIA's function of that name; null where that version has none.
void* real(const char* name) {
  static void* const library = open_library();
  return dlsym(library, name);
}

template <typename... Arguments>
Result forward(const char* name, Arguments... arguments) {
  auto* const function = reinterpret_cast<Result (*)(Arguments...)>(real(name));
  return function == nullptr ? kInvalidInput : function(arguments...);
}

struct Compiled {
  std::mutex mutex;
  std::map<Program, bool> for_a_gpu;  ///< its options name one, sm_90: it is asked for machine code
};
Compiled& compiled() {
  static auto& all = *new Compiled;
  return all;
}

bool is_for_a_gpu(Program program) {
  const std::lock_guard lock(compiled().mutex);
  const auto found = compiled().for_a_gpu.find(program);
  return found != compiled().for_a_gpu.end() && found->second;
}

/// Options as NVRTC takes them, but for a virtual architecture alone.
struct Options {
  std::vector<std::string> words;
  bool for_a_gpu = false, has_lines = false;

  void take(std::string word) {
    const std::string_view text(word);
    has_lines |= text == "-lineinfo" || text == "--generate-line-info" || text == "-G" || text == "--device-debug";
    const auto at = text.find("sm_");
    const bool is_value =
        at == 0 && !words.empty() && (words.back() == "-arch" || words.back() == "--gpu-architecture");
    if (at != std::string_view::npos &&
        (is_value || text.starts_with("-arch=") || text.starts_with("--gpu-architecture="))) {
      word.replace(at, 3, "compute_");
      for_a_gpu = true;
    }
    words.push_back(std::move(word));
  }
};

}  // namespace

extern "C" {

const char* nvrtcGetErrorString(Result result) {
  auto* const function = reinterpret_cast<const char* (*)(Result)>(real("nvrtcGetErrorString"));
  return function == nullptr ? "NVRTC_ERROR unknown" : function(result);
}

Result nvrtcCompileProgram(Program program, int count, const char* const* options) {
  Options mine;
  for (int i = 0; i < count && options != nullptr; ++i)
    if (options[i] != nullptr) mine.take(options[i]);
  if (!mine.has_lines) mine.words.emplace_back("-lineinfo");
  {
    const std::lock_guard lock(compiled().mutex);
    compiled().for_a_gpu[program] = mine.for_a_gpu;
  }
  std::vector<const char*> words;
  for (const auto& word : mine.words) words.push_back(word.c_str());
  return forward("nvrtcCompileProgram", program, static_cast<int>(words.size()), words.data());
}

Result nvrtcGetCUBINSize(Program program, std::size_t* bytes) {
  return forward(is_for_a_gpu(program) ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", program, bytes);
}
Result nvrtcGetCUBIN(Program program, char* code) {
  return forward(is_for_a_gpu(program) ? "nvrtcGetPTX" : "nvrtcGetCUBIN", program, code);
}

Result nvrtcDestroyProgram(Program* program) {
  if (program != nullptr) {
    const std::lock_guard lock(compiled().mutex);
    compiled().for_a_gpu.erase(*program);
  }
  return forward("nvrtcDestroyProgram", program);
}

Result nvrtcVersion(int* major, int* minor) { return forward("nvrtcVersion", major, minor); }
Result nvrtcGetNumSupportedArchs(int* count) { return forward("nvrtcGetNumSupportedArchs", count); }
Result nvrtcGetSupportedArchs(int* all) { return forward("nvrtcGetSupportedArchs", all); }
Result nvrtcCreateProgram(Program* program, const char* source, const char* name, int count, const char* const* headers,
                          const char* const* names) {
  return forward("nvrtcCreateProgram", program, source, name, count, headers, names);
}
Result nvrtcGetPTXSize(Program program, std::size_t* bytes) { return forward("nvrtcGetPTXSize", program, bytes); }
Result nvrtcGetPTX(Program program, char* text) { return forward("nvrtcGetPTX", program, text); }
Result nvrtcGetLTOIRSize(Program program, std::size_t* bytes) { return forward("nvrtcGetLTOIRSize", program, bytes); }
Result nvrtcGetLTOIR(Program program, char* code) { return forward("nvrtcGetLTOIR", program, code); }
Result nvrtcGetOptiXIRSize(Program program, std::size_t* bytes) {
  return forward("nvrtcGetOptiXIRSize", program, bytes);
}
Result nvrtcGetOptiXIR(Program program, char* code) { return forward("nvrtcGetOptiXIR", program, code); }
Result nvrtcGetProgramLogSize(Program program, std::size_t* bytes) {
  return forward("nvrtcGetProgramLogSize", program, bytes);
}
Result nvrtcGetProgramLog(Program program, char* text) { return forward("nvrtcGetProgramLog", program, text); }
Result nvrtcAddNameExpression(Program program, const char* name) {
  return forward("nvrtcAddNameExpression", program, name);
}
Result nvrtcGetLoweredName(Program program, const char* name, const char** lowered) {
  return forward("nvrtcGetLoweredName", program, name, lowered);
}
Result nvrtcSetFlowCallback(Program program, int (*callback)(void*, void*), void* data) {
  return forward("nvrtcSetFlowCallback", program, callback, data);
}
Result nvrtcGetPCHHeapSize(std::size_t* bytes) { return forward("nvrtcGetPCHHeapSize", bytes); }
Result nvrtcSetPCHHeapSize(std::size_t bytes) { return forward("nvrtcSetPCHHeapSize", bytes); }
Result nvrtcGetPCHCreateStatus(Program program) { return forward("nvrtcGetPCHCreateStatus", program); }
Result nvrtcGetPCHHeapSizeRequired(Program program, std::size_t* bytes) {
  return forward("nvrtcGetPCHHeapSizeRequired", program, bytes);
}

}  // extern "C"
