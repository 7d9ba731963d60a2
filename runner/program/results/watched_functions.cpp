#include "runner/program/results/watched_functions.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "common/text.h"
#include "runner/program/old_cuda/old_cuda.h"

namespace gpulab {
namespace {

/// Each is one function in all toolkits from 11 to 13: its type is taken from the toolkit's own declaration.
constexpr std::array plain{
    "cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyPeer", "cudaMemcpyPeerAsync", "cudaMemcpy2D", "cudaMemcpy2DAsync",
    "cudaMemcpy2DToArray", "cudaMemcpy2DToArrayAsync", "cudaMemcpy2DFromArray", "cudaMemcpy2DFromArrayAsync",
    "cudaMemcpy2DArrayToArray", "cudaMemcpy3D", "cudaMemcpy3DAsync",
    //
    "cudaMemset", "cudaMemsetAsync", "cudaMemset2D", "cudaMemset2DAsync", "cudaMemset3D", "cudaMemset3DAsync",
    //
    "cudaMalloc3D", "cudaMalloc3DArray", "cudaMallocArray", "cudaFree", "cudaFreeHost", "cudaFreeAsync",
    "cudaFreeArray", "cudaHostRegister", "cudaHostUnregister", "cudaPointerGetAttributes",
    //
    "cudaCreateTextureObject", "cudaDestroyTextureObject", "cudaCreateSurfaceObject", "cudaDestroySurfaceObject",
    //
    "cudaEventCreateWithFlags", "cudaEventDestroy", "cudaEventElapsedTime", "cudaEventRecord", "cudaEventSynchronize",
    "cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority", "cudaStreamDestroy",
    "cudaStreamSynchronize", "cudaStreamWaitEvent", "cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaGraphLaunch",
    "cudaLaunchHostFunc",
    //
    "cudaSetDevice", "cudaGetDeviceProperties", "cudaDeviceGetAttribute", "cudaDeviceSetLimit", "cudaDeviceGetLimit",
    "cudaDeviceSetCacheConfig", "cudaDeviceEnablePeerAccess", "cudaDeviceDisablePeerAccess"};

/// Of two types in toolkit 12.
constexpr std::array plain_since_13{"cudaMemPrefetchAsync", "cudaMemAdvise"};

/// Of the driver's API: its header gives each the name that it has in the library.
constexpr std::array of_driver{
    "cuInit", "cuDeviceGet", "cuDeviceGetAttribute", "cuCtxCreate", "cuCtxSetCurrent", "cuCtxSynchronize",
    "cuDevicePrimaryCtxRetain",
    //
    "cuModuleLoad", "cuModuleLoadData", "cuModuleLoadDataEx", "cuModuleLoadFatBinary", "cuModuleUnload",
    "cuModuleGetFunction", "cuModuleGetGlobal", "cuLinkCreate", "cuLinkAddData", "cuLinkAddFile", "cuLinkComplete",
    //
    "cuMemAlloc", "cuMemAllocPitch", "cuMemAllocManaged", "cuMemAllocHost", "cuMemHostAlloc", "cuMemHostRegister",
    "cuMemHostUnregister", "cuMemFree", "cuMemFreeHost", "cuMemAllocAsync", "cuMemFreeAsync",
    //
    "cuMemcpy", "cuMemcpyAsync", "cuMemcpyHtoD", "cuMemcpyDtoH", "cuMemcpyDtoD", "cuMemcpyHtoDAsync",
    "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync", "cuMemcpy2D", "cuMemcpy3D", "cuMemsetD8", "cuMemsetD16", "cuMemsetD32",
    "cuMemsetD8Async", "cuMemsetD32Async",
    //
    "cuLaunchKernel", "cuLaunchCooperativeKernel", "cuLaunchHostFunc", "cuFuncSetAttribute", "cuFuncGetAttribute",
    "cuStreamCreate", "cuStreamDestroy", "cuStreamSynchronize", "cuStreamWaitEvent", "cuEventCreate", "cuEventDestroy",
    "cuEventRecord", "cuEventSynchronize", "cuEventElapsedTime", "cuGraphInstantiate", "cuGraphLaunch",
    "cuTexObjectCreate", "cuSurfObjectCreate", "cuArrayCreate", "cuArrayDestroy"};

/// Of one name with a template: what follows it, of the template. Those that the toolkits declare so for C, too, are
/// in `of_c`.
struct Overloaded {
  const char *name, *parameters;
};
constexpr std::array of_templates{
    Overloaded{"cudaMalloc", "T**, size_t"},
    Overloaded{"cudaMallocHost", "T**, size_t, unsigned int"},
    Overloaded{"cudaHostAlloc", "T**, size_t, unsigned int"},
    Overloaded{"cudaMallocManaged", "T**, size_t, unsigned int"},
    Overloaded{"cudaMallocPitch", "T**, size_t*, size_t, size_t"},
    Overloaded{"cudaMallocAsync", "T**, size_t, cudaStream_t"},
    Overloaded{"cudaMemcpyToSymbol", "const T&, const void*, size_t, size_t, enum cudaMemcpyKind"},
    Overloaded{"cudaMemcpyToSymbolAsync", "const T&, const void*, size_t, size_t, enum cudaMemcpyKind, cudaStream_t"},
    Overloaded{"cudaMemcpyFromSymbol", "void*, const T&, size_t, size_t, enum cudaMemcpyKind"},
    Overloaded{"cudaMemcpyFromSymbolAsync", "void*, const T&, size_t, size_t, enum cudaMemcpyKind, cudaStream_t"},
    Overloaded{"cudaGetSymbolAddress", "void**, const T&"},
    Overloaded{"cudaFuncSetAttribute", "T*, enum cudaFuncAttribute, int"},
    Overloaded{"cudaLaunchKernel", "T*, dim3, dim3, void**, size_t, cudaStream_t"},
    Overloaded{"cudaLaunchCooperativeKernel", "T*, dim3, dim3, void**, size_t, cudaStream_t"},
};
constexpr std::array of_c{
    Overloaded{"cudaMalloc", "void**, size_t"},
    Overloaded{"cudaMallocHost", "void**, size_t"},
    Overloaded{"cudaHostAlloc", "void**, size_t, unsigned int"},
    Overloaded{"cudaMallocManaged", "void**, size_t, unsigned int"},
    Overloaded{"cudaMallocPitch", "void**, size_t*, size_t, size_t"},
    Overloaded{"cudaMallocAsync", "void**, size_t, cudaStream_t"},
    Overloaded{"cudaMemcpyToSymbol", "const void*, const void*, size_t, size_t, enum cudaMemcpyKind"},
    Overloaded{"cudaMemcpyToSymbolAsync",
               "const void*, const void*, size_t, size_t, enum cudaMemcpyKind, cudaStream_t"},
    Overloaded{"cudaMemcpyFromSymbol", "void*, const void*, size_t, size_t, enum cudaMemcpyKind"},
    Overloaded{"cudaMemcpyFromSymbolAsync", "void*, const void*, size_t, size_t, enum cudaMemcpyKind, cudaStream_t"},
    Overloaded{"cudaGetSymbolAddress", "void**, const void*"},
    Overloaded{"cudaFuncSetAttribute", "const void*, enum cudaFuncAttribute, int"},
    Overloaded{"cudaLaunchKernel", "const void*, dim3, dim3, void**, size_t, cudaStream_t"},
    Overloaded{"cudaLaunchCooperativeKernel", "const void*, dim3, dim3, void**, size_t, cudaStream_t"},
};

}  // namespace

// [[nodiscard]] and not warn_unused_result: a result that is cast to void is looked at enough. nvcc's own front end
// would warn of the same (2809), and that a template's attributes come late (2190), which the host's compiler, which
// gets them, does not mind.
std::string watching_header_text(bool has_driver) {
  std::string text =
      "#if defined(__CUDACC__) && !defined(__CUDA_ARCH__) && defined(__cplusplus) && __cplusplus >= 201103L && "
      "defined(__GNUC__) && !defined(__clang__)\n"
      "#include <cuda_runtime.h>\n" +
      std::string(has_driver ? "#include <cuda.h>\n" : "") +
      "#if CUDART_VERSION >= 11000 && CUDART_VERSION < 14000\n"
      "#pragma nv_diag_suppress 2809\n"
      "#pragma nv_diagnostic push\n"
      "#pragma nv_diag_suppress 2190\n"
      "template <class F> struct gpulab_plain;\n"  // without the default arguments that the type has for nvcc
      "template <class R, class... A> struct gpulab_plain<R(A...)> { typedef R type(A...); };\n"
      "extern \"C\" {\n";
  const auto declare = [&](const std::string& declaration) { text += "[[nodiscard]] " + declaration + ";\n"; };
  const auto declare_plain = [&](const std::string& name) {
    declare("gpulab_plain<decltype(" + name + ")>::type " + name);
  };
  for (const char* name : plain) declare_plain(name);
  text += "#if CUDART_VERSION >= 13000\n";
  for (const char* name : plain_since_13) declare_plain(name);
  text += "#endif\n";
  if (has_driver)
    for (const char* name : of_driver) declare_plain(name);
  for (const auto& one : of_c) declare(std::string("cudaError_t CUDARTAPI ") + one.name + "(" + one.parameters + ")");
  text += "}\n";
  for (const auto& one : of_templates) {
    text += "template <class T> ";
    declare(std::string("static inline cudaError_t ") + one.name + "(" + one.parameters + ")");
  }
  return text + "#pragma nv_diagnostic pop\n#endif\n#endif\n";
}

std::string watched_name(std::string_view function) {
  for (const std::string_view suffix : {"_ptds", "_ptsz", "_v2", "_v3"})
    if (function.ends_with(suffix)) function.remove_suffix(suffix.size());
  const auto is_it = [&](const Overloaded& one) { return function == one.name; };
  const bool watched =
      std::ranges::find(plain, function) != plain.end() || std::ranges::find(of_driver, function) != of_driver.end() ||
      std::ranges::find(plain_since_13, function) != plain_since_13.end() || std::ranges::any_of(of_templates, is_it);
  return watched ? std::string(function) : std::string();
}

std::string list_of_files(const std::vector<std::string>& words) {
  const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
  const auto name = std::ranges::find(words, "-MF");
  const bool is_beside = has("-MD") || has("-MMD");
  return !is_beside || has("-MP") || name == words.end() || name + 1 == words.end() ? std::string() : *(name + 1);
}

std::string without_header(const std::string& list) {
  std::string kept;
  for (const auto& line : split(list, '\n')) {
    if (line.find(watching_header) == std::string::npos && !is_of_old_cuda(line)) {
      kept += line + '\n';
    } else if (!line.ends_with('\\') && kept.ends_with("\\\n")) {
      kept.resize(kept.size() - 2);  // it was the last
      kept += '\n';
    }
  }
  return kept;
}

bool may_watch(const std::vector<std::string>& words) {
  const bool is_listed = !list_of_files(words).empty();
  return std::ranges::none_of(words, [&](const std::string& word) {
    if (word.find("Werror") != std::string::npos || word == "-E" || word == "--preprocess" || word == "-") return true;
    if (is_listed && (word == "-MD" || word == "-MMD" || word == "-MF" || word == "-MT")) return false;
    return word.starts_with("-M") || word.starts_with("--generate-dependenc") ||
           word.starts_with("--generate-nonsystem-dependenc") || word.starts_with("--dependency");
  });
}

namespace {

/// A source that has the driver's API, by the name of its header; what a header of its own includes is not looked at.
bool has_driver_api(const std::string& word) {
  constexpr std::size_t most_bytes = 65536;
  if (!word.ends_with(".cu")) return false;
  std::ifstream file(word, std::ios::binary);
  std::string text(most_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text.find("<cuda.h>") != std::string::npos || text.find("\"cuda.h\"") != std::string::npos;
}

}  // namespace

std::vector<std::string> watching_words(const std::filesystem::path& folder, const std::vector<std::string>& sources) {
  const auto file = folder / watching_header;
  std::ofstream(file) << watching_header_text(std::ranges::any_of(sources, has_driver_api));
  return {"-include", file.string()};
}

}  // namespace gpulab
