// What libraries have queued: done as a launch is, with a row of its own in the record.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "common/cuda_api/runtime/host/clock/readings.h"
#include "common/cuda_api/runtime/host/habits.h"
#include "common/cuda_api/runtime/libraries/estimates.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams/streams.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::size_t kMostRecords = 1000;  ///< shapes beyond share a row of their function

}  // namespace

void Session::account_library(const LibraryOperation& operation, cudaStream_t stream, const LibraryTouches& touches) {
  const double bytes = static_cast<double>(touches.read + touches.written);
  const double ms = estimated_ms(profile_, operation, bytes);
  const auto number = stream_number(stream);
  const double start = timeline.queue(number, {.ms = ms});
  const std::string shape = record.libraries.size() < kMostRecords ? operation.shape : "other shapes";
  const auto same = [&](const LibraryRecord& r) { return r.name == operation.function && r.shape == shape; };
  auto row = std::ranges::find_if(record.libraries, same);
  if (row == record.libraries.end()) {
    record.libraries.push_back({operation.function, shape, 0, 0, 0, 0, ms, ms, place_in_program(operation.caller)});
    row = record.libraries.end() - 1;
  }
  ++row->calls;
  row->operations += operation.operations;
  row->bytes += touches.read + touches.written;
  row->ms += ms;
  row->least_ms = std::min(row->least_ms, ms);
  row->most_ms = std::max(row->most_ms, ms);
  habits::launched();
  clocks::launched(operation.function, operation.caller, ms);
  if (!options.trace) return;
  keep({.what = fmt::format("{} ({})", operation.function, operation.shape),
        .start_ms = start,
        .ms = ms,
        .bytes = touches.read + touches.written,
        .registers = {},
        .stream = static_cast<std::uint32_t>(number_on_gpu(number)),
        .caller = place_in_program(operation.caller),
        .gpu = gpu_of_stream(number)});
}

cudaError_t Session::library(const LibraryOperation& operation, cudaStream_t stream,
                             const std::function<void(LibraryTouches&)>& work) {
  if (pending_ != cudaSuccess) return cudaSuccess;  // behind a launch that failed: nothing is done
  LibraryTouches touches;
  try {
    managed.before(memory);
    work(touches);
    managed.after(operation.function, 0);
  } catch (const LaunchError& error) {
    if (error.kind != LaunchFailure::fault) throw;
    pending_ = error_of(error);
    FaultRecord& fault = record.faults.emplace_back();
    fault.failure = to_text(error.kind);
    fault.kernel = operation.function;
    fault.what = error.what();
    fault.hint = error.hint;
    fault.error = cudaGetErrorName(pending_);
    fault.caller = place_in_program(operation.caller);
    place_allocations(fault.what);
    return cudaSuccess;  // as on a GPU: whoever waits is told
  }
  for (const std::uint64_t address : touches.written_memory) writing.forget(address);
  streams.library(*this, operation.function, touches.bytes, stream, operation.caller);
  account_library(operation, stream, touches);
  return cudaSuccess;
}

}  // namespace gpulab::cuda_api
