#include "common/child/group_time.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/catch.h"

namespace gpulab {
namespace {

/// A process group of its own, ended with this.
class Group {
 public:
  explicit Group(void (*work)()) : leader_(fork()) {
    if (leader_ == 0) {
      setpgid(0, 0);
      work();
      _exit(0);
    }
    setpgid(leader_, leader_);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    kill(-leader_, SIGKILL);
    waitpid(leader_, nullptr, 0);
  }
  [[nodiscard]] pid_t leader() const { return leader_; }
  /// Asks for a second at most, until it is so.
  [[nodiscard]] bool becomes_ready(bool wanted) const {
    for (int i = 0; i < 100; ++i, usleep(10'000))
      if (group_is_ready(leader_) == wanted) return true;
    return false;
  }

 private:
  pid_t leader_;
};

void waits() { pause(); }
void spins() {
  for (;;) (void)getppid();
}

}  // namespace

TEST_CASE("a group that waits for what nobody sends is idle, for as long as it was looked at") {
  const Group group(waits);
  REQUIRE(group.becomes_ready(false));
  IdleTime idle(group.leader());
  (void)idle.look();  // what it took to start
  usleep(50'000);
  const auto first = idle.look();
  CHECK(first.count() >= 50);
  usleep(50'000);
  CHECK(idle.look().count() >= first.count() + 50);
}

TEST_CASE("a group that could run is not idle, whether or not it has had a CPU since") {
  const Group group(spins);
  REQUIRE(group.becomes_ready(true));
  IdleTime idle(group.leader());
  usleep(20'000);
  CHECK(idle.look().count() == 0);
}

TEST_CASE("of what passes between two looks only so much counts: who looks may have been stopped as well") {
  const Group group(waits);
  REQUIRE(group.becomes_ready(false));
  IdleTime idle(group.leader(), std::chrono::milliseconds(20));
  (void)idle.look();
  const auto first = idle.look();
  usleep(100'000);
  CHECK(idle.look().count() == first.count() + 20);
}

}  // namespace gpulab
