#include "common/cuda_api/runtime/streamcheck/streamcheck.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams/streams.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::uint64_t kFirstOwn = std::uint64_t{1} << 48;  ///< of threads' own streams; handles are far below

/// "'cudaMalloc #1'", and which of its bytes.
std::string memory_in_words(const Session& session, const Operation& one, const Operation& other,
                            const simt::ByteRanges& bytes) {
  const std::uint64_t first = bytes.all().front().first;
  if (const MemoryEntry* entry = session.memory.holding(first)) return entry->name;
  for (const auto* operation : {&one, &other}) {
    auto next = operation->bytes.names.upper_bound(first);
    if (next != operation->bytes.names.begin()) return (--next)->second;
  }
  return fmt::format("memory at {:#x}", first);
}

std::string text_of(const std::vector<const void*>& place) {
  return place.empty() ? std::string() : Session::place_of(place);
}

}  // namespace

std::uint64_t StreamCheck::number_of(cudaStream_t stream) const {
  const auto number = stream_number(stream);
  const bool default_is_own = own_seen_ && !legacy_seen_;
  if (number_on_gpu(number) != Timeline::kPerThread && !(stream == nullptr && default_is_own)) return number;
  static std::atomic<std::uint64_t> last = kFirstOwn;
  thread_local const std::uint64_t own = ++last;
  return own + default_stream_of(gpu_of_stream(number));
}

void StreamCheck::created(std::uint64_t stream, bool blocking) {
  if (on_) ordering_.created(stream, blocking);
}
void StreamCheck::destroyed(std::uint64_t stream) {
  if (on_) ordering_.destroyed(stream);
}
void StreamCheck::synchronised(cudaStream_t stream) {
  if (!on_) return;
  ordering_.synchronised(number_of(stream));
  forget_over();
}
void StreamCheck::synchronised(const Mark& mark) {
  if (!on_) return;
  ordering_.synchronised(mark);
  forget_over();
}
void StreamCheck::synchronised() {
  if (!on_) return;
  ordering_.synchronised();
  forget_over();
}
void StreamCheck::synchronised_gpu(int gpu) {
  if (!on_) return;
  ordering_.synchronised_gpu(gpu);
  forget_over();
}
Mark StreamCheck::recorded(cudaStream_t stream) { return on_ ? ordering_.recorded(number_of(stream)) : Mark(); }
void StreamCheck::waits(cudaStream_t stream, const Mark& mark) {
  if (on_) ordering_.waits(number_of(stream), mark);
}

std::vector<const void*> StreamCheck::place_of(void* caller) const {
  return graphs_ > 0 && !node_place_.empty() ? node_place_ : Session::frames_of(caller);
}

/// A thread that is not the first and has a stream of its own is seldom alone.
bool StreamCheck::may_overlap(cudaStream_t stream) const {
  const auto number = number_of(stream);
  if (Session::instance().gpus() > 1) return true;  // also what comes before another GPU's first
  return graphs_ > 0 || ordering_.may_overlap(number) || (number > kFirstOwn && gettid() != getpid());
}

/// What a kernel touches is gathered where another operation may overlap it: not in programs of one stream.
void StreamCheck::before_launch(Session& session, const LaunchRequest& request) {
  if (!on_) return;
  const bool overlaps = may_overlap(request.stream);
  session.device().keep_touched(overlaps                  ? simt::Touches::all
                                : pinned(session).empty() ? simt::Touches::none
                                                          : simt::Touches::of_host);
}

void StreamCheck::after_launch(Session& session, const LaunchRequest& request, const LoadedFunction& kernel,
                               std::uint64_t number) {
  if (!on_) return;
  Operation operation;
  operation.name = kernel.name;
  operation.number = number;
  operation.when = ordering_.queued(number_of(request.stream));
  operation.bytes = session.device().take_touched();
  if (operation.bytes.ranges() == 0) return;
  operation.place = place_of(request.caller);
  add(session, std::move(operation), [](const auto&, const auto&) { return false; });
}

void StreamCheck::library(Session& session, const std::string& name, const simt::TouchedBytes& bytes,
                          cudaStream_t stream, void* caller) {
  if (!on_) return;
  Operation operation;
  operation.name = name;
  operation.when = ordering_.queued(number_of(stream));
  if (bytes.ranges() == 0 || (!may_overlap(stream) && pinned(session).empty())) return;
  operation.bytes = bytes;
  operation.place = place_of(caller);
  add(session, std::move(operation), [](const auto&, const auto&) { return false; });
}

void StreamCheck::allocation(Session& session, Operation::Kind kind, const char* function, const MemoryEntry& entry,
                             cudaStream_t stream, void* caller) {
  if (!on_) return;
  Operation operation;
  operation.kind = kind;
  operation.name = function;
  operation.when = ordering_.queued(number_of(stream));
  if (!may_overlap(stream)) return;
  operation.bytes.written.add(entry.address, entry.address + entry.bytes);
  operation.bytes.names[entry.address] = entry.name;
  operation.place = place_of(caller);
  add(session, std::move(operation), [](const auto&, const auto&) { return false; });
}

void StreamCheck::add(Session& session, Operation operation, const Operations::SameBytes& same) {
  const auto tell = [&](const Operation& earlier, const Operation& later, const Conflict& conflict) {
    const auto one = text_of(earlier.place), other = text_of(later.place);
    const bool of_one_launch = earlier.when.stream == later.when.stream;
    const bool nonblocking = !ordering_.is_blocking(earlier.when.stream) || !ordering_.is_blocking(later.when.stream);
    const auto memory = memory_in_words(session, earlier, later, conflict.bytes);
    const auto words = in_words(earlier, later, conflict, memory, of_one_launch, nonblocking);
    // When cudaMemcpy returns, the bytes are mostly there, though the manual does not promise it.
    const bool promised_nowhere = earlier.staged && earlier.name.find("Async") == std::string::npos;
    session.find_unordered(fmt::format("{}\n{}\n{}\n{}", earlier.name, one, later.name, other),
                           fmt::format("{} (called by {}; {} by {})", words, other, earlier.name, one),
                           promised_nowhere ? Severity::warning : Severity::error);
  };
  pages_.add(operation, operation.waited_for ? simt::ByteRanges() : pinned(session));
  operations_.add(std::move(operation), same, tell);
}

void StreamCheck::begin_callback(cudaStream_t stream) {
  if (!on_) return;
  ordering_.begin_callback(number_of(stream));
  pages_.call_back();
}
void StreamCheck::end_callback() {
  if (!on_) return;
  pages_.return_from_callback();
  ordering_.end_callback();
  forget_over();
}

void StreamCheck::begin_graph(cudaStream_t stream, const void* instance,
                              const std::vector<std::vector<std::uint32_t>>& before) {
  if (!on_) return;
  ordering_.begin_graph(number_of(stream), instance, before);
  ++graphs_;
}
void StreamCheck::node(std::uint32_t index, const std::vector<const void*>& place) {
  if (!on_ || graphs_ != 1) return;
  ordering_.node(index);
  node_place_ = place;
}
void StreamCheck::end_graph() {
  if (!on_) return;
  ordering_.end_graph();
  --graphs_;
}

}  // namespace gpulab::cuda_api
