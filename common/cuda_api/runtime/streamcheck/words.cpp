// What streamcheck says: who does what with which bytes, why nothing orders the two, and what would.

#include <fmt/format.h>

#include <string>

#include "common/cuda_api/runtime/streamcheck/streamcheck.h"
#include "common/cuda_api/runtime/timeline.h"

namespace gpulab::cuda_api {
namespace {

using Kind = Operation::Kind;

/// Handles are numbers behind those that the headers name; people count from 1.
std::string stream_in_words(std::uint64_t stream) {
  const int gpu = gpu_of_stream(stream);
  const auto number = number_on_gpu(stream);
  const std::string whose = gpu == 0 ? "" : fmt::format(" of GPU {}", gpu);
  if (number == Ordering::kLegacy) return "the default stream" + whose;
  return (number <= Timeline::kMostHandles ? fmt::format("stream #{}", number - Timeline::kReserved)
                                           : "a thread's own default stream") +
         whose;
}

std::string name_in_words(const Operation& one) {
  return one.number == 0 ? one.name : fmt::format("{} (launch {})", one.name, one.number);
}

std::string bytes_in_words(std::uint64_t count) { return count == 1 ? "1 byte" : fmt::format("{} bytes", count); }

/// "reads 256 bytes of 'x'"; `of_it`: "them".
const char* verb_of(const Operation& one, Touch touch) {
  if (one.kind == Kind::allocation) return "allocates";
  if (one.kind == Kind::free) return "frees";
  return touch == Touch::reads ? "reads" : touch == Touch::writes ? "writes" : "changes by atomics";
}
const char* doing_of(const Operation& one, Touch touch) {
  if (one.kind == Kind::allocation) return "allocating";
  if (one.kind == Kind::free) return "freeing";
  return touch == Touch::reads ? "reading" : touch == Touch::writes ? "writing" : "changing";
}

std::string remedy(const Operation& earlier, const Operation& later, bool of_one_launch, bool nonblocking) {
  if (of_one_launch)
    return "name the first one's node as a dependency where the second one is added, or call "
           "cudaGraphAddDependencies(graph, &first, &second, nullptr, 1); where the graph was captured from several "
           "streams, record an event behind the first and let the other stream wait for it";
  const auto one = stream_in_words(earlier.when.stream), other = stream_in_words(later.when.stream);
  if (earlier.staged)
    return fmt::format(
        "{} returns when it has read pageable memory, before the bytes are there: call cudaStreamSynchronize on {} "
        "behind it",
        earlier.name, one);
  std::string why;
  const bool of_two = gpu_of_stream(earlier.when.stream) != gpu_of_stream(later.when.stream);
  const bool with_default = !of_two && (earlier.when.stream == Ordering::legacy_of(earlier.when.stream) ||
                                        later.when.stream == Ordering::legacy_of(later.when.stream));
  if (with_default && nonblocking)
    why = "a stream made with cudaStreamNonBlocking and the default stream do not wait for each other: ";
  if (later.waited_for || with_default || later.kind == Kind::free)
    return fmt::format("{}call cudaStreamSynchronize on {} between the two", why, one);
  return fmt::format(
      "{}record an event in {} behind the first (cudaEventRecord), and let {} wait for it (cudaStreamWaitEvent)", why,
      one, other);
}

}  // namespace

std::string in_words(const Operation& earlier, Touch earlier_does, bool host_writes, const std::string& memory) {
  const auto stream = stream_in_words(earlier.when.stream);
  return fmt::format(
      "the host {} '{}' where {} in {} may still be {}, and has not waited for it: call cudaStreamSynchronize on {} "
      "between the two",
      host_writes ? "writes" : "reads", memory, name_in_words(earlier), stream, doing_of(earlier, earlier_does),
      stream);
}

std::string in_words(const Operation& earlier, const Operation& later, const Conflict& conflict,
                     const std::string& memory, bool of_one_launch, bool nonblocking) {
  if (of_one_launch)
    return fmt::format(
        "{} {} {} of '{}' that {} may still be {}: both are nodes of one graph, and no edges lead from "
        "one to the other; {}",
        name_in_words(later), verb_of(later, conflict.later), bytes_in_words(conflict.bytes.bytes()), memory,
        name_in_words(earlier), doing_of(earlier, conflict.earlier),
        remedy(earlier, later, of_one_launch, nonblocking));
  return fmt::format("{} in {} {} {} of '{}' that {} in {} may still be {}, and nothing orders the two; {}",
                     name_in_words(later), stream_in_words(later.when.stream), verb_of(later, conflict.later),
                     bytes_in_words(conflict.bytes.bytes()), memory, name_in_words(earlier),
                     stream_in_words(earlier.when.stream), doing_of(earlier, conflict.earlier),
                     remedy(earlier, later, of_one_launch, nonblocking));
}

}  // namespace gpulab::cuda_api
