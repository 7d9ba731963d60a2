#include "common/cuda_api/runtime/failures/reasons.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "common/cuda_api/runtime/host/address_owner.h"
#include "common/cuda_api/runtime/session.h"
#include "common/demangle.h"

namespace gpulab::cuda_api {
namespace {

using Kind = AddressOwner::Kind;

const char* kind_of(const MemoryEntry& entry) {
  switch (entry.kind) {
    case MemoryEntry::Kind::device:
      return "memory of the device";
    case MemoryEntry::Kind::managed:
      return "managed memory";
    case MemoryEntry::Kind::pinned:
      return "pinned memory of the host";
    default:
      return "memory of the host that was registered";
  }
}

/// "host memory (a variable on the host's stack)", "'cudaMalloc #1', memory of the device".
std::string whose(const AddressOwner& owner) {
  switch (owner.kind) {
    case Kind::nobody:
      return "an address where nothing lies";
    case Kind::null:
      return "a null pointer";
    case Kind::live:
      return fmt::format("'{}', {}", owner.name, kind_of(*owner.entry));
    case Kind::freed:
      return fmt::format("in '{}', which has been freed", owner.name);
    case Kind::symbol:
      return fmt::format("what stands for the device's variable '{}' in the host's program", owner.name);
    default:
      return fmt::format("host memory ({})", in_words(owner));
  }
}

/// The allocation that a pointer on the stack points to: who wrote &d for d. The stack can be read up to its page's
/// end.
const MemoryEntry* behind_pointer(const Session& session, std::uint64_t address) {
  if (address % sizeof(std::uint64_t) != 0) return nullptr;
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);  // NOLINT(performance-no-int-to-ptr)
  return session.memory.at(value);
}

/// What was meant where memory of the host's stands for the device's.
std::string instead_of_host(const Session& session, const char* side, std::uint64_t address, const AddressOwner& owner,
                            std::uint64_t other) {
  const bool is_source = std::strcmp(side, "source") == 0;
  if (owner.kind == Kind::symbol)
    return is_source ? fmt::format("copy with cudaMemcpyFromSymbol(…, {}, …)", owner.name)
                     : fmt::format("copy with cudaMemcpyToSymbol({}, …)", owner.name);
  if (owner.kind == Kind::stack)
    if (const MemoryEntry* meant = behind_pointer(session, address))
      return fmt::format("it is a variable that holds the address of '{}': pass the variable, without &", meant->name);
  if (owner.kind == Kind::null) return "check what allocated it, or whether it was allocated at all";
  if (other != 0 && session.memory.holding(other) != nullptr)
    return fmt::format(
        "the other side is '{}': copy to it with cudaMemcpyHostToDevice, from it with "
        "cudaMemcpyDeviceToHost",
        session.memory.holding(other)->name);
  return "give a pointer that cudaMalloc has set";
}

}  // namespace

Reason not_of_device(const Session& session, const char* side, std::uint64_t address, std::uint64_t other) {
  const auto owner = owner_of(session, address);
  if (owner.kind == Kind::freed) return null_or_freed(session, side, address);
  return {fmt::format("the {} is not memory of the device, but {}", side, whose(owner)),
          instead_of_host(session, side, address, owner, other), true, owner.kind == Kind::null};
}

Reason null_or_freed(const Session& session, const char* side, std::uint64_t address) {
  const MemoryEntry* freed = session.memory.freed(address);
  if (freed == nullptr)
    return {fmt::format("the {} is a null pointer", side),
            "check what allocated it, or whether it was allocated at all", true, true};
  return {fmt::format("the {} lies in '{}', which has been freed", side, freed->name),
          fmt::format("it was freed at {}: do that behind its last use", freed->freed_by), true};
}

Reason beyond_allocation(const char* side, const MemoryEntry& entry, std::size_t bytes, std::size_t there) {
  const std::string as = entry.caller.empty() ? "" : ", as in the allocation at " + entry.caller;
  return {fmt::format("{} bytes, but the {}, '{}', has {} from there on", bytes, side, entry.name, there),
          "a count is of bytes: count * sizeof(T)" + as, true};
}

Reason beyond_array(std::uint64_t bytes, std::uint64_t there) {
  return {fmt::format("{} bytes, but the array has {} from there on", bytes, there),
          "offsets and widths of an array are bytes, heights are rows", true};
}

Reason box_beyond_array(const ArrayEntry& array, const cudaPos& at, const cudaExtent& box) {
  return {fmt::format("{} bytes x {} rows x {} slices from ({}, {}, {}) on, but the array has {} x {} x {}", box.width,
                      box.height, box.depth, at.x, at.y, at.z, array.row_bytes(), array.rows(), array.slices()),
          "offsets and widths of an array are bytes, heights are rows", true};
}

Reason pitch_too_small(const char* side, std::size_t pitch, std::size_t width) {
  return {fmt::format("rows of {} bytes, but the pitch of the {} is {}", width, side, pitch),
          "pitch and width are bytes: width * sizeof(T) for rows without gaps, else what cudaMallocPitch gave", true};
}

Reason no_direction(int kind) {
  return {fmt::format("{} is no direction", kind),
          "cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice or cudaMemcpyDefault", true};
}

Reason not_a_symbol(const Session& session, const void* symbol) {
  if (const VariableEntry* named = session.modules.variable_named(symbol))
    return {fmt::format("the symbol is a string, \"{0}\": that left with CUDA 5", named->name),
            fmt::format("give the variable itself, {} without quotes; --old-cuda takes the string", named->name), true};
  const auto owner = owner_of(session, reinterpret_cast<std::uint64_t>(symbol));
  return {fmt::format("the symbol is {}", whose(owner)),
          "a symbol is the name of a __device__ or __constant__ variable itself, without & and quotes; to where a "
          "pointer leads copy with cudaMemcpy",
          true};
}

Reason too_much_for_symbol(const VariableEntry& variable, std::size_t bytes, std::size_t offset, std::size_t there) {
  const std::string name = demangle(variable.name);
  const std::string from = offset == 0 ? "" : fmt::format(" from byte {} on", offset);
  return {fmt::format("{} bytes{}, but '{}' has {}", bytes, from, name, there),
          fmt::format("copy at most sizeof({}) bytes, or declare it larger", name), true};
}

Reason too_large(const Session& session, const char* function, std::size_t bytes) {
  const std::size_t all = session.profile().memory_bytes, used = std::min(session.memory.used(current_gpu()), all);
  constexpr std::size_t no_memory = std::size_t{1} << 50;
  return {fmt::format("{} bytes were asked for; the GPU has {}, of which {} are free", bytes, all, all - used),
          bytes >= no_memory
              ? std::string("no GPU has so much: a size was negative, or a product too large for its type")
              : fmt::format("check what {} returns, and ask cudaMemGetInfo for what is free", function)};
}

Reason not_to_free(const Session& session, std::uint64_t address, bool of_host) {
  const auto owner = owner_of(session, address);
  const char *made = of_host ? "cudaMallocHost" : "cudaMalloc", *other = of_host ? "cudaFree" : "cudaFreeHost";
  if (owner.kind == Kind::freed && owner.entry->address == address)
    return {fmt::format("'{}' has been freed already, at {}", owner.name, owner.entry->freed_by),
            "free it once: set the pointer to nullptr behind that", owner.entry->freed_by != kByReset};
  if (owner.kind == Kind::live && owner.entry->variable)
    return {fmt::format("'{}' is a variable of the program's, which nobody allocated", owner.name), "leave it out",
            true};
  if (owner.kind == Kind::live && owner.entry->address == address) {
    const bool registered = owner.entry->kind == MemoryEntry::Kind::registered;
    return {fmt::format("it is {}, which {} did not return", whose(owner), made),
            registered ? "cudaHostUnregister ends that; free() frees it" : fmt::format("{} frees it", other), true};
  }
  if (owner.kind == Kind::live)
    return {
        fmt::format("the pointer lies {} bytes behind the begin of '{}'", address - owner.entry->address, owner.name),
        fmt::format("free the pointer that {} gave, not one that was moved on", made), true};
  if (session.is_of_kernels(address))
    return {fmt::format("{:#x} is memory of the kernels' heap (malloc, new, in a kernel)", address),
            "free it there, by free or delete", true};
  return {fmt::format("{:#x} is not what {} returned: it is {}", address, made, whose(owner)),
          owner.is_host() ? "free() and delete free the host's memory" : "free what was allocated, once", true};
}

Reason registered_before(const Session& session, std::uint64_t address, std::size_t bytes) {
  const MemoryEntry* entry = session.memory.holding(address);
  if (entry == nullptr) entry = session.memory.holding(address + bytes - 1);
  const std::string what = entry == nullptr
                               ? "a part of it"
                               : fmt::format("'{}' ({} bytes, at {})", entry->name, entry->bytes, entry->caller);
  return {fmt::format("{} of these {} bytes is known to the runtime already", what, bytes),
          "register memory once, and unregister it (cudaHostUnregister) before it is freed"};
}

Reason not_registered(const Session& session, std::uint64_t address) {
  return {fmt::format("it is {}, and no pointer that cudaHostRegister was given", whose(owner_of(session, address))),
          "unregister the pointer that was registered, once"};
}

Reason not_managed(const Session& session, std::uint64_t address) {
  return {fmt::format("it is {}, and no managed memory", whose(owner_of(session, address))),
          "cudaMallocManaged makes memory that can be moved so; leave it out for other memory"};
}

Reason null_argument(const char* what) { return {fmt::format("the {} is a null pointer", what), {}, true}; }

Reason pool_of_another() {
  return {"the pool is another process's", "memory that it has taken is imported by cudaMemPoolImportPointer"};
}

Reason no_such_pools() {
  return {"pools are of a GPU's memory or the host's (cudaMemAllocationTypePinned), or of managed memory"};
}

Reason other_pool_handles() {
  return {"memory can be shared by cudaMemHandleTypePosixFileDescriptor, and by no other type of handle"};
}

Reason no_array(const void* handle) {
  return {handle == nullptr ? "the array is a null pointer" : "the array has been freed, or was never made",
          "check what cudaMallocArray returns", false, true};
}

Reason no_array_to_free() {
  return {"the array is none that cudaMallocArray returned, or has been freed", "free it once", true, true};
}

Reason array_too_large(const cudaExtent& e, unsigned flags) {
  const bool layered = (flags & cudaArrayLayered) != 0;
  return {fmt::format("no GPU of this kind has arrays of {} x {} x {} texels{}", e.width, e.height, e.depth,
                      layered ? " (layers)" : ""),
          layered        ? "32768 x 32768 texels and 2048 layers are the most"
          : e.depth != 0 ? "16384 x 16384 x 16384 texels are the most, and no side is 0"
                         : "131072 x 65536 texels are the most, and the width is not 0"};
}

Reason no_channels(const cudaChannelFormatDesc& c) {
  return {fmt::format("texels of {}, {}, {} and {} bits are none", c.x, c.y, c.z, c.w),
          "1, 2 or 4 channels of 8, 16 or 32 bits, all alike: cudaCreateChannelDesc<T>()"};
}

Reason filter_of_integers() {
  return {"cudaFilterModeLinear of integer texels, which are read as they are (cudaReadModeElementType)",
          "linear filtering needs texels of float, or readMode = cudaReadModeNormalizedFloat; else filterMode = "
          "cudaFilterModePoint"};
}

Reason fractions_of(bool of_floats) {
  return {fmt::format("cudaReadModeNormalizedFloat of texels of {}", of_floats ? "float" : "32 bits"),
          "it is for integers of 8 and 16 bits: readMode = cudaReadModeElementType"};
}

Reason misplaced_texels(std::uint64_t address, std::uint64_t alignment) {
  if (address == 0) return {"the texels' address is a null pointer", "check what allocated it", false, true};
  return {fmt::format("the texels lie at {:#x}, which is no multiple of {}", address, alignment),
          "begin where an allocation begins (textureAlignment of cudaDeviceProp)"};
}

Reason texture_pitch(const cudaResourceDesc& resource, std::size_t texel_bytes, std::uint64_t alignment) {
  const auto& rows = resource.res.pitch2D;
  if (rows.pitchInBytes < rows.width * texel_bytes)
    return {fmt::format("rows of {} texels of {} bytes, but a pitch of {} bytes", rows.width, texel_bytes,
                        rows.pitchInBytes),
            "pitchInBytes counts bytes: what cudaMallocPitch gave"};
  if (rows.pitchInBytes % alignment != 0)
    return {
        fmt::format("a pitch of {} bytes, which is no multiple of {}", rows.pitchInBytes, alignment),
        "allocate the rows with cudaMallocPitch, copy them with cudaMemcpy2D, and let pitchInBytes be the pitch that "
        "it gave"};
  return {fmt::format("{} x {} texels with a pitch of {} bytes", rows.width, rows.height, rows.pitchInBytes),
          "1 to 131072 x 65000 texels, and a pitch of 2097120 bytes at most; or use an array"};
}

Reason surface_of_no_array() {
  return {"a surface is made of an array alone",
          "resType = cudaResourceTypeArray, of cudaMallocArray(…, "
          "cudaArraySurfaceLoadStore)"};
}

Reason no_event(const char* which) {
  return {fmt::format("the {}event was never made, or has been destroyed", which), "call cudaEventCreate before", false,
          true};
}

Reason event_not_recorded(const char* which) {
  return {fmt::format("the {}event was never recorded", which),
          "call cudaEventRecord for both events, around the work, and cudaEventSynchronize for the second"};
}

Reason nobody_waited() {
  return {"nothing has waited since the second event was recorded: a GPU may not have come to it yet",
          "call cudaEventSynchronize for the second event before"};
}

Reason event_without_time(const char* which) {
  return {fmt::format("the {}event keeps no time: it was made with cudaEventDisableTiming", which),
          "make events that are to measure with cudaEventCreate"};
}

Reason no_stream(cudaStream_t stream) {
  return {fmt::format("the stream ({:#x}) has been destroyed, or was never created",
                      reinterpret_cast<std::uint64_t>(stream)),
          "call cudaStreamCreate before, and cudaStreamDestroy behind the last use", false, true};
}

Reason no_device(int device) {
  const int gpus = Session::instance().gpus();
  if (gpus == 1)
    return {fmt::format("there is no device {}: there is one GPU, device 0", device),
            "ask cudaGetDeviceCount, and count from 0"};
  return {fmt::format("there is no device {}: there are {} GPUs, devices 0 to {}", device, gpus, gpus - 1),
          "ask cudaGetDeviceCount, and count from 0"};
}

Reason own_peer(int device) {
  return {fmt::format("device {} is current, and always reaches its own memory", device),
          "name the other device, whose memory the current one's kernels are to reach"};
}

Reason peer_enabled_already(int device, int peer) {
  return {fmt::format("kernels of device {} reach memory of device {} already", device, peer),
          "enable it once for each pair, in each direction"};
}

Reason peer_not_enabled(int device, int peer) {
  return {fmt::format("kernels of device {} do not reach memory of device {}: it has not been enabled", device, peer),
          "cudaDeviceEnablePeerAccess comes first, while the same device is current"};
}

Reason memory_of_another(const std::string& name, int memory_gpu, int gpu) {
  return {fmt::format("'{}' is memory of GPU {}, which GPU {} may not reach", name, memory_gpu, gpu),
          fmt::format("call cudaSetDevice({}) before, or, while GPU {} is current, cudaDeviceEnablePeerAccess({}, 0)",
                      memory_gpu, gpu, memory_gpu)};
}

Reason stream_of_another(const char* what, int stream_gpu, int other) {
  return {fmt::format("the stream is device {}'s, {} device {}'s", stream_gpu, what, other),
          fmt::format("call cudaSetDevice({}) before, or take a stream of device {}", stream_gpu, other)};
}

Reason events_of_two(int first, int second) {
  return {fmt::format("the first event is device {}'s, the second device {}'s", first, second),
          "take both on one device: their clocks are not the same"};
}

Reason too_much_shared(std::size_t value, std::size_t fixed, std::size_t most, const std::string& kernel) {
  const std::string beside = fixed == 0 ? "" : fmt::format(" beside {} of its own", fixed);
  return {
      fmt::format("{} bytes of dynamic shared memory{} for {}; a block has {} at most", value, beside, kernel, most),
      "ask cudaDevAttrMaxSharedMemoryPerBlockOptin, and let a block work on less at once"};
}

Reason in_host_function() {
  return {"it stands in a host function of a stream (cudaLaunchHostFunc, a callback), which may not call CUDA",
          "queue it in the stream before that function, or do it when the host has waited for the stream", true};
}

Reason not_in_capture(const char* what) {
  return {fmt::format("{} is not allowed while a stream captures: the default stream takes no part in a graph, and the "
                      "capture ends with an error",
                      what),
          "queue it in the stream that captures (cudaMemcpyAsync with that stream), or before the capture begins",
          true};
}

Reason ended_capture() {
  return {"not allowed while a stream captures: the capture ends with an error",
          "call it before cudaStreamBeginCapture or behind cudaStreamEndCapture; what a captured stream is given runs "
          "when its graph is launched"};
}

Reason capture_of_another() {
  return {"the capture began in another stream, and this one has joined it by an event",
          "end it by the stream that cudaStreamBeginCapture was given"};
}

Reason fork_not_joined() {
  return {"a stream that waits for an event of the captured one has work which the captured one does not wait for",
          "record an event in that stream behind its work, and let the captured one wait for it (cudaStreamWaitEvent) "
          "before the capture ends"};
}

Reason waits_for_uncaptured() {
  return {"the event was recorded outside of this capture: a graph cannot wait for what is not part of it",
          "record it in a stream of the capture, or wait with cudaEventWaitExternal"};
}

Reason event_of_capture() {
  return {"the event was recorded while a stream captured: it marks a node of the graph, and nothing has run",
          "record one outside of the capture, or wait for the stream that the graph is launched in"};
}

Reason no_kernel() { return {"the function is no __global__ function of the program", "pass the kernel's name"}; }

}  // namespace gpulab::cuda_api
