#include "tests/driver/fake_cuda.h"

#include <cuda.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

using gpulab::tests::FakeCuda;

namespace {

constexpr std::size_t memory_bytes = std::size_t{1} << 30;

struct Function {
  std::string entry;
};
struct Module {
  std::string ptx;
  std::map<std::string, Function> functions;
};

FakeCuda books;
CUresult fault = CUDA_SUCCESS;  ///< as on hardware, every later call returns it
std::map<CUdeviceptr, std::size_t> blocks;

template <typename T>
T argument(void** values, int index) {
  T value;
  std::memcpy(&value, values[index], sizeof(T));
  return value;
}

bool allocated(CUdeviceptr pointer, std::size_t bytes) {
  auto it = blocks.upper_bound(pointer);
  if (it == blocks.begin()) return false;
  --it;
  return pointer + bytes <= it->first + it->second;
}

void store(CUdeviceptr to, int value) {
  if (allocated(to, sizeof value))
    std::memcpy(reinterpret_cast<void*>(to), &value, sizeof value);
  else
    fault = CUDA_ERROR_ILLEGAL_ADDRESS;
}

int load(CUdeviceptr from) {
  int value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(from), sizeof value);
  return value;
}

/// What tests/device/kernels.cu says, on the host; entries that are not here do nothing.
void run(std::string_view entry, unsigned threads, void** values) {
  if (entry == "iota")
    for (int i = 0; i < argument<int>(values, 1) && i < static_cast<int>(threads); ++i)
      store(argument<CUdeviceptr>(values, 0) + 4 * static_cast<unsigned>(i), argument<int>(values, 2) + i);
  if (entry == "_Z5scaleIiLi3EEvPT_i")
    for (int i = 0; i < argument<int>(values, 1) && i < static_cast<int>(threads); ++i) {
      const CUdeviceptr at = argument<CUdeviceptr>(values, 0) + 4 * static_cast<unsigned>(i);
      store(at, static_cast<int>(3U * static_cast<unsigned>(load(at))));  // as the GPU does: it wraps
    }
  if (entry == "_Z3sayi")
    for (unsigned i = 0; i < threads; ++i) std::printf("value %d of thread %u\n", argument<int>(values, 0), i);
  if (entry == "_Z8store_atPil")
    store(argument<CUdeviceptr>(values, 0) + 4 * static_cast<CUdeviceptr>(argument<long>(values, 1)), 1);
}

struct Stream {
  int number;  ///< from 1; the legacy default stream is null, 0
};
/// What a stream recorded, to be done when it is launched.
using Graph = std::vector<std::function<void()>>;

int made_streams = 0;
CUstream capturing = nullptr;  ///< the stream that records
Graph captured;
bool capture_broken = false;

/// Queued on a stream: done at once, or recorded. As the real driver, the legacy default stream refuses work while
/// another one records, and what was recorded is then lost.
CUresult queue(const char* what, CUstream stream, const std::function<void()>& work) {
  if (fault != CUDA_SUCCESS) return fault;
  if (capturing != nullptr && stream == nullptr) {
    capture_broken = true;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  const int number = stream == nullptr ? 0 : reinterpret_cast<const Stream*>(stream)->number;
  books.queued.push_back(std::string(what) + " " + std::to_string(number));
  if (capturing != nullptr && stream == capturing)
    captured.push_back(work);
  else
    work();
  return CUDA_SUCCESS;
}

CUresult launch(CUfunction function, unsigned threads, void** values, CUstream stream) {
  if (fault != CUDA_SUCCESS) return fault;
  const auto& entry = reinterpret_cast<const Function*>(function)->entry;
  if (entry == "gpulab_hold") {
    const auto nanoseconds = argument<std::uint64_t>(values, 0);
    const std::array reading{books.sm_mhz * nanoseconds / 1000, nanoseconds};
    const auto to = argument<CUdeviceptr>(values, 1);
    if (!allocated(to, sizeof reading)) return CUDA_ERROR_ILLEGAL_ADDRESS;
    std::memcpy(reinterpret_cast<void*>(to), reading.data(), sizeof reading);
    return CUDA_SUCCESS;
  }
  // A launch takes its arguments with it: those that run() looks at, of so many bytes.
  static const std::map<std::string_view, std::vector<std::size_t>> sizes = {
      {"iota", {8, 4, 4}}, {"_Z5scaleIiLi3EEvPT_i", {8, 4}}, {"_Z3sayi", {4}}, {"_Z8store_atPil", {8, 8}}};
  const auto known = sizes.find(entry);
  std::vector<std::array<std::byte, 8>> copies(known == sizes.end() ? 0 : known->second.size());
  for (std::size_t i = 0; i < copies.size(); ++i) std::memcpy(copies[i].data(), values[i], known->second[i]);
  return queue("launch", stream, [entry, threads, copies]() mutable {
    books.launched.push_back(entry);
    std::vector<void*> pointers;
    for (auto& copy : copies) pointers.push_back(copy.data());
    run(entry, threads, pointers.data());
  });
}

struct Named {
  CUresult result;
  const char *name, *text;
};
constexpr Named errors[] = {
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"}};

}  // namespace

extern "C" {

FakeCuda* fake_cuda() { return &books; }

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult result, const char** name) {
  for (const auto& error : errors)
    if (error.result == result) return *name = error.name, CUDA_SUCCESS;
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult result, const char** text) {
  for (const auto& error : errors)
    if (error.result == result) return *text = error.text, CUDA_SUCCESS;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int* count) { return *count = 1, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  static const std::map<CUdevice_attribute, int> values = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 130},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20}};
  *value = values.at(attribute);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice) {
  std::snprintf(id, static_cast<std::size_t>(length), "0000:1B:00.0");
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  ++books.contexts;
  *context = reinterpret_cast<CUcontext>(&books);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return --books.contexts, CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return fault; }
CUresult cuCtxGetCurrent(CUcontext* context) { return *context = reinterpret_cast<CUcontext>(&books), fault; }
// There is one GPU, and no other to reach.
CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) { return *can = 0, CUDA_SUCCESS; }
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) { return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED; }
CUresult cuCtxDisablePeerAccess(CUcontext) { return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED; }
CUresult cuPointerGetAttribute(void*, CUpointer_attribute, CUdeviceptr) { return CUDA_ERROR_INVALID_VALUE; }
CUresult cuCtxSetLimit(CUlimit, size_t) { return fault; }
CUresult cuCtxSynchronize() { return fault; }

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
  const std::string ptx(static_cast<const char*>(image));
  if (ptx.find("frobnicate") != std::string::npos) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) std::strcpy(static_cast<char*>(values[i]), "unknown frobnicate\n");
    return CUDA_ERROR_INVALID_PTX;
  }
  if (ptx.find("gpulab_hold") == std::string::npos) books.compiled.push_back(ptx);
  ++books.modules;
  *module = reinterpret_cast<CUmodule>(new Module{ptx, {}});
  return fault;
}
CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* state) {
  *state = reinterpret_cast<CUlinkState>(new std::string);
  return ++books.linkers, fault;
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t bytes, const char* name, unsigned,
                       CUjit_option*, void**) {
  const std::string_view text(static_cast<const char*>(data), bytes);
  books.linked.push_back(std::string(name) + ": " + std::string(text.substr(0, 7)));
  if (type == CU_JIT_INPUT_PTX) *reinterpret_cast<std::string*>(state) = text;
  return fault;
}
CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  auto* text = reinterpret_cast<std::string*>(state);
  return *image = text->data(), *bytes = text->size(), fault;
}
CUresult cuLinkDestroy(CUlinkState state) {
  delete reinterpret_cast<std::string*>(state);
  return --books.linkers, CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  ++books.modules;
  *module = reinterpret_cast<CUmodule>(new Module{static_cast<const char*>(image), {}});
  return fault;
}
CUresult cuModuleUnload(CUmodule module) {
  --books.modules;
  delete reinterpret_cast<Module*>(module);
  return fault;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  auto* owner = reinterpret_cast<Module*>(module);
  if (owner->ptx.find(std::string(".entry ") + name + "(") == std::string::npos) return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(&(owner->functions[name] = Function{name}));
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr*, std::size_t*, CUmodule, const char*) { return CUDA_ERROR_NOT_FOUND; }
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  *value = attribute == CU_FUNC_ATTRIBUTE_NUM_REGS                ? 18
           : attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
                                                                  : 0;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int value) {
  return books.opted_in_shared_bytes = value, CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int threads, size_t) {
  return *blocks = 2048 / threads, CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t* free, size_t* total) { return *free = *total = memory_bytes, CUDA_SUCCESS; }
CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) {
  if (fault != CUDA_SUCCESS) return fault;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  *pointer = reinterpret_cast<CUdeviceptr>(new std::byte[bytes]);
  blocks[*pointer] = bytes;
  return ++books.allocations, CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr pointer) {
  if (blocks.erase(pointer) == 0) return CUDA_ERROR_INVALID_VALUE;
  delete[] reinterpret_cast<std::byte*>(pointer);
  return --books.allocations, fault;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  if (fault == CUDA_SUCCESS) std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return fault;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  if (fault == CUDA_SUCCESS) std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return fault;
}
CUresult cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  if (fault != CUDA_SUCCESS) return fault;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  *memory = new std::byte[bytes];
  return ++books.locked, CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* memory) {
  delete[] static_cast<std::byte*>(memory);
  return --books.locked, fault;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  if (!allocated(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return queue("to device", stream, [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  if (!allocated(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return queue("to host", stream, [=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  if (fault == CUDA_SUCCESS) std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return fault;
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return queue("copy", stream,
               [=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  if (!allocated(to, count)) return CUDA_ERROR_INVALID_VALUE;
  return queue("fill", stream, [=] { std::memset(reinterpret_cast<void*>(to), value, count); });
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream) {
  if (!allocated(to, 4 * count)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count && fault == CUDA_SUCCESS; ++i) reinterpret_cast<unsigned*>(to)[i] = value;
  return fault;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned, CUstream stream, void** values, void**) {
  return launch(function, gx * gy * gz * bx * by * bz, values, stream);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned, CUstream stream, void** values) {
  ++books.cooperative_launches;
  return launch(function, gx * gy * gz * bx * by * bz, values, stream);
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  if (fault != CUDA_SUCCESS) return fault;
  if (flags != CU_STREAM_DEFAULT) return CUDA_ERROR_INVALID_VALUE;  // others would not wait for the default stream
  *stream = reinterpret_cast<CUstream>(new Stream{++made_streams});
  return ++books.streams, CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream stream) {
  delete reinterpret_cast<Stream*>(stream);
  return --books.streams, fault;
}
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned) { return fault; }
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  if (stream == nullptr || capturing != nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (fault != CUDA_SUCCESS) return fault;
  capturing = stream;
  captured.clear();
  capture_broken = false;
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  *graph = nullptr;
  if (capturing == nullptr || stream != capturing) return CUDA_ERROR_INVALID_VALUE;
  capturing = nullptr;
  if (capture_broken) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *graph = reinterpret_cast<CUgraph>(new Graph(std::move(captured)));
  return ++books.graphs, fault;
}
CUresult cuGraphDestroy(CUgraph graph) {
  delete reinterpret_cast<Graph*>(graph);
  return --books.graphs, fault;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  if (fault != CUDA_SUCCESS) return fault;
  *executable = reinterpret_cast<CUgraphExec>(new Graph(*reinterpret_cast<const Graph*>(graph)));
  return ++books.executables, CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  if (capturing != nullptr || stream == nullptr) return CUDA_ERROR_INVALID_VALUE;  // ours run where they were recorded
  if (fault != CUDA_SUCCESS) return fault;
  ++books.replays;
  for (const auto& work : *reinterpret_cast<const Graph*>(executable)) work();
  return fault;
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
  delete reinterpret_cast<Graph*>(executable);
  return --books.executables, fault;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(&books);
  return ++books.events, CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent) { return --books.events, CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent, CUstream) { return fault; }
CUresult cuEventSynchronize(CUevent) { return fault; }
CUresult cuEventElapsedTime(float* ms, CUevent, CUevent) { return *ms = 0.25F, fault; }
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                                CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return *map = {}, fault;
}

}  // extern "C"
