#include "common/simt/compiled/hot_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "common/enum_text.h"
#include "common/error.h"
#include "common/simt/compiled/background.h"
#include "common/simt/machine/observer.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt::compiled {

namespace {

/// Warp instructions that the interpreter executes, on one thread, while code is made of one micro-op: 0.7 ms, at 8 ns
/// each. That is a first guess, before anybody has looked at what the code would be.
constexpr std::uint64_t kWorkOfOp = 90'000;
/// Code for parts of warps is about this much larger than that for whole ones.
constexpr std::uint64_t kMaskedSize = 2;
/// So many times as much as the quickest code costs has to run in code that was made quickly, for there to be as much
/// again: it takes a sixth less time then, of a third of what the interpreter takes.
constexpr std::uint64_t kThoroughlyPays = 16;
/// No program is that short that code would pay, be it by what has run or by what is left.
constexpr std::uint64_t kLeastWork = 4'000'000;
/// Before so much has run, nobody can tell how long the rest takes.
constexpr std::uint64_t kLeastSeen = 400'000;
/// Warp instructions that the interpreter executes in a millisecond, on one thread: 8 ns each.
constexpr std::uint64_t kWorkOfMillisecond = 125'000;
/// To look whether a program's code came with gpulab takes as long as the interpreter for 1000 to 1200 warp
/// instructions of each micro-op (0.45 ms for reduce_warp, 3.2 for scan_three_phase), and pays where so many are left.
constexpr std::uint64_t kReadyPaysOfOp = 3000;
/// Milliseconds that a thread of blocks waits for code, at most.
constexpr int kMostWait = 1000;

When by_environment(When when) {
  const char* const text = std::getenv("GPULAB_COMPILED");
  if (when != When::automatic) return when;
  if (text == nullptr || *text == '\0') return when;
  if (const auto wanted = from_text<When>(text)) return *wanted;
  throw usage_error(fmt::format("unknown GPULAB_COMPILED '{}'", text),
                    fmt::format("it is one of: {}", fmt::join(words_of(When{}), ", ")));
}

bool can_run(const LaunchState& launch) {
  constexpr int allowed = kWatchTraced | kWatchInParallel | kWatchBarriers | kWatchCompleted;
  const bool in_parallel = std::ranges::all_of(
      launch.observers, [](const Observer* observer) { return (observer->watches() & kWatchInParallel) != 0; });
  return in_parallel && !(launch.watched & ~allowed) && !launch.schedule && launch.block.volume() >= kLanes &&
         launch.cluster.volume() == 1;  // whose generic addresses may be of siblings
}

}  // namespace

/// A program in launches of one shape: interpreted, then code for whole warps, then where parts of warps would often
/// enter code for those, too; large code is made quickly first, and again where it runs for long.
class HotProgram : public HotCode, public std::enable_shared_from_this<HotProgram> {
 public:
  HotProgram(std::shared_ptr<const Program> program, const Dim3& block) : program_(std::move(program)), block_(block) {}

  /// Nobody else has the program.
  [[nodiscard]] bool is_left() const { return program_.use_count() == 1; }
  const BasicBlock* at_once() {
    if (!settled_ && !take_ready()) make({.masked = true}, {});
    return blocks_.load();
  }
  /// A launch of so many blocks is next. Ready code is taken before its first block where each warp may well execute
  /// half of the program: blocks that wait for each other all start before one of them ends.
  void begin(std::uint64_t blocks, std::uint64_t threads) {
    of_launch_ = blocks;
    threads_ = std::clamp<std::uint64_t>(blocks, 1, threads);
    launch_work_ = started_ = 0;
    const std::uint64_t warps = blocks * ((block_.volume() + kLanes - 1) / kLanes);
    if (warps / 2 > kReadyPaysOfOp) look_for_ready();
  }

 protected:
  void look(std::uint64_t executed, const Worker& worker) override {
    const std::uint64_t work = work_.fetch_add(executed, std::memory_order_relaxed) + executed;
    const std::uint64_t launch_work = launch_work_.fetch_add(executed, std::memory_order_relaxed) + executed;
    const std::uint64_t started = started_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (asked_.load(std::memory_order_acquire)) return;
    if (!looked_for_ready_.load(std::memory_order_relaxed)) {
      if (work + static_cast<std::uint64_t>(left(launch_work, started)) < kReadyPaysOfOp * program_->ops.size()) return;
      look_for_ready();
      if (settled_) return;
    }
    if (!blocks_.load(std::memory_order_relaxed)) {
      if (pays(cost_, work, launch_work, started)) ask({}, worker);
    } else if (!has_masked_ && masked_pays(masked_cost_)) {
      ask({.masked = true}, worker);
    } else if (cost_of_thorough_ > 0 && work - made_at_ >= kThoroughlyPays * cost_of_thorough_) {
      ask({.masked = has_masked_, .thorough = true}, worker);
    }
  }

 private:
  /// What is made next.
  struct Want {
    bool masked = false;    ///< for parts of warps, too
    bool thorough = false;  ///< takes its time
  };

  /// Whether code that costs so much work is worth it. A program that has taken as long before this launch may well do
  /// so again; of one that has not, what this launch has left is an estimate: as much for each block as those that
  /// have started.
  [[nodiscard]] bool pays(std::uint64_t cost, std::uint64_t work, std::uint64_t launch_work,
                          std::uint64_t started) const {
    cost += static_cast<std::uint64_t>(milliseconds_to_open()) * kWorkOfMillisecond;
    if (work >= kLeastWork && work - launch_work >= cost) return true;
    if (work < kLeastSeen) return false;
    // While one thread makes code, all others go on, and what is left then takes half as long at most. Where that
    // thread takes its time from them, twice the cost has to be left then; one more, for the estimate is one.
    const std::uint64_t more = work >= cost ? 0 : is_a_cpu_idle() ? 2 : 3;
    return left(launch_work, started) >= static_cast<double>(std::max(cost * (threads_ + more), kLeastWork));
  }
  /// Warp instructions that this launch has left, as an estimate.
  [[nodiscard]] double left(std::uint64_t launch_work, std::uint64_t started) const {
    return static_cast<double>(launch_work) / static_cast<double>(std::max<std::uint64_t>(started, 1)) *
           static_cast<double>(of_launch_ - std::min(of_launch_.load(), started));
  }

  [[nodiscard]] bool masked_pays(std::uint64_t cost) const {
    const std::uint64_t refused = refused_.load(std::memory_order_relaxed);
    if (refused / 2 >= cost) return true;  // which is what code would have saved
    if (refused < kLeastSeen) return false;
    // And what it will save of this launch, if parts of warps have as much of it as since there is code.
    const double share = static_cast<double>(refused) / static_cast<double>(std::max(work_ - made_at_, refused));
    const std::uint64_t more = is_a_cpu_idle() ? 2 : 3;
    return left(launch_work_, started_) * share / 2 >= static_cast<double>(cost * (threads_ + more));
  }

  [[nodiscard]] bool is_a_cpu_idle() const {
    static const unsigned cpus = std::thread::hardware_concurrency();  // glibc reads a file each time: 10 us a block
    return threads_ < cpus;
  }

  /// Once; while one thread does, no other asks for code.
  void look_for_ready() {
    if (looked_for_ready_.load(std::memory_order_relaxed) || asked_.exchange(true)) return;
    if (!looked_for_ready_.exchange(true)) take_ready();
    asked_.store(false, std::memory_order_release);
  }
  /// Code that came with gpulab, at once: nothing is better.
  bool take_ready() {
    auto made = CompiledProgram::ready(*program_, {.block = block_, .refused = &refused_});
    if (!made) return false;
    has_masked_ = settled_ = true;
    blocks_.store(made->blocks(), std::memory_order_release);
    made_.push_back(std::move(made));
    return true;
  }
  void ask(Want want, const Worker& worker) {
    if (asked_.exchange(true)) return;
    std::vector<std::uint64_t> counts(program_->blocks.size());
    for (const PhaseCounts& phase : worker.phases)
      for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] += phase.block_counts[i].warps * program_->blocks[i].instructions;
    if (!in_background([self = shared_from_this(), want, counts] { self->make(want, counts); })) {
      settled_ = true;
    } else if (threads_ > 1 && !is_a_cpu_idle()) {
      // The code is there sooner, and all that runs until then is slower, if this thread gives up its
      // own.
      wait_for_background(kMostWait);
    }
  }
  void make(Want want, const std::vector<std::uint64_t>& counts) {
    // The thread of blocks that asked may have looked before the code came that is there now.
    const bool is_better = want.masked > has_masked_ || (want.thorough && cost_of_thorough_ > 0);
    want.masked = want.masked || has_masked_;
    if (made_.empty() || is_better) make_wanted(want, counts);
    asked_.store(false, std::memory_order_release);
  }
  void make_wanted(Want want, const std::vector<std::uint64_t>& counts) {
    std::string why;
    bool is_worth = true;
    const auto ask_again = [&](std::uint64_t cost) {
      is_worth = want.masked ? masked_pays(cost) : pays(cost, work_, launch_work_, started_);
      (want.masked ? masked_cost_ : cost_) = cost;
      if (!want.masked) masked_cost_ = kMaskedSize * cost;
      return is_worth;
    };
    CodeRequest request{block_, want.masked, want.thorough, counts, {}, &refused_};
    if (!counts.empty() && !want.thorough) request.is_worth = ask_again;
    auto made = CompiledProgram::make(*program_, request, why);
    // What cannot be made once will not be the next time.
    if ((!made && is_worth) || (made && want.masked && made->cost_of_thorough() == 0)) settled_ = true;
    if (made) {
      has_masked_ = want.masked;
      cost_of_thorough_ = made->cost_of_thorough();
      made_at_ = work_.load();
      blocks_.store(made->blocks(), std::memory_order_release);
      made_.push_back(std::move(made));
    }
  }

  const std::shared_ptr<const Program> program_;
  const Dim3 block_;
  std::atomic<bool> asked_{false};             ///< something is being made
  std::atomic<bool> looked_for_ready_{false};  ///< CompiledProgram::ready() has been asked
  std::atomic<bool> has_masked_{false};
  std::atomic<std::uint64_t> cost_of_thorough_{0};  ///< CompiledProgram::cost_of_thorough(), and
  std::atomic<std::uint64_t> made_at_{0};           ///< what had run when that code was made
  std::atomic<std::uint64_t> work_{0};              ///< warp instructions, of all launches, and of this one
  std::atomic<std::uint64_t> launch_work_{0};
  std::atomic<std::uint64_t> started_{0};  ///< blocks of this launch
  std::atomic<std::uint64_t> of_launch_{0}, threads_{1};
  /// What code for whole warps costs, and for parts of them, too: in warp instructions that run while it is made.
  std::atomic<std::uint64_t> cost_{std::min(program_->ops.size(), CompiledProgram::kMostHotOps) * kWorkOfOp};
  std::atomic<std::uint64_t> masked_cost_{cost_.load()};
  std::atomic<std::uint64_t> refused_{0};               ///< warp instructions of parts of warps
  std::vector<std::unique_ptr<CompiledProgram>> made_;  ///< blocks that run keep what came first
};

void wait_for_code() { wait_for_background(); }
void open_llvm_beside_launches() { open_in_background(); }
bool makes_code() { return is_busy_in_background(); }

HotPrograms::HotPrograms(When when, int threads)
    : when_(by_environment(when)), threads_(static_cast<std::uint64_t>(std::max(threads, 1))) {}
HotPrograms::~HotPrograms() = default;

void HotPrograms::prepare(LaunchState& launch, const std::shared_ptr<const Program>& program) {
  if (when_ == When::never || !can_run(launch)) return;
  if (when_ == When::automatic && program->functions.size() != 1) return;
  const Shape shape{program.get(), launch.block.x, launch.block.y, launch.block.z};
  constexpr std::size_t many = 64;  // a program that makes kernels as it goes leaves each of them once
  if (programs_.size() >= many && !programs_.contains(shape))
    std::erase_if(programs_, [](const auto& one) { return one.second->is_left(); });
  auto& hot = programs_[shape];
  if (!hot) hot = std::make_shared<HotProgram>(program, launch.block);
  if (when_ == When::always)
    launch.blocks = hot->at_once();
  else
    hot->begin(launch.grid.volume(), threads_), launch.hot = hot.get();
}

}  // namespace gpulab::simt::compiled
