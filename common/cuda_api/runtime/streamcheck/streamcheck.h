#pragma once
// What the session knows of order, where --sanitize has streamcheck: functions of the runtime say what they queue and
// what they wait for. All under the session's lock; where the tool is off, nothing is done.

#include <driver_types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/cuda_api/ordering/operations.h"
#include "common/cuda_api/ordering/ordering.h"
#include "common/cuda_api/runtime/memory_table.h"
#include "common/cuda_api/runtime/streamcheck/capture_order.h"
#include "common/cuda_api/runtime/streamcheck/host_pages.h"

namespace gpulab::cuda_api {

class Session;
struct LaunchRequest;
struct LoadedFunction;
struct Rows;

class StreamCheck {
 public:
  void start() { on_ = true; }
  [[nodiscard]] bool is_on() const { return on_; }

  /// A launch says which default stream handle 0 means.
  void default_is_own(bool own) {
    if (own)
      own_seen_ = true;
    else
      legacy_seen_ = true;
  }
  void created(std::uint64_t stream, bool blocking);
  void destroyed(std::uint64_t stream);
  void synchronised(cudaStream_t stream);
  void synchronised(const Mark& mark);
  /// With everything that has been queued.
  void synchronised();
  /// With everything of one GPU.
  void synchronised_gpu(int gpu);
  [[nodiscard]] Mark recorded(cudaStream_t stream);
  void waits(cudaStream_t stream, const Mark& mark);

  /// Around a launch that runs.
  void before_launch(Session& session, const LaunchRequest& request);
  void after_launch(Session& session, const LaunchRequest& request, const LoadedFunction& kernel, std::uint64_t number);

  /// What a library has done.
  void library(Session& session, const std::string& name, const simt::TouchedBytes& bytes, cudaStream_t stream,
               void* caller);

  /// A copy or a fill (`from` is 0) that is about to be done, as `function` does it.
  struct Transfer {
    const char* function;
    std::uint64_t to, from;
    const Rows& rows;
    int value;  ///< of a fill
    cudaStream_t stream;
    void* caller;
  };
  void transfer(Session& session, const Transfer& transfer);
  /// cudaMallocAsync, cudaFreeAsync of all of an allocation.
  void allocation(Session& session, Operation::Kind kind, const char* function, const MemoryEntry& entry,
                  cudaStream_t stream, void* caller);

  /// The stream is captured from now on, and those that wait for it by an event.
  void begin_capture(cudaStream_t stream) { capture_.begin(number_of(stream)); }
  void captured(cudaStream_t stream) { capture_.queued(number_of(stream)); }
  [[nodiscard]] bool captures(cudaStream_t stream) const { return capture_.has(number_of(stream)); }
  /// Its capture has nodes that the stream which began it does not wait for.
  [[nodiscard]] bool capture_is_forked(cudaStream_t stream) const { return capture_.is_forked(number_of(stream)); }
  [[nodiscard]] CaptureOrder& capture() { return capture_; }
  [[nodiscard]] const CaptureOrder::Nodes& capture_heads(cudaStream_t stream) const {
    return capture_.heads(number_of(stream));
  }
  void waits_only_in_capture(cudaStream_t stream, CaptureOrder::Nodes nodes) {
    capture_.waits_only(number_of(stream), std::move(nodes));
  }
  /// What an event records and a stream waits for while that is so.
  [[nodiscard]] std::optional<CaptureOrder::Mark> recorded_in_capture(cudaStream_t stream) const {
    return capture_.recorded(number_of(stream));
  }
  void waits_in_capture(cudaStream_t stream, const CaptureOrder::Mark& mark) {
    capture_.waits(number_of(stream), mark);
  }

  /// Host functions.
  void begin_callback(cudaStream_t stream);
  void end_callback();

  /// Around what the runtime does: then pinned memory is not watched.
  void open() {
    if (on_) pages_.open();
  }
  void close() {
    if (on_) pages_.close();
  }
  /// The host's code has come to pages that are closed: they are opened, until close_again(). What it does too early is
  /// told. False: there are none.
  [[nodiscard]] bool host_touches(Session& session, std::uint64_t address, bool writes, bool judged,
                                  const std::vector<const void*>& place);
  void close_again() { pages_.close_again(); }
  /// The same of a system call, which has the memory for a while; then it is known which bytes came or went.
  void lend(std::uint64_t address, std::uint64_t bytes) { pages_.lend(address, bytes); }
  void give_back(std::uint64_t address, std::uint64_t bytes) { pages_.give_back(address, bytes); }
  void host_touched(Session& session, const simt::ByteRange& range, bool writes, const std::vector<const void*>& place);

  /// Graphs: as Ordering has it. `place`: where a node was added to its graph, null: its work knows.
  void begin_graph(cudaStream_t stream, const void* instance, const std::vector<std::vector<std::uint32_t>>& before);
  void node(std::uint32_t index, const std::vector<const void*>& place);
  void end_graph();

 private:
  /// A stream's number; of the calling thread's own stream one that no other thread has.
  [[nodiscard]] std::uint64_t number_of(cudaStream_t stream) const;
  [[nodiscard]] std::vector<const void*> place_of(void* caller) const;
  /// What goes into the stream may overlap something: its bytes are of interest.
  [[nodiscard]] bool may_overlap(cudaStream_t stream) const;
  void forget_over();
  /// It is compared with all that may still be under way.
  void add(Session& session, Operation operation, const Operations::SameBytes& same);

  bool on_ = false;
  bool own_seen_ = false, legacy_seen_ = false;
  Ordering ordering_;
  Operations operations_{ordering_};
  CaptureOrder capture_;
  /// Of the host's accesses to pinned memory.
  void rebuild_pages();
  const simt::ByteRanges& pinned(const Session& session);
  HostPages pages_;
  simt::ByteRanges pinned_;             ///< that has pages of its own
  std::uint64_t pinned_changes_ = ~0u;  ///< MemoryTable::changes() then

  int graphs_ = 0;                       ///< that run, one in another
  std::vector<const void*> node_place_;  ///< of the node that runs
};

/// What the host does too early: the words of its verb.
[[nodiscard]] std::string in_words(const Operation& earlier, Touch earlier_does, bool host_writes,
                                   const std::string& memory);
/// What is wrong, and what mends it.
[[nodiscard]] std::string in_words(const Operation& earlier, const Operation& later, const Conflict& conflict,
                                   const std::string& memory, bool of_one_launch, bool nonblocking);

}  // namespace gpulab::cuda_api
