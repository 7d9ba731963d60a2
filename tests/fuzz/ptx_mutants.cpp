// Mutants of PTX on the simulator, for as long as is asked, each group of them in a process of its own: what crashes or
// hangs is told by its number, and the rest goes on. In any build; ASan and UBSan find most in build-asan.
//   ptx_mutants SECONDS [FIRST]    from mutant FIRST on (0), in two processes at a time
//   ptx_mutants show NUMBER        the text of one
//   ptx_mutants run NUMBER         that one alone, in this process
// Ends with the plain line 'N passed, N failed'; exits 1 where any failed.

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

#include "tests/fuzz/hostile_run.h"
#include "tests/fuzz/mutants.h"

namespace {

using namespace gpulab::tests;
using Clock = std::chrono::steady_clock;
constexpr std::uint64_t group_size = 400;
constexpr unsigned longest = 60;  ///< seconds that one mutant may take, with sanitizers on a busy machine

/// What a process of ours does, seen by the parent.
struct Progress {
  std::uint64_t number = 0;
  std::uint64_t outcomes[3] = {0, 0, 0};
};

[[noreturn]] void run_group(const std::vector<MutantSeed>& seeds, std::uint64_t first, Progress& progress) {
  for (auto number = first; number < first + group_size; ++number) {
    progress.number = number;
    alarm(longest);
    ++progress.outcomes[static_cast<int>(run_hostile(mutant(seeds, number), number))];
  }
  _exit(0);
}

class Session {
 public:
  explicit Session(std::uint64_t first) : next_(first) {
    void* shared =
        mmap(nullptr, sizeof(Progress) * processes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) std::abort();
    progress_ = static_cast<Progress*>(shared);
    for (int slot = 0; slot < processes; ++slot) free_.insert(slot);
  }

  /// How many failed.
  std::uint64_t run(std::chrono::seconds how_long) {
    const auto end = Clock::now() + how_long;
    while (Clock::now() < end || !running_.empty()) {
      while (!free_.empty() && Clock::now() < end) start();
      if (!running_.empty()) wait_for_one();
    }
    fmt::print("{} ran, {} failed at their launch, {} were refused; the next is {}\n", outcomes_[2], outcomes_[1],
               outcomes_[0], next_);
    fmt::print("{} passed, {} failed\n", outcomes_[0] + outcomes_[1] + outcomes_[2], failed_);
    return failed_;
  }

 private:
  static constexpr int processes = 2;

  void start() {
    const int slot = *free_.begin();
    free_.erase(free_.begin());
    progress_[slot] = {};
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) std::abort();
    if (child == 0) run_group(seeds_, next_, progress_[slot]);
    running_[child] = slot;
    next_ += group_size;
  }

  void wait_for_one() {
    int status = 0;
    const pid_t child = wait(&status);
    const int slot = running_.at(child);
    running_.erase(child);
    free_.insert(slot);
    for (int i = 0; i < 3; ++i) outcomes_[i] += progress_[slot].outcomes[i];
    if (status == 0) return;
    ++failed_;
    const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    fmt::print("FAILED: mutant {} {}\n", progress_[slot].number,
               late ? "does not end" : fmt::format("ends with status {}", status));
    std::fflush(nullptr);
  }

  std::vector<MutantSeed> seeds_ = mutant_seeds();
  std::uint64_t next_, failed_ = 0;
  std::uint64_t outcomes_[3] = {0, 0, 0};
  Progress* progress_ = nullptr;
  std::set<int> free_;
  std::map<pid_t, int> running_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  const std::uint64_t number = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (first == "show") {
    fmt::print("{}", mutant(mutant_seeds(), number));
    return 0;
  }
  if (first == "run") {
    std::string said;
    const auto outcome = run_hostile(mutant(mutant_seeds(), number), number, &said);
    fmt::print("{}{}\n", said, outcome == Outcome::ran ? "ran" : outcome == Outcome::failed ? "failed" : "refused");
    return 0;
  }
  const auto seconds = std::strtol(argc > 1 ? argv[1] : "0", nullptr, 10);
  if (seconds <= 0) {
    fmt::print(stderr, "usage: ptx_mutants SECONDS [FIRST] | show NUMBER | run NUMBER\n");
    return 2;
  }
  return Session(number).run(std::chrono::seconds(seconds)) == 0 ? 0 : 1;
}
