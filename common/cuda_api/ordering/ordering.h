#pragma once
// What comes before what among the operations of a program, by the rules of CUDA's streams, events, graphs and waits
// alone. Each stream has a clock, and what it knows of the others'; the host has one, too. Nothing here runs anything.
//
// All threads of the host count as one: what they wait for by locks and joins cannot be seen, so what one has waited
// for all know. That misses faults, and accuses nobody.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/cuda_api/ordering/clock.h"
#include "common/cuda_api/ordering/stream_numbers.h"

namespace gpulab::cuda_api {

/// When an operation is: in which stream, as the how-manieth, and as which node where the stream runs a graph then.
struct Point {
  Clock::Stream stream = 0;
  Clock::Time time = 0;
  std::uint32_t node = 0;  ///< 0: of no graph
  std::uint64_t era = 0;
};

/// What an event has recorded, or what else remembers how far things were.
struct Mark {
  Clock knows;
  std::uint64_t era = 0;
};

class Ordering {
 public:
  using Stream = Clock::Stream;
  static constexpr Stream kLegacy = 0;  ///< the legacy default stream, of the first GPU
  /// Each GPU has one, which waits for that GPU's streams alone.
  [[nodiscard]] static Stream legacy_of(Stream stream) { return default_stream_of(gpu_of_stream(stream)); }

  /// Other streams than these, and the legacy one, count as blocking.
  void created(Stream stream, bool blocking);
  /// Its work goes on; whoever waits for all blocking streams waits for it, too.
  void destroyed(Stream stream);

  /// An operation goes into the stream: behind all that is there, and, between the legacy default stream and blocking
  /// ones, behind all of those.
  Point queued(Stream stream);
  /// Both are the last ones that were queued in their streams, or `later` is.
  [[nodiscard]] bool is_before(const Point& earlier, const Point& later) const;
  /// From now on it is, and so is all that comes before it: what one mistake leads to is no other.
  void assume_before(const Point& earlier, const Point& later);
  void assume_over(const Point& point);
  /// The host knows that it has ended, or, in a callback, the stream that calls.
  [[nodiscard]] bool is_over(const Point& point) const;

  [[nodiscard]] Mark recorded(Stream stream) const;
  void waits(Stream stream, const Mark& mark);
  /// The host has waited: for a stream, for what a mark knows, for everything.
  void synchronised(Stream stream);
  void synchronised(const Mark& mark);
  void synchronised();
  /// For everything of one GPU.
  void synchronised_gpu(int gpu);

  /// Host functions come behind what their stream holds, and know no more. What they know they may tell the host (by a
  /// lock, a semaphore, a flag that it polls), which nobody sees: from then on it counts as known.
  void begin_callback(Stream stream);
  void end_callback();
  [[nodiscard]] bool in_callback() const { return callbacks_ > 0; }

  /// A launch of a graph is one operation of its stream; `before[i]`: which nodes node i waits for, all of them smaller
  /// than i. Launches of one instance come one behind the other. A graph in a graph is one node.
  void begin_graph(Stream stream, const void* instance, const std::vector<std::vector<std::uint32_t>>& before);
  /// What is queued now is this node's.
  void node(std::uint32_t index);
  void end_graph();

  [[nodiscard]] bool is_blocking(Stream stream) const;
  /// Whether two of the streams that there are may overlap, the default one and the one that is used next among them.
  [[nodiscard]] bool may_overlap(Stream next = kLegacy) const;

 private:
  struct State {
    Clock knows;
    bool blocking = true;
  };
  static constexpr std::size_t kMostStreams = 1024;  ///< that are told apart without a wait for everything
  static constexpr std::size_t kMostNodes = 512;  ///< of a graph; of one with more, each counts as waiting for the last

  /// What is queued there is behind this; also of streams that nobody has created (a thread's own).
  [[nodiscard]] Clock behind(Stream stream) const;
  [[nodiscard]] bool reaches(std::uint32_t earlier, std::uint32_t later) const;

  std::map<Stream, State> streams_;
  struct Gone {
    Clock blocking, all;
  };
  std::map<int, Gone> destroyed_;  ///< of streams that are no more, by GPU
  Clock host_, callback_;
  int callbacks_ = 0;
  std::uint64_t era_ = 0;                  ///< how often the host has waited for everything
  std::map<Stream, Clock::Time> times_;    ///< of all streams that ever were, in this era
  std::map<const void*, Mark> instances_;  ///< of graphs: their last launches
  struct Launch {
    int depth = 0;
    Stream stream = 0;
    Point point;
    const void* instance = nullptr;
    std::uint32_t node = 0;
    bool in_turn = false;                      ///< each node waits for the one before
    std::vector<std::vector<bool>> ancestors;  ///< by node: which come before it
  } graph_;
};

}  // namespace gpulab::cuda_api
