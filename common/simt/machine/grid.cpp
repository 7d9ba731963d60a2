#include "common/simt/machine/grid.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "common/launch_error.h"
#include "common/simt/machine/sync/budget.h"
#include "common/simt/machine/sync/repetition.h"
#include "common/simt/machine/sync/stillness.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

namespace {

/// Warp instructions that a block may run before another gets a turn (blocks that wait for each other).
constexpr std::int64_t kBlockSlice = 1 << 16;
/// The same for a block that spent its last turn polling: what it waits for is done by other blocks.
constexpr std::int64_t kSpinningSlice = 1 << 9;
/// A block that only polled in its turn skips turns: one, then two, then four, up to this many, until it finds what it
/// polls for, because that comes about in others' turns. Example: the first block of a grid of 1000 polls at the grid's
/// barrier while the others start, one in each round; it takes 11 turns until then, not 1000.
constexpr std::uint64_t kLongestPause = 256;
/// The same where blocks are independent of each other: here turns only let warps of one block poll for each other.
constexpr std::int64_t kWarpSlice = 1 << 18;

/// Applies what blocks left behind in the order of their chunks, whoever finishes first. What waits for its turn is
/// bounded: who comes early with much waits, too. The lowest chunk never does.
class Committer {
 public:
  explicit Committer(const Print& print) : print_(print) {}
  void commit(std::uint64_t chunk, BlockLog log) {
    std::unique_lock lock(mutex_);
    turns_.wait(lock,
                [&] { return chunk == next_ || chunk >= failed_ || waiting_bytes_ + log.bytes() <= kMostWaiting; });
    waiting_bytes_ += log.bytes();
    waiting_.emplace(chunk, std::move(log));
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      apply(waiting_.begin()->second);
      waiting_bytes_ -= waiting_.begin()->second.bytes();
      waiting_.erase(waiting_.begin());
      ++next_;
    }
    turns_.notify_all();
  }
  /// What a chunk has left so far; there will be more of it. Throws Abandoned where a chunk before has failed.
  void commit_so_far(std::uint64_t chunk, BlockLog& log) {
    std::unique_lock lock(mutex_);
    turns_.wait(lock, [&] { return chunk == next_ || chunk >= failed_; });
    if (chunk >= failed_) throw Abandoned();
    apply(log);
    log = {};
  }
  /// Chunks from this one on will never have their turn.
  void fail(std::uint64_t chunk) {
    const std::lock_guard lock(mutex_);
    failed_ = std::min(failed_, chunk);
    turns_.notify_all();
  }
  struct Abandoned {};

 private:
  static constexpr std::uint64_t kMostWaiting = 64 << 20;  ///< bytes
  void apply(const BlockLog& log) {
    for (const auto& atomic : log.atomics) atomic.apply(atomic.host, atomic.value);
    if (!log.output.empty() || log.cut) print_(log.output, log.cut);
  }
  const Print& print_;
  std::mutex mutex_;
  std::condition_variable turns_;
  std::map<std::uint64_t, BlockLog> waiting_;
  std::uint64_t waiting_bytes_ = 0, next_ = 0, failed_ = UINT64_MAX;
};

/// Independent blocks, in chunks handed out in order.
class ParallelGrid {
 public:
  ParallelGrid(const LaunchState& launch, Budget& budget, std::vector<std::unique_ptr<Worker>>& workers,
               const Print& print)
      : launch_(launch),
        budget_(budget),
        workers_(workers),
        blocks_(launch.grid.volume()),
        print_(print),
        committer_(print) {
    // Chunks small enough to balance, large enough that handing out and committing cost nothing.
    chunk_ = std::clamp<std::uint64_t>(blocks_ / (workers.size() * 64), 1, 64);
  }
  void run() {
    std::vector<std::thread> threads;
    threads.reserve(workers_.size());
    start(threads);
    serve(*workers_[0], true);
    for (auto& thread : threads) thread.join();
    if (failed_) print_(failed_->output, failed_->cut);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  /// Where an address space ends (ulimit -v), the stacks of threads would take the last of it, and those that run would
  /// find no memory: so much is kept back until all have been started. Too little for malloc to make another thread's
  /// heap of it.
  class Cushion {
   public:
    Cushion() : place_(mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    ~Cushion() {
      if (place_ != MAP_FAILED) munmap(place_, kBytes);
    }
    Cushion(const Cushion&) = delete;
    Cushion& operator=(const Cushion&) = delete;

   private:
    static constexpr std::size_t kBytes = std::size_t{48} << 20;
    void* place_;
  };
  /// Where no more threads can be had, those that there are take all chunks. They begin when all have been started.
  void start(std::vector<std::thread>& threads) {
    if (workers_.size() == 1) return;
    try {
      const Cushion cushion;
      for (std::size_t i = 1; i < workers_.size(); ++i)
        threads.emplace_back([this, i] {
          all_started_.wait(false);
          serve(*workers_[i], false);
        });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    all_started_ = true;
    all_started_.notify_all();
  }
  /// `must`: where others can do the work, one that finds no memory to begin with leaves it to them.
  void serve(Worker& worker, bool must) {
    std::uint64_t chunk = 0;
    try {
      worker.commit_so_far = [&] { committer_.commit_so_far(chunk, worker.log); };
      BlockContext context(launch_, worker, workers_.size() > 1);
      must = true;
      while ((chunk = next_.fetch_add(1)) * chunk_ < blocks_ && chunk < stop_at_.load()) {
        for (std::uint64_t b = chunk * chunk_; b < std::min(blocks_, (chunk + 1) * chunk_); ++b) run_block(context, b);
        committer_.commit(chunk, std::exchange(worker.log, {}));
      }
    } catch (const Committer::Abandoned&) {
    } catch (...) {
      if (!must) {
        worker.commit_so_far = {};
        return;
      }
      // The error of the lowest chunk is the one reported: chunks below it are still run.
      const std::lock_guard lock(mutex_);
      if (chunk < stop_at_.load()) {
        stop_at_ = chunk;
        error_ = std::current_exception();
        failed_ = std::move(worker.log);
      }
      committer_.fail(chunk);
    }
    worker.commit_so_far = {};
  }
  void run_block(BlockContext& context, std::uint64_t b) {
    context.start(b);
    std::uint64_t spent = 0;
    bool done = false;
    while (!done) {
      done = context.run(kWarpSlice);
      budget_.spend(context.work() - spent, context, [&](ThreadPlaces& places) { context.add_places(places); });
      spent = context.work();
    }
    budget_.block_ended();
  }

  const LaunchState& launch_;
  Budget& budget_;
  std::vector<std::unique_ptr<Worker>>& workers_;
  std::uint64_t blocks_, chunk_ = 1;
  std::atomic<std::uint64_t> next_{0}, stop_at_{UINT64_MAX};
  std::atomic<bool> all_started_{false};
  const Print& print_;
  Committer committer_;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::optional<BlockLog> failed_;  ///< what the chunk that failed had printed
};

/// Blocks that run on one thread, in an interleaving that the launch alone decides.
class InterleavedGrid {
 public:
  /// `contexts`: that this machine has memory for.
  InterleavedGrid(const LaunchState& launch, Budget& budget, Worker& worker, const GridOptions& options,
                  std::uint64_t contexts, const Print& print)
      : launch_(launch),
        budget_(budget),
        worker_(worker),
        size_(launch.cluster.volume()),
        blocks_(launch.grid.volume()),
        resident_(std::clamp<std::uint64_t>(options.resident, 1, std::max(contexts, size_))),
        as_the_gpu_(options.resident == resident_),
        print_(print),
        others_(options.others) {}

  /// The natural order. Blocks start one after another. One that does not end within its turn stays while the next one
  /// starts, up to as many as the modelled GPU keeps resident, and those that are resident take turns. A block that
  /// only polls pauses longer and longer while others have something to do.
  void run() {
    for (std::uint64_t round = 0; started_ < blocks_ || !running_.empty(); ++round) {
      if (started_ < blocks_ && has_room())
        admit(started_ / size_);
      else
        round = std::max(round, std::ranges::min_element(running_, {}, &Resident::wakes)->wakes);
      // The newest first: the others have had turns before and may wait for what it does.
      for (std::size_t i = running_.size(); i-- > 0;) {
        Resident& one = running_[i];
        if (one.wakes > round) continue;
        if (take_turn(one, one.context->spinning ? spinning_slice() : kBlockSlice)) {
          leave(i);
          continue;
        }
        if (i == 0) {
          ask_others();
          look_for_repetition();
        }
        one.pause = one.context->spinning ? std::clamp<std::uint64_t>(2 * one.pause, 1, kLongestPause) : 0;
        one.wakes = round + 1 + one.pause;
      }
    }
  }

  /// `choices` decides in which order blocks start, how many are resident at once, who has the next turn and how long
  /// it is. While blocks end, only a few are resident. While none ends, more and more start, up to as many as the
  /// modelled GPU keeps resident: those that are there may wait for one that has not started.
  void run(Schedule choices) {
    Waiting waiting(blocks_ / size_);
    std::size_t wanted = 1;
    std::vector<std::size_t> turns;
    while (!waiting.empty() || !running_.empty()) {
      while (!waiting.empty() && running_.size() < wanted && has_room()) admit(waiting.take(choices));
      turns.resize(running_.size());
      std::iota(turns.begin(), turns.end(), std::size_t{0});
      choices.shuffle(turns);
      std::vector<bool> done(running_.size());
      for (const std::size_t i : turns)
        done[i] = take_turn(running_[i], choices.turn(running_[i].context->spinning ? kPollingTurn : kBlockSlice));
      for (std::size_t i = running_.size(); i-- > 0;)
        if (done[i]) leave(i);
      const auto polls = [](const Resident& r) { return r.context->spinning; };
      wanted = running_.size() < turns.size()                         ? running_.size() + 1 + choices.below(kFewBlocks)
               : std::all_of(running_.begin(), running_.end(), polls) ? 2 * turns.size()
                                                                      : turns.size() + 1;
    }
  }

 private:
  static constexpr std::uint64_t kFewBlocks = 8;
  static constexpr std::int64_t kPollingTurn = 4 * kSpinningSlice;  ///< at most: long enough that splits let others in

  struct Resident {
    std::unique_ptr<BlockContext> context;
    std::shared_ptr<Cluster> cluster;  ///< none of a block that has no siblings
    std::uint64_t spent = 0;
    std::uint64_t pause = 0, wakes = 0;  ///< in rounds of turns; the round of its next turn
  };
  /// Blocks of a cluster that have ended stay until their siblings have: those may name their shared memory.
  [[nodiscard]] bool has_room() const { return held_ == 0 || held_ + size_ <= resident_; }
  BlockContext& add(std::shared_ptr<Cluster> cluster) {
    if (idle_.empty()) idle_.push_back(std::make_unique<BlockContext>(launch_, worker_, false));
    running_.push_back({.context = std::move(idle_.back()), .cluster = std::move(cluster)});
    idle_.pop_back();
    ++started_;
    ++held_;
    return *running_.back().context;
  }
  /// A block starts; of clusters all blocks of one at once.
  void admit(std::uint64_t number) {
    if (size_ == 1) return add(nullptr).start(number);
    const Dim3 &grid = launch_.grid, &of = launch_.cluster;
    const std::uint64_t wide = grid.x / of.x, high = grid.y / of.y;
    const std::uint64_t x = number % wide * of.x, y = number / wide % high * of.y, z = number / wide / high * of.z;
    const auto cluster = std::make_shared<Cluster>();
    for (std::uint64_t i = 0; i < size_; ++i) cluster->blocks.push_back(&add(cluster));
    for (std::uint32_t rank = 0; rank < size_; ++rank)
      cluster->blocks[rank]->start(
          x + rank % of.x + grid.x * (y + rank / of.x % of.y + std::uint64_t{grid.y} * (z + rank / of.x / of.y)),
          *cluster, rank);
  }
  bool take_turn(Resident& r, std::int64_t slice) {
    bool done = false;
    try {
      done = r.context->run(slice);
    } catch (...) {
      print();
      throw;
    }
    print();
    if (!others_may_act_ || !r.context->spinning) charge(r);
    r.spent = r.context->work();
    if (done) budget_.block_ended();
    return done;
  }
  void charge(const Resident& r) {
    budget_.spend(
        r.context->work() - r.spent, *r.context,
        [&](ThreadPlaces& places) {
          for (const Resident& one : running_) one.context->add_places(places);
        },
        [&] { return who_waits(); });
  }
  /// The host, and other launches, have their turn where all blocks that there can be poll.
  void ask_others() {
    if (!others_) return;
    const bool polls = all_poll() && (started_ == blocks_ || !has_room());
    const bool in_vain = stillness_.found(polls, running_.size() + (blocks_ - started_), *launch_.memory) || repeats_;
    repeats_ = false;
    const OthersTurn turn = others_(in_vain ? Polling::in_vain : polls ? Polling::yes : Polling::no);
    others_may_act_ = turn == OthersTurn::taken;
    others_are_still_ = turn == OthersTurn::nobody_left;
    if (!others_may_act_) return;
    repetition_.reset();
    for (const auto& one : launch_.memory->allocations())  // that they have made
      if (one->host != nullptr && worker_.footprint.words(one->index) == 0) worker_.footprint.add(*one);
  }
  /// Turns that always end at the same place of a loop may hold a lock whenever others look at it. Once a state has
  /// come back their lengths differ, and it has to come back again.
  std::int64_t spinning_slice() {
    constexpr std::int64_t lengths = 97;
    return kSpinningSlice + (in_doubt_ ? turns_in_doubt_++ * 7 % lengths : 0);
  }
  /// Nobody who could change anything for those that wait is missing: whoever has not started cannot.
  void look_for_repetition() {
    constexpr std::int64_t enough_turns = 512;
    if (others_may_act_ || !as_the_gpu_ || (started_ < blocks_ && has_room()) || !all_poll()) {
      repetition_.reset();
      in_doubt_ = false;
      return;
    }
    std::vector<const BlockContext*> all;
    for (const Resident& one : running_) all.push_back(one.context.get());
    if (!repetition_.found(all, *launch_.memory, others_are_still_)) return;
    if (!in_doubt_ || turns_in_doubt_ < enough_turns) {
      if (!std::exchange(in_doubt_, true)) turns_in_doubt_ = 0;
      return repetition_.reset();
    }
    repeats_ = others_ && !others_are_still_;  // they may end it: they are asked first
    if (repeats_) return repetition_.reset();
    ThreadPlaces places;
    for (const BlockContext* one : all) one->add_places(places);
    budget_.waits_in_vain(*all.front(), places, [&] { return who_waits(); });
  }
  [[nodiscard]] bool all_poll() const {
    return std::ranges::all_of(running_, [](const Resident& one) { return one.context->spinning; });
  }
  /// Nothing where the simulator keeps fewer blocks than the GPU.
  [[nodiscard]] std::optional<WaitingForBlocks> who_waits() const {
    if (!all_poll() || !as_the_gpu_ || has_room() || started_ == blocks_) return std::nullopt;
    return WaitingForBlocks{running_.size(), blocks_ - started_, blocks_};
  }
  /// Blocks in turn print in turn.
  void print() {
    BlockLog& log = worker_.log;
    if (!log.output.empty() || log.cut) print_(std::exchange(log.output, {}), std::exchange(log.cut, 0));
  }
  void leave(std::size_t i) {
    auto& ended = running_[i].cluster ? running_[i].cluster->ended : idle_;
    ended.push_back(std::move(running_[i].context));
    if (&ended == &idle_) {
      --held_;
    } else if (ended.size() == size_) {
      held_ -= size_;
      std::ranges::move(ended, std::back_inserter(idle_));
      ended.clear();
    }
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  const LaunchState& launch_;
  Budget& budget_;
  Worker& worker_;
  std::uint64_t size_;  ///< blocks of a cluster
  std::uint64_t blocks_, resident_, started_ = 0;
  std::uint64_t held_ = 0;  ///< blocks that run, and those that their siblings keep
  bool as_the_gpu_;         ///< so many as the GPU keeps resident
  const Print& print_;
  const AskOthers& others_;
  bool others_may_act_ = false, others_are_still_ = false;  ///< they said so last
  Stillness stillness_;
  bool repeats_ = false;  ///< their state has come back, and they are to be asked
  Repetition repetition_;
  bool in_doubt_ = false;  ///< a state of those that poll has come back
  std::int64_t turns_in_doubt_ = 0;
  std::deque<Resident> running_;
  std::vector<std::unique_ptr<BlockContext>> idle_;
};

/// How many blocks may be resident at once for their registers, shared and local memory on this machine: few have half
/// a megabyte of local memory for each thread. Throws LaunchError where that is too few for a cooperative grid.
std::uint64_t most_contexts(const LaunchState& launch) {
  constexpr std::uint64_t most = 768 << 20, most_together = std::uint64_t{4} << 30;  // bytes
  const std::uint64_t bytes = std::max<std::uint64_t>(context_bytes(launch), 1);
  if (!launch.grid_workspace) return std::max<std::uint64_t>(most / bytes, 1);
  if (launch.grid.volume() > most_together / bytes)
    throw LaunchError(
        LaunchFailure::out_of_memory,
        fmt::format("the {} blocks of a cooperative grid take {} bytes each of registers, shared and local "
                    "memory; the simulator keeps {} at once",
                    launch.grid.volume(), bytes, most_together),
        {}, "use a smaller grid, or less local memory");
  return UINT64_MAX;
}

bool in_parallel(const Observer* observer) { return (observer->watches() & kWatchInParallel) != 0; }

Counters run_all_blocks(const LaunchState& launch, const GridOptions& options, const Print& print, const Look& look) {
  const Program& program = *launch.program;
  // A schedule is for what depends on the order, and nobody knows beforehand whether a kernel does: plain accesses
  // that race, sums of floating-point atomics. So all of it runs on one thread, and atomics apply as they come.
  const bool together = program.communicates || launch.cluster.volume() > 1 || launch.schedule ||
                        !std::ranges::all_of(launch.observers, in_parallel);
  const std::uint64_t blocks = launch.grid.volume();
  const std::uint64_t contexts = most_contexts(launch);
  const std::uint64_t threads =
      together ? 1
               : std::clamp<std::uint64_t>(std::min(blocks, contexts), 1,
                                           static_cast<std::uint64_t>(std::max(options.threads, 1)));
  Workers workers;
  for (std::uint64_t i = 0; i < threads; ++i)
    workers.push_back(std::make_unique<Worker>(program, *launch.memory, launch.phases));
  const std::uint64_t side_by_side =
      together ? std::min(blocks, std::max<std::uint64_t>(options.resident, 1)) : threads;
  Budget budget(program, options, side_by_side * ((launch.block.volume() + kLanes - 1) / kLanes));
  if (together) {
    InterleavedGrid blocks_in_turn(launch, budget, *workers[0], options, contexts, print);
    if (launch.schedule)
      blocks_in_turn.run(Schedule(launch.schedule, 0));
    else
      blocks_in_turn.run();
  } else {
    ParallelGrid(launch, budget, workers, print).run();
  }
  if (look) look(workers);
  Counters counters = count(program, workers);
  counters["warps"] = blocks * ((launch.block.volume() + kLanes - 1) / kLanes);
  return counters;
}

}  // namespace

Counters run_grid(const LaunchState& launch, const GridOptions& options, const Print& print, const Look& look) {
  const auto tell_end = [&] { launch.tell([&](Observer& observer) { observer.grid_ended(launch); }); };
  Counters counters;
  try {
    launch.tell([&](Observer& observer) { observer.grid_started(launch); });
    counters = run_all_blocks(launch, options, print, look);
  } catch (...) {
    tell_end();
    throw;
  }
  tell_end();
  return counters;
}

}  // namespace gpulab::simt
