// Liveness and register allocation together: what may share a slot, and that sharing never changes a result.

#include "common/ptx/flow/allocation.h"

#include <algorithm>
#include <deque>
#include <random>

#include "tests/catch.h"

using namespace gpulab::ptx;

namespace {

using Ids = std::vector<std::uint32_t>;

/// Instructions with their flow and registers; keeps the lists alive.
class Code {
 public:
  Code& op(Ids writes, Ids reads, bool partial = false, bool early_clobber = false) {
    accesses_.push_back({keep(std::move(reads)), keep(std::move(writes)), partial, early_clobber});
    flows_.emplace_back();
    return *this;
  }
  Code& branch(std::uint32_t to, Ids reads) {
    op({}, std::move(reads));
    flows_.back() = {true, false, keep({to})};
    return *this;
  }
  Code& jump(std::uint32_t to) {
    op({}, {});
    flows_.back() = {false, false, keep({to})};
    return *this;
  }
  [[nodiscard]] ControlFlowGraph graph() const { return control_flow_graph(flows_); }
  [[nodiscard]] const std::vector<RegisterAccess>& accesses() const { return accesses_; }
  [[nodiscard]] const std::vector<Flow>& flows() const { return flows_; }
  [[nodiscard]] Allocation allocate(const std::vector<VirtualRegister>& registers) const {
    return allocate_registers(registers, graph(), accesses_);
  }

 private:
  std::span<const std::uint32_t> keep(Ids ids) { return lists_.emplace_back(std::move(ids)); }
  std::deque<Ids> lists_;
  std::vector<RegisterAccess> accesses_;
  std::vector<Flow> flows_;
};

std::vector<VirtualRegister> words(std::size_t count) { return std::vector<VirtualRegister>(count); }

}  // namespace

TEST_CASE("a destination takes the slot of a source that dies there") {
  const auto slots = Code().op({0}, {}).op({1}, {0}).op({2}, {1}).op({}, {2}).allocate(words(3));
  CHECK(slots.slot_count == Ids{1});
  CHECK(slots.slots == Ids{0, 0, 0});
}

TEST_CASE("an early-clobber destination does not") {
  const auto slots = Code().op({0}, {}).op({1, 2}, {0}, false, true).op({}, {1, 2}).allocate(words(3));
  CHECK(slots.slot_count == Ids{3});
}

TEST_CASE("a source that lives on keeps its slot") {
  const auto slots = Code().op({0}, {}).op({1}, {0}).op({}, {0, 1}).allocate(words(2));
  CHECK(slots.slots[0] != slots.slots[1]);
}

TEST_CASE("destinations of one instruction differ, even where they are never read") {
  const auto slots = Code().op({0, 1, 2}, {}).op({}, {1}).allocate(words(3));
  CHECK(slots.slot_count == Ids{3});
}

TEST_CASE("a dead write does not hit what is live") {
  const auto slots = Code().op({0}, {}).op({1}, {}).op({}, {0}).allocate(words(2));
  CHECK(slots.slots[0] != slots.slots[1]);
}

TEST_CASE("a guarded write keeps the old value alive") {
  // r0 = …; r1 = …; @p r0 = r1; use r0. The write is no new life of r0.
  const auto slots = Code().op({0}, {}).op({1}, {}).op({0}, {1}, true).op({}, {0}).allocate(words(2));
  CHECK(slots.slots[0] != slots.slots[1]);
}

TEST_CASE("a register that is read before it is written lives from the entry") {
  const auto slots = Code().op({0}, {}).op({}, {0}).op({}, {1}).allocate(words(2));
  CHECK(slots.slots[0] != slots.slots[1]);
}

TEST_CASE("a value that a loop carries is live through all of it") {
  // 0: r0 =; 1: r1 =; 2: use r1; 3: r0 = f(r0); 4: @r0 bra 1
  const auto slots = Code().op({0}, {}).op({1}, {}).op({}, {1}).op({0}, {0}).branch(1, {0}).allocate(words(2));
  CHECK(slots.slots[0] != slots.slots[1]);
}

TEST_CASE("a value from before a loop survives what follows its last use within") {
  // 0: r0 =; 1: use r0; 2: r1 =; 3: @r1 bra 1
  const auto slots = Code().op({0}, {}).op({}, {0}).op({1}, {}).branch(1, {1}).allocate(words(2));
  CHECK(slots.slots[0] != slots.slots[1]);
}

TEST_CASE("both sides of an if may use the same slots") {
  // 0: r0 =; 1: @r0 bra 5; 2: r1 =; 3: use r1; 4: bra 7; 5: r2 =; 6: use r2; 7: end
  const auto slots =
      Code().op({0}, {}).branch(5, {0}).op({1}, {}).op({}, {1}).jump(7).op({2}, {}).op({}, {2}).op({}, {}).allocate(
          words(3));
  CHECK(slots.slot_count == Ids{1});
}

TEST_CASE("classes have slots of their own, unused registers none, pinned ones theirs alone") {
  const std::vector<VirtualRegister> registers{{0, false}, {1, false}, {2, false}, {0, false}, {0, true}, {0, false}};
  const auto slots =
      Code().op({4}, {}).op({0, 1, 2}, {4}).op({}, {0, 1, 2}).op({5}, {}).op({}, {5}).allocate(registers);
  CHECK(slots.slot_count == Ids{2, 1, 1});
  CHECK(slots.slots[3] == Allocation::none);
  CHECK(slots.slots[0] != slots.slots[4]);
  CHECK(slots.slots[5] == slots.slots[0]);
}

TEST_CASE("no instructions need no slots") {
  CHECK(Code().allocate(words(3)).slot_count == Ids{0});
  CHECK(Code().allocate({}).slots.empty());
}

namespace {

/// Executes the code for a few steps; each register's value is named by who wrote it, so any mix-up shows.
/// `place` maps a register to where it lives. Early-clobber instructions write before they read the last source.
class Machine {
 public:
  template <typename Place>
  static std::vector<std::uint64_t> run(const Code& code, std::uint32_t seed, std::size_t places, const Place& place) {
    std::vector<std::uint64_t> values(places, 0), trace;
    std::mt19937 random(seed);
    std::size_t pc = 0;
    for (int step = 0; step < 300 && pc < code.flows().size(); ++step) {
      const RegisterAccess& access = code.accesses()[pc];
      const bool taken = random() % 2 != 0, guard = random() % 2 != 0;
      std::uint64_t mixed = pc * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(step);
      const auto read = [&] {
        for (const std::uint32_t reg : access.reads) mixed = (mixed ^ values[place(reg)]) * 0x100000001B3u;
      };
      const auto write = [&](std::uint64_t base) {
        if (access.partial && !guard) return;
        for (std::size_t i = 0; i < access.writes.size(); ++i) values[place(access.writes[i])] = base + i;
      };
      if (access.early_clobber) write(~mixed);
      read();
      write(mixed);
      trace.push_back(mixed);
      const Flow& flow = code.flows()[pc];
      if (!flow.targets.empty() && (!flow.falls_through || taken)) {
        pc = flow.targets[random() % flow.targets.size()];
      } else if (flow.falls_through) {
        ++pc;
      } else {
        break;
      }
    }
    return trace;
  }
};

Ids some_registers(std::mt19937& random, std::uint32_t count, std::size_t most) {
  Ids found;
  for (std::size_t i = random() % (most + 1); i > 0; --i) {
    const std::uint32_t reg = random() % count;
    if (std::find(found.begin(), found.end(), reg) == found.end()) found.push_back(reg);
  }
  return found;
}

}  // namespace

TEST_CASE("random programs compute the same in slots as in registers") {
  std::mt19937 random(3);
  std::size_t saved = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::uint32_t size = 2 + random() % 60, count = 1 + random() % 30;
    std::vector<VirtualRegister> registers(count);
    for (auto& reg : registers) {
      reg.slot_class = static_cast<std::uint8_t>(random() % 3);
      reg.pinned = random() % 20 == 0;
    }
    Code code;
    for (std::uint32_t i = 0; i < size; ++i) {
      const auto kind = random() % 10;
      if (kind == 0) {
        code.jump(random() % (size + 1));
      } else if (kind <= 2) {
        code.branch(random() % (size + 1), some_registers(random, count, 1));
      } else {
        // An early-clobber destination that is a source too would be clobbered in any allocation.
        Ids writes = some_registers(random, count, 3), reads = some_registers(random, count, 3);
        const bool early = random() % 4 == 0;
        if (early) {
          std::erase_if(
              reads, [&](std::uint32_t reg) { return std::find(writes.begin(), writes.end(), reg) != writes.end(); });
        }
        code.op(std::move(writes), std::move(reads), random() % 4 == 0, early);
      }
    }
    const Allocation slots = code.allocate(registers);
    std::vector<std::size_t> class_start{0};
    for (const std::uint32_t used : slots.slot_count) class_start.push_back(class_start.back() + used);
    saved += count - class_start.back();
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
      const auto in_registers = Machine::run(code, seed, count, [](std::uint32_t reg) { return reg; });
      const auto in_slots = Machine::run(code, seed, class_start.back(), [&](std::uint32_t reg) {
        REQUIRE(slots.slots[reg] < slots.slot_count[registers[reg].slot_class]);
        return class_start[registers[reg].slot_class] + slots.slots[reg];
      });
      REQUIRE(in_registers == in_slots);
    }
  }
  CHECK(saved > 1500);  // it would be easy never to share
}

TEST_CASE("registers that a path reads before it writes them enter a function") {
  // 0 is written first; 1 only on one way round; 2 by a guarded instruction; 3 never; 4 behind its own loop.
  Code code;
  code.op({0}, {}).branch(3, {0}).op({1}, {}).op({2}, {1}, true);
  code.op({4}, {2, 3, 4}).branch(4, {4}).op({}, {0, 4});
  CHECK(code.allocate(words(5)).entering == Ids{1, 2, 3, 4});
}

TEST_CASE("what the first instruction writes early does not enter, unless it keeps some of it") {
  CHECK(Code().op({0, 1}, {}, false, true).op({}, {0, 1}).allocate(words(2)).entering.empty());
  CHECK(Code().op({0, 1}, {}, true, true).op({}, {0, 1}).allocate(words(2)).entering == Ids{0, 1});
}
