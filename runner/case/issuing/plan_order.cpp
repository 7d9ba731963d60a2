#include "runner/case/issuing/plan_order.h"

#include <fmt/format.h>

#include <utility>

namespace gpulab {
namespace {

using cuda_api::Conflict;
using cuda_api::Operation;
using cuda_api::Touch;

std::string in_words(const Operation& one) {
  const auto stream = cuda_api::number_on_gpu(one.when.stream);
  return fmt::format("step {} ({}) of GPU {}{}", one.number, one.name, cuda_api::gpu_of_stream(one.when.stream),
                     stream == 0 ? "" : fmt::format(", stream {}", stream));
}

std::string memory_of(const Operation& one, const Operation& other, std::uint64_t address) {
  for (const auto* operation : {&one, &other}) {
    auto next = operation->bytes.names.upper_bound(address);
    if (next != operation->bytes.names.begin()) return (--next)->second;
  }
  return fmt::format("memory at {:#x}", address);
}

}  // namespace

cuda_api::Ordering::Stream PlanOrder::stream_of(int gpu, std::uint32_t stream) {
  return cuda_api::default_stream_of(gpu) + stream;
}

void PlanOrder::tell(const Operation& earlier, const Operation& later, const Conflict& conflict) {
  if (findings_.size() >= kMostFindings) return;
  const auto& ranges = conflict.bytes.all();
  findings_.push_back({.tool = "streamcheck",
                       .severity = Severity::error,
                       .message = fmt::format(
                           "{} {} {} bytes of '{}' that {} may still be {}, and nothing orders the two; let step {} "
                           "wait for step {}",
                           in_words(later), conflict.later == Touch::reads ? "reads" : "writes", conflict.bytes.bytes(),
                           memory_of(earlier, later, ranges.front().first), in_words(earlier),
                           conflict.earlier == Touch::reads ? "reading" : "writing", later.number, earlier.number),
                       .at = {}});
}

void PlanOrder::add(Operation operation) {
  operations_.add(
      std::move(operation), [](const auto&, const auto&) { return false; },
      [this](const Operation& earlier, const Operation& later, const Conflict& conflict) {
        tell(earlier, later, conflict);
      });
}

void PlanOrder::end_launch(const std::string& kernel, std::size_t step, int gpu, std::uint32_t stream) {
  if (!on_) return;
  Operation operation;
  operation.name = kernel;
  operation.number = step;
  operation.when = ordering_.queued(stream_of(gpu, stream));
  operation.bytes = device_.take_touched();
  add(std::move(operation));
}

void PlanOrder::copied(const Copied& copy, std::size_t step, int gpu, std::uint32_t stream) {
  if (!on_) return;
  Operation operation;
  operation.kind = Operation::Kind::copy;
  operation.name = fmt::format("copy of {} to {}", copy.name_from, copy.name_to);
  operation.number = step;
  operation.when = ordering_.queued(stream_of(gpu, stream));
  if (copy.bytes == 0) return;
  const auto touch = [&](simt::ByteRanges& ranges, DevicePointer first, const std::string& name) {
    ranges.add(first, first + copy.bytes);
    operation.bytes.names[first] = name;
  };
  if (copy.from != 0) touch(operation.bytes.read, copy.from, copy.name_from);
  if (copy.to != 0) touch(operation.bytes.written, copy.to, copy.name_to);
  add(std::move(operation));
}

void PlanOrder::marked(std::size_t mark, int gpu, std::uint32_t stream) {
  if (on_) marks_[mark] = ordering_.recorded(stream_of(gpu, stream));
}

void PlanOrder::waits(std::size_t mark, int gpu, std::uint32_t stream) {
  if (on_) ordering_.waits(stream_of(gpu, stream), marks_[mark]);
}

}  // namespace gpulab
