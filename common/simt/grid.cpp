#include "common/simt/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/device/launch_error.h"
#include "common/simt/worker.h"

namespace gpulab::simt {

namespace {

/// Warp instructions that a block may run before another gets a turn (blocks that wait for each other).
constexpr std::int64_t kBlockSlice = 1 << 16;
/// The same for a block that only polled in its last turn: what it waits for is done in others' turns.
constexpr std::int64_t kSpinningSlice = 1 << 9;
/// And where blocks are independent: turns only let the warps of one block wait for each other by polling.
constexpr std::int64_t kWarpSlice = 1 << 18;

/// The launch's allowance of warp instructions, drawn by workers in large steps.
class Budget {
 public:
  Budget(const Program& program, const GridOptions& options)
      : program_(program),
        total_(options.budget),
        left_(static_cast<std::int64_t>(options.budget - std::min(options.spent, options.budget))) {}
  /// For what `block` has just executed.
  void spend(std::uint64_t instructions, const BlockContext& block, const auto& add_places) {
    if (left_.fetch_sub(static_cast<std::int64_t>(instructions), std::memory_order_relaxed) >=
        static_cast<std::int64_t>(instructions))
      return;
    ThreadPlaces places;
    add_places(places);
    throw LaunchError("hung",
                      fmt::format("{} did not end within {} warp instructions: {}", program_.name, total_,
                                  described(program_, places)),
                      block.place(), "look for a loop that cannot end, or raise --budget");
  }

 private:
  const Program& program_;
  std::uint64_t total_;
  std::atomic<std::int64_t> left_;
};

/// Applies what blocks left behind in the order of their chunks, whoever finishes first.
class Committer {
 public:
  void commit(std::uint64_t chunk, BlockLog log) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(chunk, std::move(log));
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      apply(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      ++next_;
    }
  }
  std::string output;

 private:
  void apply(const BlockLog& log) {
    for (const auto& atomic : log.atomics) atomic.apply(atomic.host, atomic.value);
    output += log.output;
  }
  std::mutex mutex_;
  std::map<std::uint64_t, BlockLog> waiting_;
  std::uint64_t next_ = 0;
};

/// Independent blocks, in chunks handed out in order.
class ParallelGrid {
 public:
  ParallelGrid(const LaunchState& launch, Budget& budget, std::vector<std::unique_ptr<Worker>>& workers)
      : launch_(launch), budget_(budget), workers_(workers), blocks_(launch.grid.volume()) {
    // Chunks small enough to balance, large enough that handing out and committing cost nothing.
    chunk_ = std::clamp<std::uint64_t>(blocks_ / (workers.size() * 64), 1, 64);
  }
  void run(std::string& output) {
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < workers_.size(); ++i) threads.emplace_back([this, i] { serve(*workers_[i]); });
    serve(*workers_[0]);
    for (auto& thread : threads) thread.join();
    output += committer_.output + failed_output_;
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void serve(Worker& worker) {
    std::uint64_t chunk = 0;
    try {
      BlockContext context(launch_, worker, workers_.size() > 1);
      while ((chunk = next_.fetch_add(1)) * chunk_ < blocks_ && chunk < stop_at_.load()) {
        for (std::uint64_t b = chunk * chunk_; b < std::min(blocks_, (chunk + 1) * chunk_); ++b) run_block(context, b);
        committer_.commit(chunk, std::exchange(worker.log, {}));
      }
    } catch (...) {
      // The error of the lowest chunk is the one reported: chunks below it are still run.
      const std::lock_guard lock(mutex_);
      if (chunk < stop_at_.load()) {
        stop_at_ = chunk;
        error_ = std::current_exception();
        failed_output_ = worker.log.output;
      }
    }
  }
  void run_block(BlockContext& context, std::uint64_t b) {
    context.start(b);
    std::uint64_t spent = 0;
    bool done = false;
    while (!done) {
      done = context.run(kWarpSlice);
      budget_.spend(context.executed - spent, context, [&](ThreadPlaces& places) { context.add_places(places); });
      spent = context.executed;
    }
  }

  const LaunchState& launch_;
  Budget& budget_;
  std::vector<std::unique_ptr<Worker>>& workers_;
  std::uint64_t blocks_, chunk_ = 1;
  std::atomic<std::uint64_t> next_{0}, stop_at_{UINT64_MAX};
  Committer committer_;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::string failed_output_;  ///< of the chunk that failed
};

/// Blocks that may wait for each other: one thread, a fixed interleaving. A block that does not end within its turn
/// lets the next ones in, up to what the modelled GPU keeps resident, and they take turns.
void run_interleaved(const LaunchState& launch, Budget& budget, Worker& worker, std::uint64_t resident) {
  const std::uint64_t blocks = launch.grid.volume();
  std::uint64_t next = 0;
  struct Resident {
    std::unique_ptr<BlockContext> context;
    std::uint64_t spent = 0;
  };
  std::deque<Resident> running;
  std::vector<std::unique_ptr<BlockContext>> idle;
  const auto admit = [&] {
    if (idle.empty()) idle.push_back(std::make_unique<BlockContext>(launch, worker, false));
    running.push_back({std::move(idle.back()), 0});
    idle.pop_back();
    running.back().context->start(next++);
  };
  while (next < blocks || !running.empty()) {
    if (next < blocks && running.size() < resident) admit();
    // The newest first: the others have had their turn and wait, perhaps for it.
    for (std::size_t i = running.size(); i-- > 0;) {
      Resident& r = running[i];
      const bool done = r.context->run(r.context->spinning ? kSpinningSlice : kBlockSlice);
      budget.spend(r.context->executed - r.spent, *r.context, [&](ThreadPlaces& places) {
        for (const Resident& one : running) one.context->add_places(places);
      });
      r.spent = r.context->executed;
      if (!done) continue;
      idle.push_back(std::move(r.context));
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace

Counters run_grid(const LaunchState& launch, const GridOptions& options, std::string& output,
                  const std::function<void(const Workers&)>& look) {
  const Program& program = *launch.program;
  const bool together = program.communicates || launch.sanitizer;
  const std::uint64_t blocks = launch.grid.volume();
  const std::uint64_t threads =
      together ? 1 : std::clamp<std::uint64_t>(blocks, 1, static_cast<std::uint64_t>(std::max(options.threads, 1)));
  Workers workers;
  for (std::uint64_t i = 0; i < threads; ++i)
    workers.push_back(std::make_unique<Worker>(program, *launch.memory, launch.phases));
  Budget budget(program, options);
  if (together) {
    try {
      run_interleaved(launch, budget, *workers[0], std::max<std::uint64_t>(options.resident, 1));
    } catch (...) {
      output += workers[0]->log.output;
      throw;
    }
    output += workers[0]->log.output;
  } else {
    ParallelGrid(launch, budget, workers).run(output);
  }
  if (look) look(workers);
  Counters counters = count(program, workers);
  counters.warps = blocks * ((launch.block.volume() + kLanes - 1) / kLanes);
  return counters;
}

}  // namespace gpulab::simt
