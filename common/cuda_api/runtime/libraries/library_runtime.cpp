// Operations of libraries: as a kernel's, but for how they compute.

#include "common/cuda_api/libraries/library_runtime.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "common/cuda_api/runtime/copies/copies.h"
#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/libraries/library_kernels.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams/streams.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 16;  ///< that tools look at, one by one

const char* verb(const LibraryBuffer& buffer) { return buffer.writes && !buffer.reads ? "write" : "read"; }

class Access final : public LibraryAccess {
 public:
  Access(Session& session, const LibraryOperation& operation) : session_(session), operation_(operation) {}

  void use(const std::vector<LibraryBuffer>& buffers) override {
    for (const auto& buffer : buffers)
      if (buffer.first < buffer.end) check(buffer);
    for (const auto& buffer : buffers)
      if (buffer.first < buffer.end) take(buffer);
  }
  void read(void* to, std::uint64_t from, std::uint64_t bytes) override {
    if (bytes > 0) session_.device().read({static_cast<std::byte*>(to), bytes}, from);
  }
  void write(std::uint64_t to, const void* from, std::uint64_t bytes) override {
    if (bytes > 0) session_.device().write(to, {static_cast<const std::byte*>(from), bytes});
  }

  [[nodiscard]] double operations() const override { return operation_.operations; }

  LibraryTouches touches;

 private:
  void check(const LibraryBuffer& buffer) const {
    const MemoryEntry* entry = session_.memory.holding(buffer.first);
    if (entry != nullptr && buffer.first % buffer.alignment != 0)
      throw LaunchError(
          LaunchFailure::fault,
          fmt::format("misaligned {} at {:#x} by {} ({}): its '{}' begins at no multiple of {} bytes", verb(buffer),
                      buffer.first, operation_.function, operation_.shape, buffer.name, buffer.alignment),
          {}, "give it the address of a whole element");
    const std::string what =
        fmt::format("out-of-bounds {} of {} bytes at {:#x} by {} ({}): its '{}'", verb(buffer),
                    buffer.end - buffer.first, buffer.first, operation_.function, operation_.shape, buffer.name);
    if (entry == nullptr) {
      const MemoryEntry* freed = session_.memory.freed(buffer.first);
      const char* hint = "memory of the host is copied to the device first: cudaMalloc, cudaMemcpy";
      throw LaunchError(LaunchFailure::fault,
                        what + (buffer.first == 0  ? " is a null pointer"
                                : freed != nullptr ? fmt::format(" is '{}', which was freed", freed->name)
                                                   : " is no memory of the device"),
                        {}, buffer.first != 0 && freed == nullptr ? hint : "");
    }
    const std::uint64_t there = entry->bytes - (buffer.first - entry->address);
    if (buffer.end - buffer.first > there)
      throw LaunchError(LaunchFailure::fault,
                        fmt::format("{} goes {} bytes beyond the end of '{}', which has {}", what,
                                    buffer.end - buffer.first - there, entry->name, entry->bytes),
                        {},
                        "look at its dimensions, its leading dimension, its stride and the bytes that it was given");
  }

  void take(const LibraryBuffer& buffer) {
    const MemoryEntry& entry = *session_.memory.holding(buffer.first);
    touches.bytes.names[entry.address] = entry.name;
    std::uint64_t bytes = 0, unwritten = 0, first_unwritten = 0;
    const bool each = buffer.rows <= kMostRows;
    for (std::uint64_t i = 0; i < buffer.rows; ++i) {
      const auto [address, count] = buffer.row(i);
      bytes += count;
      if (!each) continue;
      if (buffer.reads) {
        touches.bytes.read.add(address, address + count);
        for (const auto& gap : session_.device().never_written(address, count)) {
          if (unwritten == 0) first_unwritten = address + gap.offset;
          unwritten += gap.bytes;
        }
      }
      if (buffer.writes) touches.bytes.written.add(address, address + count);
    }
    touches.read += buffer.reads ? bytes : 0;
    touches.written += buffer.writes ? bytes : 0;
    if (buffer.writes) touches.written_memory.push_back(entry.address);
    if (unwritten > 0)
      session_.find(fmt::format("{} ({}) reads {} bytes of its '{}' that nothing has written, the first at byte {} of "
                                "'{}'",
                                operation_.function, operation_.shape, unwritten, buffer.name,
                                first_unwritten - entry.address, entry.name),
                    Severity::error, operation_.caller, "initcheck");
  }

  Session& session_;
  const LibraryOperation& operation_;
};

cudaError_t perform(Session& s, const LibraryOperation& operation, cudaStream_t stream, const LibraryWork& work) {
  if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
  if (s.capture(
          stream, [=](Session& later, cudaStream_t on) { return perform(later, operation, on, work); },
          cudaGraphNodeTypeKernel))
    return cudaSuccess;
  if (s.breaks_capture(stream))
    return s.because(cudaErrorStreamCaptureImplicit, not_in_capture("work in the default stream"));
  return s.library(operation, stream, [&](LibraryTouches& touches) {
    Access access(s, operation);
    work(access);
    touches = std::move(access.touches);
  });
}

/// Each part behind what the streams hold that it needs, and all at one time.
cudaError_t perform_together(Session& s, const std::vector<LibraryPart>& parts, const LibraryWork& work) {
  std::vector<Mark> marks;
  std::vector<Moment> ready;
  for (const auto& part : parts) {
    const OnGpu on(part.gpu);
    cudaStream_t stream = part.operation.stream;
    if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
    if (s.captures(stream)) s.refuse(part.operation.function + " in a stream that is captured", part.operation.caller);
    if (s.breaks_capture(stream))
      return s.because(cudaErrorStreamCaptureImplicit, not_in_capture("work in the default stream"));
    marks.push_back(s.streams.recorded(stream));
    ready.push_back(s.timeline.reached(stream_number(stream)));
  }
  for (const auto& part : parts) {
    const OnGpu on(part.gpu);
    for (const std::size_t other : part.after) {
      s.streams.waits(part.operation.stream, marks[other]);
      s.timeline.wait_until(stream_number(part.operation.stream), ready[other]);
    }
  }
  for (const auto& part : parts) {
    const OnGpu on(part.gpu);
    const cudaError_t error = s.library(part.operation, part.operation.stream, [&](LibraryTouches& touches) {
      Access access(s, part.operation);
      access.use(part.buffers);
      if (&part == &parts.back()) work(access);
      touches = std::move(access.touches);
    });
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

class Runtime final : public LibraryRuntime {
 public:
  void compute(const LibraryKernel& kernel, std::uint32_t count, std::span<const std::byte> in,
               std::span<std::byte> out, std::span<const std::byte> argument) override {
    static LibraryKernels kernels(Session::instance().profile(), threads());
    kernels.run(kernel, count, in, out, argument);
  }
  cudaError_t queue(const LibraryOperation& operation, const LibraryWork& work) override {
    return call_from(operation.caller, operation.function.c_str(), operation.waits ? Waits::yes : Waits::no, 0,
                     [&](Session& s) {
                       if (operation.waits && !s.captures(operation.stream))
                         if (const auto e = s.under_way.wait_for_stream(operation.stream); e != cudaSuccess) return e;
                       const cudaError_t error = perform(s, operation, operation.stream, work);
                       if (!operation.waits || s.captures(operation.stream)) return error;
                       s.streams.synchronised(operation.stream);
                       s.host_waits(s.timeline.ready(stream_number(operation.stream)));
                       return error == cudaSuccess ? s.surface() : error;
                     });
  }
  cudaError_t queue_together(const std::vector<LibraryPart>& parts, const LibraryWork& work) override {
    const LibraryOperation& first = parts.front().operation;
    if (!first.waits)
      return call_from(first.caller, first.function.c_str(), Waits::no, 0,
                       [&](Session& s) { return perform_together(s, parts, work); });
    return call_from(first.caller, first.function.c_str(), Waits::yes, 0, [&](Session& s) {
      for (const auto& part : parts) {
        const OnGpu on(part.gpu);
        if (const auto e = s.under_way.wait_for_stream(part.operation.stream); e != cudaSuccess) return e;
      }
      if (const auto error = perform_together(s, parts, work); error != cudaSuccess) return error;
      for (const auto& part : parts) {
        const OnGpu on(part.gpu);
        s.streams.synchronised(part.operation.stream);
        s.host_waits(s.timeline.ready(stream_number(part.operation.stream)));
      }
      return s.surface();
    });
  }
  void hang(const std::string& function, const std::string& what, const std::string& hint, void* caller) override {
    Session& session = Session::instance();
    const std::lock_guard lock(session.mutex);
    session.hang(function, what, hint, caller);
  }
  void refuse(const std::string& what, void* caller, const std::string& hint) override {
    Session& session = Session::instance();
    const std::lock_guard lock(session.mutex);
    session.refuse(what, caller, hint);
  }
  bool host_may_touch(std::uint64_t address) override {
    Session& session = Session::instance();
    const std::lock_guard lock(session.mutex);
    const MemoryEntry* entry = session.memory.holding(address);
    return entry == nullptr || entry->host_may_touch();
  }
  cudaError_t copy(const char* function, void* to, std::size_t pitch_to, const void* from, std::size_t pitch_from,
                   std::size_t bytes, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream, bool waits,
                   void* caller) override {
    return call_from(caller, function, waits ? Waits::yes : Waits::no, bytes * rows, [&](Session& s) {
      return cuda_api::copy(s, function, to, from, {bytes, rows, pitch_to, pitch_from}, kind, stream, caller);
    });
  }
  cudaError_t wait(int gpu, const char* function, void* caller) override {
    return call_from(caller, function, Waits::no, 0, [&](Session& s) {
      const OnGpu on(gpu);
      if (const auto e = s.under_way.wait_for_stream(nullptr); e != cudaSuccess) return e;
      s.streams.synchronised(nullptr);
      s.host_waits(s.timeline.ready(stream_number(nullptr)));
      return s.surface();
    });
  }
  cudaError_t allocate(void** pointer, std::size_t bytes, const char* function, void* caller) override {
    return call_from(caller, function, Waits::no, bytes, [&](Session& s) {
      *pointer = nullptr;
      if (bytes == 0) return cudaSuccess;
      if (bytes > s.profile().memory_bytes - std::min(s.memory.used(current_gpu()), s.profile().memory_bytes))
        return s.because(cudaErrorMemoryAllocation, too_large(s, function, bytes));
      const std::string name = fmt::format("{} #{}", function, s.record.calls[function].calls);
      const DevicePointer address = s.device().allocate(name, bytes);
      s.memory.add({.kind = MemoryEntry::Kind::device,
                    .address = address,
                    .bytes = bytes,
                    .name = name,
                    .caller = Session::place_in_program(caller),
                    .gpu = cuda_api::current_gpu()});
      *pointer = reinterpret_cast<void*>(address);  // NOLINT: a number for the host
      return cudaSuccess;
    });
  }
  cudaError_t release(void* pointer, void*) override { return cudaFree(pointer); }
  void find(const std::string& text, void* caller) override {
    Session& session = Session::instance();
    const std::lock_guard lock(session.mutex);
    session.find(text, Severity::error, caller);
  }
  int threads() const override {
    const int asked = Session::instance().options.threads;
    return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  int compute_capability() const override {
    const auto& gpu = Session::instance().profile();
    return gpu.compute_major * 10 + gpu.compute_minor;
  }
  void reach_each_other(int gpu, int other) override {
    if (gpu == other) return;
    Session& session = Session::instance();
    const std::lock_guard lock(session.mutex);
    session.reach(gpu, other, true);
    session.reach(other, gpu, true);
  }
  int gpus() const override { return Session::instance().gpus(); }
  int current_gpu() const override { return cuda_api::current_gpu(); }
  void on_gpu(int gpu, const std::function<void()>& work) override {
    const OnGpu on(gpu);
    work();
  }
  void asks_for_gpu(int gpu) override {
    Session& session = Session::instance();
    const std::lock_guard lock(session.mutex);
    session.asks_for_gpu(gpu);
  }
  int gpu_of(cudaStream_t stream, int gpu) const override {
    const std::lock_guard lock(Session::instance().mutex);
    const OnGpu on(gpu);
    return stream_of(stream) == nullptr ? -1 : gpu_of_stream(stream_number(stream));
  }
};

}  // namespace
}  // namespace gpulab::cuda_api

extern "C" gpulab::cuda_api::LibraryRuntime* __cudaLibraryRuntime() {  // NOLINT: as NVIDIA's names, which are exported
  static auto* const runtime = new gpulab::cuda_api::Runtime;
  return runtime;
}
