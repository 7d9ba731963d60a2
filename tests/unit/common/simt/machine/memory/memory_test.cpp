#include "common/simt/machine/memory/memory.h"

#include <set>

#include "common/device/simulator/device_memory.h"
#include "common/simt/machine/observer.h"
#include "tests/catch.h"

using namespace gpulab;
using namespace gpulab::simt;

TEST_CASE("an allocation that was freed is found by its name, until so many were freed after it") {
  GlobalMemory memory;
  std::vector<std::uint64_t> addresses;
  for (int i = 0; i < 20; ++i) addresses.push_back(memory.allocate(std::to_string(i), 64));
  for (int i = 0; i < 19; ++i) memory.release(addresses[i]);
  CHECK(memory.forget_freed(10).empty());  // fewer than twice as many
  CHECK(memory.forget_freed(5) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
  CHECK(memory.find(addresses[13]) == nullptr);
  CHECK(memory.find(addresses[14])->name == "14");
  CHECK(memory.host(addresses[14], 1) == nullptr);
  CHECK(memory.host(addresses[19], 64) != nullptr);
  CHECK_THROWS_AS(memory.release(addresses[3]), std::invalid_argument);
  CHECK_THROWS_AS(memory.release(addresses[14]), std::invalid_argument);
}

TEST_CASE("while a GPU works, it finds no memory of another's that it may not reach, and afterwards all is there") {
  GlobalMemory memory;
  const auto mine = memory.allocate("mine", 64), reached = memory.allocate("reached", 64),
             hidden = memory.allocate("hidden", 64), of_all = memory.allocate("of all", 64);
  memory.give_to(mine, 0);
  memory.give_to(reached, 1);
  memory.give_to(hidden, 2);
  memory.hide_from(0, [](int peer) { return peer == 1; });
  for (const auto seen : {mine, reached, of_all}) CHECK(memory.host(seen, 64) != nullptr);
  CHECK(memory.host(hidden, 1) == nullptr);
  CHECK(memory.find(hidden)->hidden == 64);
  CHECK(memory.in_front_of(hidden + 8) == nullptr);
  CHECK(memory.forget_freed(0).empty());  // it is not freed
  memory.show_all();
  CHECK(memory.host(hidden, 64) != nullptr);
  CHECK(memory.find(hidden)->hidden == 0);
}

TEST_CASE("no two allocations that are remembered have the same index, and indices do not grow with what is freed") {
  struct Indices : Observer {
    Indices() : Observer(0) {}
    void allocated(const Allocation& a) override { is_new = taken.insert(a.index).second && is_new; }
    void index_freed(std::uint32_t index) override { is_known = taken.erase(index) == 1 && is_known; }
    std::set<std::uint32_t> taken;
    bool is_new = true, is_known = true;
  } indices;
  Observer* const observers[] = {&indices};
  DeviceMemory memory(observers);
  const auto kept = memory.allocate("kept", 4);
  for (int i = 0; i < 5000; ++i) memory.release(memory.allocate("out", 4));
  CHECK(indices.is_new);
  CHECK(indices.is_known);
  CHECK(memory.global().allocations().size() < 1000);
  CHECK(indices.taken.size() < 1000);
  CHECK(*indices.taken.rbegin() < 1000);
  CHECK(memory.global().find(kept)->name == "kept");
}

TEST_CASE("an index may lead far beyond an allocation of the device's, but not to where the host has its memory") {
  GlobalMemory memory;
  const auto address = memory.allocate("x", 64);
  CHECK(memory.overrun(address)->name == "x");
  CHECK(memory.overrun(address + 63)->name == "x");
  CHECK(memory.overrun(address + (std::uint64_t{8} << 32))->name == "x");  // x[0xffffffff] of doubles
  CHECK(memory.overrun(address - 1) == nullptr);
  constexpr std::uint64_t stack = 0x7ffd'3277'698c;
  CHECK(memory.overrun(stack) == nullptr);
  std::byte own[64];
  memory.adopt("registered", own, sizeof own);
  const auto there = reinterpret_cast<std::uint64_t>(&own);
  CHECK(memory.overrun(there + 64)->name == "registered");
  CHECK(memory.overrun(there + (std::uint64_t{1} << 30)) == nullptr);
}

std::uint32_t index_at(const GlobalMemory& memory, std::uint64_t address) { return memory.nearest(address)->index; }

TEST_CASE("a footprint counts the sectors of allocations before and behind prepare(), and of forgotten ones") {
  GlobalMemory memory;
  const auto first = memory.allocate("first", 1 << 20), small = memory.allocate_small("small", 8);
  FootprintMap map;
  map.prepare(memory);
  CHECK(map.bytes(false) == 0);
  const auto large = index_at(memory, first), little = index_at(memory, small);
  map.loaded(large)[0] = 0b101;
  map.loaded(large)[map.words(large) - 1] = 1;
  map.stored(little)[0] = 1;
  CHECK(map.bytes(false) == 3 * 32);
  CHECK(map.bytes(true) == 32);

  const auto late = index_at(memory, memory.allocate_small("late", 64));
  CHECK(map.words(late) == 0);
  map.add(*memory.nearest(memory.allocations().back()->address));
  map.add(*memory.nearest(memory.allocate_small("later", 64)));
  map.stored(late)[0] = 0b11;
  map.loaded(large)[1] = 1;  // what was there has not moved
  CHECK(map.bytes(true) == 3 * 32);
  CHECK(map.bytes(false) == 4 * 32);

  map.index_freed(late);
  CHECK(map.words(late) == 0);
  CHECK(map.bytes(true) == 3 * 32);
  map.index_freed(large);
  CHECK(map.bytes(false) == 4 * 32);
}

TEST_CASE("footprints of workers are one when they are merged, and one is empty when it is prepared again") {
  GlobalMemory memory;
  const auto at = index_at(memory, memory.allocate("data", 4096));
  FootprintMap one, other;
  one.prepare(memory);
  other.prepare(memory);
  one.loaded(at)[0] = 0b0110;
  other.loaded(at)[0] = 0b1100;
  other.stored(at)[1] = 1;
  one.merge(other);
  CHECK(one.bytes(false) == 3 * 32);
  CHECK(one.bytes(true) == 32);
  one.prepare(memory);
  CHECK(one.bytes(false) + one.bytes(true) == 0);
}
