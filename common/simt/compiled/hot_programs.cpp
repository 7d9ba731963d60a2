#include "common/simt/compiled/hot_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "common/enum_text.h"
#include "common/error.h"
#include "common/simt/compiled/background.h"
#include "common/simt/machine/observer.h"

namespace gpulab::simt::compiled {

namespace {

/// Warp instructions that the interpreter executes, on one thread, while code is made of one micro-op: 1 ms, at 8 ns
/// each. A launch that ends as soon as its code is asked for has lost no more than it had taken.
constexpr std::uint64_t kWorkOfOp = 125'000;
/// Entries of parts of warps, of some five instructions each, that pay for code for them.
constexpr std::uint64_t kEntriesOfOp = 30'000;
/// No launch is that short that code would pay.
constexpr std::uint64_t kLeastWork = 4'000'000;

/// Nobody has it by default yet.
constexpr When kDefault = When::never;

When by_environment(When when) {
  const char* const text = std::getenv("GPULAB_COMPILED");
  if (when != When::automatic) return when;
  if (text == nullptr || *text == '\0') return kDefault;
  if (const auto wanted = from_text<When>(text)) return *wanted;
  throw usage_error(fmt::format("unknown GPULAB_COMPILED '{}'", text),
                    fmt::format("it is one of: {}", fmt::join(words_of(When{}), ", ")));
}

bool can_run(const LaunchState& launch) {
  constexpr int allowed = kWatchTraced | kWatchInParallel | kWatchBarriers | kWatchCompleted;
  const bool in_parallel = std::ranges::all_of(
      launch.observers, [](const Observer* observer) { return (observer->watches() & kWatchInParallel) != 0; });
  return in_parallel && !(launch.watched & ~allowed) && !launch.program->communicates && !launch.schedule &&
         launch.block.volume() >= kLanes;
}

}  // namespace

/// A program in launches of one shape: interpreted, then code for whole warps, then where parts of warps would often
/// enter code for those, too.
class HotProgram : public HotCode, public std::enable_shared_from_this<HotProgram> {
 public:
  HotProgram(std::shared_ptr<const Program> program, const Dim3& block) : program_(std::move(program)), block_(block) {}

  /// Nobody else has the program.
  [[nodiscard]] bool is_left() const { return program_.use_count() == 1; }
  const BasicBlock* at_once() {
    if (!made_[1]) make(true);
    return blocks_.load();
  }

 protected:
  void look(std::uint64_t executed) override {
    const std::uint64_t ops = program_->ops.size();
    const std::uint64_t work = work_.fetch_add(executed, std::memory_order_relaxed) + executed;
    if (stage_.load() == Stage::interpreted && work >= std::max(kLeastWork, ops * kWorkOfOp))
      ask(Stage::interpreted, Stage::whole, false);
    else if (stage_.load() == Stage::whole && blocks_.load(std::memory_order_relaxed) &&
             refused_.load(std::memory_order_relaxed) >= ops * kEntriesOfOp)
      ask(Stage::whole, Stage::masked, true);
  }

 private:
  enum class Stage : std::uint8_t { interpreted, whole, masked };

  void ask(Stage from, Stage to, bool masked) {
    if (!stage_.compare_exchange_strong(from, to)) return;
    if (!in_background([self = shared_from_this(), masked] { self->make(masked); })) settled_ = true;
  }
  void make(bool masked) {
    std::string why;
    auto& made = made_[masked ? 1 : 0];
    made = CompiledProgram::make(*program_, {block_, masked, &refused_}, why);
    if (made) blocks_.store(made->blocks(), std::memory_order_release);
    if (!made || masked) settled_ = true;
  }

  const std::shared_ptr<const Program> program_;
  const Dim3 block_;
  std::atomic<Stage> stage_{Stage::interpreted};
  std::atomic<std::uint64_t> work_{0};
  std::atomic<std::uint32_t> refused_{0};
  std::unique_ptr<CompiledProgram> made_[2];  ///< of whole warps alone, and of all; blocks that run keep the first
};

void wait_for_code() { wait_for_background(); }

HotPrograms::HotPrograms(When when) : when_(by_environment(when)) {}
HotPrograms::~HotPrograms() = default;

void HotPrograms::prepare(LaunchState& launch, const std::shared_ptr<const Program>& program) {
  if (when_ == When::never || !can_run(launch)) return;
  if (when_ == When::automatic && (program->ops.size() > CompiledProgram::kMostOps || program->functions.size() != 1))
    return;
  const Shape shape{program.get(), launch.block.x, launch.block.y, launch.block.z};
  constexpr std::size_t many = 64;  // a program that makes kernels as it goes leaves each of them once
  if (programs_.size() >= many && !programs_.contains(shape))
    std::erase_if(programs_, [](const auto& one) { return one.second->is_left(); });
  auto& hot = programs_[shape];
  if (!hot) hot = std::make_shared<HotProgram>(program, launch.block);
  if (when_ == When::always)
    launch.blocks = hot->at_once();
  else
    launch.hot = hot.get();
}

}  // namespace gpulab::simt::compiled
