#include "runner/student_file/compilers/dropped_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "common/text.h"
#include "runner/student_file/compilers/messages.h"

namespace gpulab {
namespace {

constexpr std::string_view kShuffles = "left with CUDA 9 for GPUs of compute capability 7.0 and later",
                           kFields = "left cudaDeviceProp with CUDA 13", kThreads = "left with CUDA 13",
                           kReferences = "left with CUDA 12, as all texture references did",
                           kSurfaces = "left with CUDA 12, as all surface references did",
                           kFunctors = "left thrust with CUDA 13";
constexpr std::string_view kMember = "no member", kUndefined = "undefined", kArguments = "arguments in function call",
                           kLocation = "made of a device's number", kOfKernels = "from a __";

// Rows of one name: the first whose words are all in the error is taken.
constexpr std::array rows{
    DroppedName{"__shfl", kUndefined, kShuffles, "__shfl_sync(mask, value, lane)", "__shfl_sync with __activemask()"},
    DroppedName{"__shfl_up", kUndefined, kShuffles, "__shfl_up_sync(mask, value, delta)",
                "__shfl_up_sync with __activemask()"},
    DroppedName{"__shfl_down", kUndefined, kShuffles, "__shfl_down_sync(mask, value, delta)",
                "__shfl_down_sync with __activemask()"},
    DroppedName{"__shfl_xor", kUndefined, kShuffles, "__shfl_xor_sync(mask, value, lanes)",
                "__shfl_xor_sync with __activemask()"},
    DroppedName{"__any", "vote", kShuffles, "__any_sync(mask, predicate)", "__any_sync with __activemask()"},
    DroppedName{"__all", "vote", kShuffles, "__all_sync(mask, predicate)", "__all_sync with __activemask()"},
    DroppedName{"__ballot", "vote", kShuffles, "__ballot_sync(mask, predicate)", "__ballot_sync with __activemask()"},
    //
    DroppedName{"clockRate", kMember, kFields, "cudaDeviceGetAttribute(&kHz, cudaDevAttrClockRate, device)",
                "the attribute cudaDevAttrClockRate"},
    DroppedName{"memoryClockRate", kMember, kFields, "cudaDeviceGetAttribute(&kHz, cudaDevAttrMemoryClockRate, device)",
                "the attribute cudaDevAttrMemoryClockRate"},
    DroppedName{"deviceOverlap", kMember, kFields, "asyncEngineCount > 0", "asyncEngineCount > 0"},
    DroppedName{"kernelExecTimeoutEnabled", kMember, kFields,
                "cudaDeviceGetAttribute(&on, cudaDevAttrKernelExecTimeout, device)",
                "the attribute cudaDevAttrKernelExecTimeout"},
    DroppedName{"computeMode", kMember, kFields, "cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device)",
                "the attribute cudaDevAttrComputeMode"},
    DroppedName{"singleToDoublePrecisionPerfRatio", kMember, kFields,
                "cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, device)",
                "the attribute cudaDevAttrSingleToDoublePrecisionPerfRatio"},
    DroppedName{"cooperativeMultiDeviceLaunch", kMember, kFields, "there is no such launch any more: 0", "0"},
    DroppedName{"maxTexture1DLinear", kMember, kFields, "cudaDeviceGetTexture1DLinearMaxWidth", "268435456 elements"},
    DroppedName{"memoryType", kMember, "left cudaPointerAttributes with CUDA 11", "its member type",
                "the member type, managed memory being of the device"},
    DroppedName{"isManaged", kMember, "left cudaPointerAttributes with CUDA 11", "type == cudaMemoryTypeManaged",
                "type == cudaMemoryTypeManaged"},
    //
    DroppedName{"cudaThreadSynchronize", kUndefined, kThreads, "cudaDeviceSynchronize()", "cudaDeviceSynchronize"},
    DroppedName{"cudaThreadExit", kUndefined, kThreads, "cudaDeviceReset()", "cudaDeviceReset"},
    DroppedName{"cudaThreadSetLimit", kUndefined, kThreads, "cudaDeviceSetLimit", "cudaDeviceSetLimit"},
    DroppedName{"cudaThreadGetLimit", kUndefined, kThreads, "cudaDeviceGetLimit", "cudaDeviceGetLimit"},
    DroppedName{"cudaThreadSetCacheConfig", kUndefined, kThreads, "cudaDeviceSetCacheConfig",
                "cudaDeviceSetCacheConfig"},
    DroppedName{"cudaThreadGetCacheConfig", kUndefined, kThreads, "cudaDeviceGetCacheConfig",
                "cudaDeviceGetCacheConfig"},
    DroppedName{"cudaDeviceSynchronize", kOfKernels, "left kernels with CUDA 12",
                "a kernel cannot wait for those that it launches: put what comes behind them into a kernel of its own "
                "that goes into the stream cudaStreamTailLaunch, or let the host launch both",
                "a wait of the simulator's, as GPUs up to compute capability 8.9 had it"},
    DroppedName{"cudaLaunchCooperativeKernelMultiDevice",
                kUndefined,
                "left with CUDA 13",
                "cudaLaunchCooperativeKernel for each device, and events between them",
                {}},
    DroppedName{"multi_grid_group",
                kMember,
                "left cooperative groups with CUDA 13",
                "a grid_group for each device, and the host or system-scope atomics between them",
                {}},
    DroppedName{"cudaConfigureCall", kUndefined, "is no longer there in CUDA 13", "kernel<<<grid, block>>>(…)", {}},
    DroppedName{"cudaSetupArgument", kUndefined, "is no longer there in CUDA 13", "kernel<<<grid, block>>>(…)", {}},
    DroppedName{"cudaLaunch", kUndefined, "is no longer there in CUDA 13", "cudaLaunchKernel", {}},
    DroppedName{"cudaProfilerInitialize", kUndefined, "is no longer there in CUDA 13", "nothing: leave it out", {}},
    //
    DroppedName{"cudaMemLocation", "to convert from \"int\"",
                "is what cudaMemPrefetchAsync and cudaMemAdvise take since CUDA 13, no longer a device's number",
                "cudaMemLocation{cudaMemLocationTypeDevice, device}, and behind it flags (0)", kLocation},
    DroppedName{"cudaMemLocation", "from 'int' to",
                "is what cudaMemPrefetchAsync and cudaMemAdvise take since CUDA 13, no longer a device's number",
                "cudaMemLocation{cudaMemLocationTypeDevice, device}, and behind it flags (0)", kLocation},
    DroppedName{"CUmemLocation", "onvert",
                "is what cuMemPrefetchAsync and cuMemAdvise take since CUDA 13, no longer a device's number",
                "CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, device}, and behind it flags (0)", kLocation},
    DroppedName{"cuMemPrefetchAsync", kArguments,
                "has had another form up to CUDA 12: (pointer, bytes, device, stream)",
                "cuMemPrefetchAsync(pointer, bytes, CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, device}, 0, stream)",
                "taken in both forms"},
    DroppedName{"cuMemAdvise", kArguments, "has had another form up to CUDA 12: (pointer, bytes, advice, device)",
                "cuMemAdvise(pointer, bytes, advice, CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, device})",
                "taken in both forms"},
    DroppedName{"cuCtxCreate", kArguments, "has had another form up to CUDA 12: (context, flags, device)",
                "cuCtxCreate(&context, nullptr, flags, device)", "taken in both forms"},
    DroppedName{"cudaMemPrefetchAsync", kArguments,
                "has had another form up to CUDA 12: (pointer, bytes, device, stream)",
                "cudaMemPrefetchAsync(pointer, bytes, cudaMemLocation{cudaMemLocationTypeDevice, device}, 0, stream)",
                "taken in both forms"},
    DroppedName{"cudaMemAdvise", kArguments, "has had another form up to CUDA 12: (pointer, bytes, advice, device)",
                "cudaMemAdvise(pointer, bytes, advice, cudaMemLocation{cudaMemLocationTypeDevice, device})",
                "taken in both forms"},
    DroppedName{"cudaMemPrefetchAsync_v2", kUndefined, "lost its _v2 with CUDA 13",
                "cudaMemPrefetchAsync, with the same arguments", "cudaMemPrefetchAsync"},
    DroppedName{"cudaMemAdvise_v2", kUndefined, "lost its _v2 with CUDA 13", "cudaMemAdvise, with the same arguments",
                "cudaMemAdvise"},
    DroppedName{"cudaGraphEdgeData",
                "incompatible with parameter",
                "is an argument of graphs' functions since CUDA 13",
                "nullptr before the number of dependencies, for edges without data",
                {}},
    DroppedName{"cudaGraphInstantiate", kArguments, "has had another form up to CUDA 11",
                "cudaGraphInstantiate(&instance, graph, 0)", "taken in both forms"},
    //
    DroppedName{"texture",
                {},
                kReferences,
                "a texture object: cudaCreateTextureObject, given to the kernel as a cudaTextureObject_t",
                "a texture object in a __managed__ variable"},
    DroppedName{"cudaBindTexture", kUndefined, kReferences, "cudaCreateTextureObject", "cudaCreateTextureObject"},
    DroppedName{"cudaBindTexture2D", kUndefined, kReferences, "cudaCreateTextureObject", "cudaCreateTextureObject"},
    DroppedName{"cudaBindTextureToArray", kUndefined, kReferences, "cudaCreateTextureObject",
                "cudaCreateTextureObject"},
    DroppedName{"cudaUnbindTexture", kUndefined, kReferences, "cudaDestroyTextureObject", "cudaDestroyTextureObject"},
    DroppedName{"surface",
                {},
                kSurfaces,
                "a surface object: cudaCreateSurfaceObject, given to the kernel as a cudaSurfaceObject_t",
                {}},
    DroppedName{"cudaBindSurfaceToArray", kUndefined, kSurfaces, "cudaCreateSurfaceObject", {}},
    //
    DroppedName{"unary_function", "thrust", kFunctors, "leave the base class out, which does nothing",
                "a base class with its types"},
    DroppedName{"binary_function", "thrust", kFunctors, "leave the base class out, which does nothing",
                "a base class with its types"},
    DroppedName{"identity", "thrust", kFunctors, "cuda::std::identity", "a functor that returns what it is given"},
    DroppedName{"nvToolsExt.h", "fatal error", "is no longer there in CUDA 13", "#include <nvtx3/nvToolsExt.h>",
                "nvtx3/nvToolsExt.h"},
    DroppedName{"atomicAdd(double *, double)",
                "already been defined",
                "has come with CUDA 8 for GPUs of compute capability 6.0 and later",
                "your own only where there is none: #if __CUDA_ARCH__ < 600",
                {}},
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Quoted, as nvcc and the host's compiler do with names; of files ptxas and the latter do not.
bool names(std::string_view line, std::string_view name) {
  for (auto at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1))
    if (at > 0 && (line[at - 1] == '"' || line[at - 1] == '\'' || line[at - 1] == ' ') &&
        at + name.size() < line.size() && !is_word(line[at + name.size()]))
      return true;
  return false;
}

/// The error has the row's words, or those that the host's compiler has for them.
bool has_words_of(const DroppedName& row, std::string_view line) {
  if (line.find(row.message) != std::string_view::npos) return true;
  return (row.message == kUndefined && line.find("was not declared") != std::string_view::npos) ||
         (row.message == kArguments && line.find("arguments to function") != std::string_view::npos);
}

/// `shown`: the line of the program that the compiler repeats below its error.
const DroppedName* row_of(std::string_view line, std::string_view shown) {
  for (const auto& row : rows) {
    if (!has_words_of(row, line)) continue;
    if (names(line, row.name)) return &row;
    // Errors of a call's arguments do not say of which call.
    if (row.message == kArguments && shown.find(row.name) != std::string_view::npos) return &row;
  }
  return nullptr;
}

/// ptxas speaks of votes by their instruction: "Instruction 'vote.any' without '.sync' is not supported".
const DroppedName* vote_in(std::string_view line) {
  if (line.find("without '.sync'") == std::string_view::npos) return nullptr;
  for (const auto& [instruction, name] : {std::pair{"vote.ballot", "__ballot"}, std::pair{"vote.any", "__any"},
                                          std::pair{"vote.all", "__all"}, std::pair{"shfl", "__shfl"}})
    if (line.find(fmt::format("'{}", instruction)) != std::string_view::npos)
      return &*std::ranges::find(rows, std::string_view(name), &DroppedName::name);
  return nullptr;
}

/// "Instruction 'vote' without '.sync'": ptxas of CUDA 13 does not say which. nvcc has warned of the names before, each
/// with its line: "(7): warning #1444-D: function "__any" (declared at line 158 of …) was declared deprecated".
std::vector<DroppedUse> votes_in(const std::vector<std::string>& lines) {
  constexpr std::string_view warns = "): warning #1444-D: function \"";
  std::vector<DroppedUse> uses;
  for (const auto& line : lines) {
    const auto at = line.find(warns), open = at == std::string::npos ? at : line.rfind('(', at);
    if (open == std::string::npos) continue;
    for (const auto& row : rows)
      if (row.message == "vote" && line.compare(at + warns.size(), row.name.size(), row.name) == 0 &&
          !is_word(line[at + warns.size() + row.name.size()]))
        uses.push_back({&row, line.substr(0, open), std::atoi(line.c_str() + open + 1)});
  }
  return uses;
}

/// Comments and what stands in quotes become blanks, but for the names of files that are included.
std::string code_of(std::string_view text) {
  std::string code(text);
  for (std::size_t i = 0; i < code.size();) {
    std::size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      const auto close = text.find("*/", i + 2);
      end = close == std::string_view::npos ? text.size() : close + 2;
    } else if (text[i] == '"' || text[i] == '\'') {
      while (end < text.size() && text[end] != text[i] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      const auto line = text.rfind('\n', i);
      const auto begin = line == std::string_view::npos ? 0 : line + 1;
      if (text.substr(begin, i - begin).find("include") != std::string_view::npos) {
        i = end;
        continue;
      }
    } else {
      ++i;
      continue;
    }
    for (; i < end; ++i)
      if (code[i] != '\n') code[i] = ' ';
  }
  return code;
}

/// Where bodies of functions for the GPU begin and end: of what is told as __global__ or __device__.
std::vector<std::pair<std::size_t, std::size_t>> bodies_for_gpu(std::string_view code) {
  std::vector<std::pair<std::size_t, std::size_t>> bodies;
  for (const std::string_view word : {"__global__", "__device__"})
    for (auto at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
      const auto open = code.find_first_of("{;", at);
      if (open == std::string_view::npos || code[open] == ';') continue;
      std::size_t end = open + 1;
      for (int depth = 1; end < code.size() && depth > 0; ++end) depth += (code[end] == '{') - (code[end] == '}');
      bodies.emplace_back(open, end);
      at = end - 1;
    }
  return bodies;
}

/// A use of the name, not a longer word's part; of a field behind a point, of a template before its arguments.
bool is_use(std::string_view code, std::size_t at, const DroppedName& row) {
  const std::size_t end = at + row.name.size();
  if ((at > 0 && is_word(code[at - 1])) || (end < code.size() && is_word(code[end]))) return false;
  if (row.name == "nvToolsExt.h") return at > 0 && code[at - 1] != '/';
  if (row.name == "texture" || row.message == "thrust") return end < code.size() && code[end] == '<';
  if (row.message == kMember) return at > 0 && (code[at - 1] == '.' || code[at - 1] == '>');
  return end < code.size() && code.find_first_not_of(" \t", end) != std::string_view::npos &&
         code[code.find_first_not_of(" \t", end)] == '(';
}

}  // namespace

std::span<const DroppedName> dropped_names() { return rows; }

std::vector<DroppedUse> dropped_in(std::string_view log) {
  constexpr std::size_t most = 12, longest_line = 2000;
  std::vector<DroppedUse> uses;
  const auto lines = split(log, '\n');
  bool votes_told = false;
  for (std::size_t i = 0; i < lines.size() && uses.size() < most; ++i) {
    const std::string_view line = std::string_view(lines[i]).substr(0, longest_line);
    if (line.find("error") == std::string_view::npos) continue;
    if (line.find("'vote' without '.sync'") != std::string_view::npos) {
      if (!std::exchange(votes_told, true))
        for (const auto& use : votes_in(lines))
          if (std::ranges::none_of(uses, [&](const DroppedUse& known) { return known.name == use.name; }))
            uses.push_back(use);
      continue;
    }
    const DroppedName* row = vote_in(line);
    const auto error = first_error(line);
    if (row == nullptr && error) row = row_of(line, i + 1 < lines.size() ? std::string_view(lines[i + 1]) : "");
    const auto is_same = [&](const DroppedUse& use) { return use.name == row; };
    if (row == nullptr || std::ranges::any_of(uses, is_same)) continue;
    uses.push_back({row, error ? error->file : "", error ? error->line : 0});
  }
  return uses;
}

std::string in_words(const DroppedUse& use) {
  const auto place = use.file.empty() || use.line == 0 ? "" : fmt::format("{}:{}: ", use.file, use.line);
  return fmt::format("{}{} {}: {}", place, use.name->name, use.name->gone, use.name->instead);
}

std::vector<DroppedUse> supplied_in(const std::string& file, std::string_view text) {
  std::vector<DroppedUse> uses;
  const std::string code = code_of(text);
  const auto bodies = bodies_for_gpu(code);
  const auto is_for_gpu = [&](std::size_t at) {
    return std::ranges::any_of(bodies, [&](const auto& body) { return body.first < at && at < body.second; });
  };
  for (const auto& row : rows) {
    if (row.stands.empty()) continue;
    for (auto at = code.find(row.name); at != std::string::npos; at = code.find(row.name, at + 1))
      if (is_use(code, at, row) && (row.message != kOfKernels || is_for_gpu(at))) {
        uses.push_back(
            {&row, file,
             1 + static_cast<int>(std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n'))});
        break;
      }
  }
  return uses;
}

}  // namespace gpulab
