// Copies and fills. They happen at once; on the timeline they take what an assumed link takes.

#include "common/cuda_api/runtime/copies/copies.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/host/habits.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams/streams.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// Of PCIe 5.0 x16 from pinned and from pageable memory, GB/s. An H100's copies of 64 MiB of pinned memory reach 53 to
/// 54; the others are assumed.
constexpr double kPinned = 53, kPageable = 12;
/// Between two GPUs without peer access: through the host's memory, both ways at once. Assumed, too.
constexpr double kStaged = 25;
/// What a copy from GPU to GPU reaches of NVLink's peak: two H100 392 GB/s of 450, for 256 MiB.
constexpr double kLinkReached = 0.88;

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// A place to copy from or to: device memory, or the host's.
struct Place {
  std::uint64_t address = 0;
  bool on_device = false;  ///< of an allocation, or a variable
  bool pinned = false;
};

/// How many bytes of an allocation or a variable lie from here on; nothing where it is the host's alone.
std::optional<std::size_t> device_bytes(Session& s, std::uint64_t address) {
  const MemoryEntry* entry = s.memory_at(address);
  return entry == nullptr ? std::nullopt : std::optional(entry->bytes - (address - entry->address));
}

const char* direction(bool from_device, bool to_device) {
  return from_device ? to_device ? "DtoD" : "DtoH" : to_device ? "HtoD" : "HtoH";
}

std::string title(bool from_device, bool to_device) {
  return fmt::format("[CUDA memcpy {}]", direction(from_device, to_device));
}

/// GB/s between the memory of two GPUs: their NVLink, else PCIe.
double peer_gbs(Session& s, int one, int other) {
  if (!s.reaches(one, other) && !s.reaches(other, one)) return kStaged;
  return s.profile().nvlink_gbs > 0 ? s.profile().nvlink_gbs * kLinkReached : kPinned;
}

/// The GPUs of both sides where they are two, and both are in memory of a GPU.
std::optional<std::pair<int, int>> two_gpus(Session& s, std::uint64_t to, std::uint64_t from) {
  if (s.gpus() == 1) return std::nullopt;
  const MemoryEntry *one = s.memory.holding(from), *other = s.memory.holding(to);
  if (one == nullptr || other == nullptr || one->gpu == other->gpu) return std::nullopt;
  if (one->host_may_touch() || other->host_may_touch()) return std::nullopt;
  return std::pair{one->gpu, other->gpu};
}

/// Does a side that is to be the device's lie in an allocation, all of it? What is wrong is told.
cudaError_t check_side(Session& s, const char* function, const char* side, std::uint64_t address, std::size_t span,
                       bool is_device, bool may_be_either, std::uint64_t other, void* caller) {
  const auto there = device_bytes(s, address);
  if (!there) {
    if (!is_device) {
      if (address != 0 && s.memory.freed(address) == nullptr) return cudaSuccess;
      return s.because(cudaErrorInvalidValue, null_or_freed(s, side, address));
    }
    return s.because(cudaErrorInvalidValue, not_of_device(s, side, address, other));
  }
  const MemoryEntry& entry = *s.memory.holding(address);
  if (!is_device && !may_be_either && !entry.host_may_touch()) {
    s.find(fmt::format("{}: the {} is '{}', memory of the device; the kind of copy says the host's", function, side,
                       entry.name),
           Severity::warning, caller);  // a GPU goes by the address, too
  }
  if (span <= *there) return cudaSuccess;
  return s.because(cudaErrorInvalidValue, beyond_allocation(side, entry, span, *there));
}

void move(Session& s, std::uint64_t to, bool to_device, std::uint64_t from, bool from_device, std::size_t bytes) {
  // NOLINTBEGIN(performance-no-int-to-ptr): the host's side
  auto* host_to = reinterpret_cast<std::byte*>(to);
  const auto* host_from = reinterpret_cast<const std::byte*>(from);
  // NOLINTEND(performance-no-int-to-ptr)
  if (to_device && from_device)
    s.device().copy(to, from, bytes);
  else if (to_device)
    s.device().write(to, {host_from, bytes});
  else if (from_device)
    s.device().read({host_to, bytes}, from);
  else
    std::memmove(host_to, host_from, bytes);
}

/// Rows of a value of several bytes that are not all alike.
void write_pattern(Session& s, std::uint64_t to, Pattern pattern, std::size_t bytes) {
  constexpr std::size_t most = std::size_t{1} << 20;
  std::vector<std::byte> row(std::min(bytes, most));
  for (std::size_t at = 0; at + pattern.bytes <= row.size(); at += pattern.bytes)
    std::memcpy(row.data() + at, &pattern.value, pattern.bytes);
  for (std::size_t at = 0; at < bytes; at += most)
    s.device().write(to + at, std::span(row).first(std::min(most, bytes - at)));
}

/// The one byte that the value consists of; nothing where they differ.
std::optional<std::byte> one_byte(Pattern pattern) {
  std::byte bytes[sizeof pattern.value];
  std::memcpy(bytes, &pattern.value, sizeof bytes);
  const bool alike = std::all_of(bytes, bytes + pattern.bytes, [&](std::byte b) { return b == bytes[0]; });
  return alike ? std::optional(bytes[0]) : std::nullopt;
}

cudaError_t fill(Session& s, const char* function, void* to, Pattern value, const Rows& rows, cudaStream_t stream,
                 void* caller) {
  function = s.name_of(function);
  caller = s.caller_of(caller);
  if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
  if (rows.bytes == 0 || rows.count == 0) return cudaSuccess;
  if (s.capture(
          stream, [=](Session& later, cudaStream_t on) { return fill(later, function, to, value, rows, on, caller); },
          cudaGraphNodeTypeMemset))
    return cudaSuccess;
  const std::size_t span = (rows.count - 1) * rows.pitch_to + rows.bytes;
  if (const auto e = check_side(s, function, "destination", number(to), span, true, false, 0, caller); e != cudaSuccess)
    return e;
  // Copies go between any two GPUs; a fill is work of the stream's (two H100, driver 580).
  const int gpu = gpu_of_stream(stream_number(stream));
  if (const MemoryEntry* entry = s.memory.holding(number(to)))
    if (!entry->host_may_touch() && entry->gpu != gpu && !s.reaches(gpu, entry->gpu))
      return s.because(cudaErrorInvalidValue, memory_of_another(entry->name, entry->gpu, gpu));
  s.streams.transfer(s, {function, number(to), 0, rows, static_cast<int>(value.value), stream, caller});
  const auto byte = one_byte(value);
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::uint64_t there = number(to) + row * rows.pitch_to;
    if (byte)
      s.device().fill(there, *byte, rows.bytes);
    else
      write_pattern(s, there, value, rows.bytes);
  }
  s.account_copy("[CUDA memset]", rows.bytes * rows.count, stream, s.profile().memory_bandwidth_gbs);
  return cudaSuccess;
}

/// The variable behind a symbol with `bytes` from `offset` on; 0 where it is none, or smaller.
std::uint64_t symbol_place(Session& s, const void* symbol, std::size_t bytes, std::size_t offset, cudaError_t& error) {
  const VariableEntry* variable = s.modules.variable(symbol);
  if (variable == nullptr && s.options.old_cuda) {
    variable = s.modules.variable_named(symbol);
    if (variable != nullptr)
      s.note(fmt::format("--old-cuda: a symbol is named by a string, \"{}\"; since CUDA 5 it is the variable itself",
                         variable->name));
  }
  if (variable == nullptr) {
    error = s.because(cudaErrorInvalidSymbol, not_a_symbol(s, symbol));
    return 0;
  }
  const auto place = s.place_of(*variable);
  if (offset > place.bytes || bytes > place.bytes - offset) {
    error = s.because(cudaErrorInvalidValue, too_much_for_symbol(*variable, bytes, offset, place.bytes));
    return 0;
  }
  error = cudaSuccess;
  return place.address + offset;
}

// NOLINTNEXTLINE(performance-no-int-to-ptr)
void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }

/// Behind a launch that goes on beside the host. What comes from the host's memory that is not pinned is taken now: the
/// program may use that memory again.
cudaError_t copy_later(Session& s, const char* function, const void* to, const void* from, const Rows& rows,
                       cudaMemcpyKind kind, cudaStream_t stream, void* caller) {
  const bool is_pageable = (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDefault) &&
                           s.memory_at(number(from)) == nullptr && s.memory_at(number(to)) != nullptr;
  std::shared_ptr<std::vector<std::byte>> staged;
  if (is_pageable) {
    const auto* const first = static_cast<const std::byte*>(from);
    staged = std::make_shared<std::vector<std::byte>>(first, first + (rows.count - 1) * rows.pitch_from + rows.bytes);
  }
  const auto work = [=](Session& later, cudaStream_t on) {
    return copy(later, function, to, staged ? staged->data() : from, rows, kind, on, caller);
  };
  return s.under_way.later(stream, work) ? cudaSuccess : work(s, stream);
}

Pattern byte_of(int value) { return {static_cast<unsigned char>(value)}; }

}  // namespace

cudaError_t cuda_api::check_gpus(Session& s, int to, int from) {
  for (const int gpu : {to, from})
    if (!s.has_gpu(gpu)) {
      if (gpu > 0) s.asks_for_gpu(gpu);
      return s.because(cudaErrorInvalidDevice, no_device(gpu));
    }
  return cudaSuccess;
}

cudaError_t cuda_api::begin_waiting(Session&, const char* function) {
  return call(function, Waits::yes, [](Session&) { return cudaSuccess; });
}

cudaError_t cuda_api::fill_with(Session&, void* to, Pattern pattern, const Rows& rows, cudaStream_t stream,
                                bool is_async) {
  const char* const function = is_async ? "cudaMemsetAsync" : "cudaMemset";
  void* const caller = __builtin_return_address(0);
  return call(function, is_async ? Waits::no : Waits::yes,
              [&](Session& s) { return fill(s, function, to, pattern, rows, stream, caller); });
}

cudaError_t cuda_api::copy(Session& s, const char* function, const void* to, const void* from, const Rows& rows,
                           cudaMemcpyKind kind, cudaStream_t stream, void* caller) {
  function = s.name_of(function);
  caller = s.caller_of(caller);
  if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
  if (static_cast<unsigned>(kind) > cudaMemcpyDefault)
    return s.because(cudaErrorInvalidMemcpyDirection, no_direction(static_cast<int>(kind)));
  if (rows.bytes == 0 || rows.count == 0) return cudaSuccess;
  if (s.under_way.any() && !s.captures(stream) && s.under_way.holds(stream)) {
    if (std::string_view(function).ends_with("Async"))
      return copy_later(s, function, to, from, rows, kind, stream, caller);
    if (const auto e = s.under_way.wait_for_stream(stream); e != cudaSuccess) return e;
  }
  const auto later = [=](Session& then, cudaStream_t on) {
    return copy(then, function, to, from, rows, kind, on, caller);
  };
  if (s.capture(stream, later, cudaGraphNodeTypeMemcpy)) return cudaSuccess;
  if (s.breaks_capture(stream))
    return s.because(cudaErrorStreamCaptureImplicit, not_in_capture("a copy in the default stream"));
  if (rows.count > 1 && rows.pitch_to < rows.bytes)
    return s.because(cudaErrorInvalidPitchValue, pitch_too_small("destination", rows.pitch_to, rows.bytes));
  if (rows.count > 1 && rows.pitch_from < rows.bytes)
    return s.because(cudaErrorInvalidPitchValue, pitch_too_small("source", rows.pitch_from, rows.bytes));
  const bool guess = kind == cudaMemcpyDefault;
  const bool to_device = guess ? device_bytes(s, number(to)).has_value()
                               : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = guess ? device_bytes(s, number(from)).has_value()
                                 : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const std::size_t span_to = (rows.count - 1) * rows.pitch_to + rows.bytes;
  const std::size_t span_from = (rows.count - 1) * rows.pitch_from + rows.bytes;
  if (const auto e =
          check_side(s, function, "destination", number(to), span_to, to_device, guess, number(from), caller);
      e != cudaSuccess)
    return e;
  if (const auto e = check_side(s, function, "source", number(from), span_from, from_device, guess, number(to), caller);
      e != cudaSuccess)
    return e;
  // What both may touch, the device's tools are to see.
  const bool to_side = to_device || device_bytes(s, number(to)).has_value();
  const bool from_side = from_device || device_bytes(s, number(from)).has_value();
  const auto peers = two_gpus(s, number(to), number(from));
  // Between GPUs a copy that is not Async is behind all that both have queued, and in front of all that comes.
  const bool orders_all = peers && !std::string_view(function).ends_with("Async");
  if (orders_all) s.streams.synchronised();
  s.streams.transfer(s, {function, number(to), number(from), rows, 0, stream, caller});
  if (orders_all) s.streams.synchronised();
  const bool needless =
      to_device && !from_side && rows.count == 1 && habits::is_needless(s, number(to), number(from), rows.bytes);
  for (std::size_t row = 0; row < rows.count; ++row)
    move(s, number(to) + row * rows.pitch_to, to_side, number(from) + row * rows.pitch_from, from_side, rows.bytes);
  if (from_side && !to_side) s.taken(function, number(from), rows, caller);
  if (to_side && !from_side) s.brought(function, number(to), rows.bytes * rows.count, caller);
  const bool pinned = !to_device ? s.memory.holding(number(to)) != nullptr : s.memory.holding(number(from)) != nullptr;
  const double gbs = to_device && from_device ? s.profile().memory_bandwidth_gbs / 2 : pinned ? kPinned : kPageable;
  const std::uint64_t bytes = rows.bytes * rows.count;
  const double ms = peers
                        ? s.account_copy("[CUDA memcpy PtoP]", bytes, stream, peer_gbs(s, peers->first, peers->second))
                        : s.account_copy(title(from_device, to_device), bytes, stream, gbs);
  if (orders_all)
    for (const int gpu : {peers->first, peers->second})
      s.timeline.wait_until(default_stream_of(gpu), s.timeline.ready(stream_number(stream)));
  const bool pageable = to_device != from_device && !pinned;
  const double gained = pageable ? static_cast<double>(bytes) * (1 / kPageable - 1 / kPinned) / 1e6 : 0;
  habits::copied(s, {.function = function,
                     .direction = direction(from_device, to_device),
                     .caller = caller,
                     .to = number(to),
                     .from = number(from),
                     .bytes = bytes,
                     .pageable = pageable,
                     .needless = needless,
                     .ms = ms,
                     .pinned_ms = ms - gained});
  return cudaSuccess;
}

namespace {

/// Of each slice as many rows as the box is high; slices lie as far apart as the memory is high.
cudaError_t fill_box(Session& s, const char* function, const cudaPitchedPtr& to, int value, const cudaExtent& extent,
                     cudaStream_t stream, void* caller) {
  if (extent.height == to.ysize || extent.depth <= 1)
    return fill(s, function, to.ptr, byte_of(value), {extent.width, extent.height * extent.depth, to.pitch, to.pitch},
                stream, caller);
  for (std::size_t slice = 0; slice < extent.depth; ++slice)
    if (const auto e = fill(s, function, static_cast<std::byte*>(to.ptr) + slice * to.pitch * to.ysize, byte_of(value),
                            {extent.width, extent.height, to.pitch, to.pitch}, stream, caller);
        e != cudaSuccess)
      return e;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemcpy", Waits::yes,
      [&](Session& s) { return copy(s, "cudaMemcpy", to, from, {bytes}, kind, nullptr, caller); }, bytes);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemcpyAsync", Waits::no,
      [&](Session& s) { return copy(s, "cudaMemcpyAsync", to, from, {bytes}, kind, stream, caller); }, bytes);
}

cudaError_t cudaMemcpyPeer(void* to, int to_gpu, const void* from, int from_gpu, size_t bytes) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemcpyPeer", Waits::yes,
      [&](Session& s) {
        if (const auto e = check_gpus(s, to_gpu, from_gpu); e != cudaSuccess) return e;
        return copy(s, "cudaMemcpyPeer", to, from, {bytes}, cudaMemcpyDeviceToDevice, nullptr, caller);
      },
      bytes);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_gpu, const void* from, int from_gpu, size_t bytes,
                                cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemcpyPeerAsync", Waits::no,
      [&](Session& s) {
        if (const auto e = check_gpus(s, to_gpu, from_gpu); e != cudaSuccess) return e;
        return copy(s, "cudaMemcpyPeerAsync", to, from, {bytes}, cudaMemcpyDeviceToDevice, stream, caller);
      },
      bytes);
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemcpy2D", Waits::yes,
      [&](Session& s) {
        return copy(s, "cudaMemcpy2D", to, from, {width, height, to_pitch, from_pitch}, kind, nullptr, caller);
      },
      width * height);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemcpy2DAsync", Waits::no,
      [&](Session& s) {
        return copy(s, "cudaMemcpy2DAsync", to, from, {width, height, to_pitch, from_pitch}, kind, stream, caller);
      },
      width * height);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemset", Waits::yes,
      [&](Session& s) { return fill(s, "cudaMemset", to, byte_of(value), {bytes}, nullptr, caller); }, bytes);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemsetAsync", Waits::no,
      [&](Session& s) { return fill(s, "cudaMemsetAsync", to, byte_of(value), {bytes}, stream, caller); }, bytes);
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemset2D", Waits::yes,
      [&](Session& s) {
        return fill(s, "cudaMemset2D", to, byte_of(value), {width, height, pitch, pitch}, nullptr, caller);
      },
      width * height);
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemset2DAsync", Waits::no,
      [&](Session& s) {
        return fill(s, "cudaMemset2DAsync", to, byte_of(value), {width, height, pitch, pitch}, stream, caller);
      },
      width * height);
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemset3D", Waits::yes,
              [&](Session& s) { return fill_box(s, "cudaMemset3D", to, value, extent, nullptr, caller); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemset3DAsync", Waits::no,
              [&](Session& s) { return fill_box(s, "cudaMemset3DAsync", to, value, extent, stream, caller); });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemcpyToSymbol", Waits::yes,
      [&](Session& s) {
        cudaError_t error = cudaSuccess;
        const auto to = symbol_place(s, symbol, bytes, offset, error);
        if (error != cudaSuccess) return error;
        return copy(s, "cudaMemcpyToSymbol", pointer_to(to), from, {bytes}, kind, nullptr, caller);
      },
      bytes);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemcpyToSymbolAsync", Waits::no,
      [&](Session& s) {
        cudaError_t error = cudaSuccess;
        const auto to = symbol_place(s, symbol, bytes, offset, error);
        if (error != cudaSuccess) return error;
        return copy(s, "cudaMemcpyToSymbolAsync", pointer_to(to), from, {bytes}, kind, stream, caller);
      },
      bytes);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemcpyFromSymbol", Waits::yes,
      [&](Session& s) {
        cudaError_t error = cudaSuccess;
        const auto from = symbol_place(s, symbol, bytes, offset, error);
        if (error != cudaSuccess) return error;
        return copy(s, "cudaMemcpyFromSymbol", to, pointer_to(from), {bytes}, kind, nullptr, caller);
      },
      bytes);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call(
      "cudaMemcpyFromSymbolAsync", Waits::no,
      [&](Session& s) {
        cudaError_t error = cudaSuccess;
        const auto from = symbol_place(s, symbol, bytes, offset, error);
        if (error != cudaSuccess) return error;
        return copy(s, "cudaMemcpyFromSymbolAsync", to, pointer_to(from), {bytes}, kind, stream, caller);
      },
      bytes);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return call("cudaGetSymbolAddress", Waits::no, [&](Session& s) {
    cudaError_t error = cudaSuccess;
    *pointer = pointer_to(symbol_place(s, symbol, 0, 0, error));
    return error;
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return call("cudaGetSymbolSize", Waits::no, [&](Session& s) {
    const VariableEntry* variable = s.modules.variable(symbol);
    if (variable == nullptr) return s.because(cudaErrorInvalidSymbol, not_a_symbol(s, symbol));
    *bytes = s.place_of(*variable).bytes;
    return cudaSuccess;
  });
}

}  // extern "C"
