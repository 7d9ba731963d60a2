#include "tests/fidelity/model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

namespace gpulab::fidelity {
namespace {

using Address = std::uint64_t;
using Memory = std::map<Address, std::byte>;
/// The accesses of one warp in one step: lane -> address.
using Request = std::map<std::uint32_t, Address>;

std::uint64_t distinct_sectors(const Request& request, std::uint32_t width) {
  std::set<Address> sectors;
  for (const auto& [lane, address] : request)
    for (Address byte = address; byte < address + width; ++byte) sectors.insert(byte / 32);
  return sectors.size();
}

std::uint64_t distinct_bytes(const Request& request, std::uint32_t width) {
  std::set<Address> bytes;
  for (const auto& [lane, address] : request)
    for (Address byte = address; byte < address + width; ++byte) bytes.insert(byte);
  return bytes.size();
}

/// Word w of lane l lies at w * 128 + 4 * l.
std::uint64_t local_sectors(const Request& request, std::uint32_t width) {
  std::set<Address> sectors;
  for (const auto& [lane, address] : request)
    for (Address byte = address; byte < address + width; ++byte) sectors.insert((byte / 4 * 128 + 4 * lane) / 32);
  return sectors.size();
}

bool all_paired(const Request& request, std::uint32_t distance) {
  return std::all_of(request.begin(), request.end(), [&](const auto& one) {
    const auto other = request.find(one.first ^ distance);
    return other == request.end() || other->second == one.second;
  });
}

struct Wavefronts {
  std::uint64_t total = 0, ideal = 0;
};
/// Up to 4 bytes the warp is one pass, 8 bytes take a half warp at a time, 16 a quarter; loads merge two passes where
/// every active lane has lane n^1 (or every one n^2) on its address or inactive. README.md has what
/// was measured.
Wavefronts wavefronts(const Request& request, std::uint32_t width, bool load) {
  std::uint32_t group = width <= 4 ? 32 : width == 8 ? 16 : 8;
  if (load && width >= 8 && (all_paired(request, 1) || all_paired(request, 2))) group *= 2;
  Wavefronts w;
  for (std::uint32_t first = 0; first < 32; first += group) {
    std::array<std::set<Address>, 32> words_of_bank;
    bool any = false;
    for (const auto& [lane, address] : request) {
      if (lane / group * group != first) continue;
      any = true;
      for (Address byte = address; byte < address + width; ++byte) words_of_bank[byte / 4 % 32].insert(byte / 4);
    }
    if (!any) continue;
    std::size_t most = 0;
    for (const auto& words : words_of_bank) most = std::max(most, words.size());
    w.total += most;
    w.ideal += 1;
  }
  return w;
}

std::uint64_t most_on_one_address(const Request& request) {
  std::map<Address, std::uint64_t> lanes;
  std::uint64_t most = 0;
  for (const auto& [lane, address] : request) most = std::max(most, ++lanes[address]);
  return most;
}

bool is_atomic(Action action) { return action >= Action::add_u32; }
bool is_load(Action action) { return action <= Action::third; }

void count_shared(std::map<std::string, std::uint64_t>& counters, const Request& request, std::uint32_t width,
                  bool load) {
  const std::string op = load ? "shared_load_" : "shared_store_";
  const Wavefronts w = wavefronts(request, width, load);
  ++counters[op + "requests"];
  counters[op + "wavefronts"] += w.total;
  counters[op + "bank_conflicts"] += w.total - w.ideal;
}

void count_global(std::map<std::string, std::uint64_t>& counters, const Request& request, std::uint32_t width,
                  bool load) {
  const std::string op = load ? "global_load_" : "global_store_";
  const std::string bytes = load ? "loaded" : "stored";
  ++counters[op + "requests"];
  counters[op + "sectors"] += distinct_sectors(request, width);
  counters["global_bytes_" + bytes] += request.size() * width;
  counters["global_distinct_bytes_" + bytes] += distinct_bytes(request, width);
}

/// One turn: who has swapped leaves.
void swap_once(Request& request, std::uint32_t width) {
  const std::uint32_t lanes_of_pass = width == 8 ? 16 : 32;
  std::set<std::pair<std::uint32_t, Address>> banks_of_pass;
  std::set<Address> swapped;
  Request left;
  for (const auto& [lane, address] : request) {
    const bool first_on_it = swapped.insert(address).second;
    const bool first_in_bank = banks_of_pass.insert({lane / lanes_of_pass, address / 4 % 32}).second;
    if (!first_on_it || !first_in_bank) left.emplace(lane, address);
  }
  request = std::move(left);
}

void count(std::map<std::string, std::uint64_t>& counters, const Step& step, const Request& request) {
  if (is_atomic(step.action)) {
    const std::string op = step.space == Space::shared ? "shared_atomic_" : "global_atomic_";
    ++counters[op + "requests"];
    counters[op + "max_lanes"] = std::max(counters[op + "max_lanes"], most_on_one_address(request));
  } else if (step.space == Space::shared) {
    count_shared(counters, request, step.width, is_load(step.action));
  } else if (step.space == Space::local) {
    counters[is_load(step.action) ? "local_load_sectors" : "local_store_sectors"] += local_sectors(request, step.width);
  } else if (step.space != Space::constant) {
    count_global(counters, request, step.width, is_load(step.action));
  }
}

void count_swap_loop(std::map<std::string, std::uint64_t>& counters, const Step& step, const Request& request) {
  if (!has_swap_loop(step)) return count(counters, step, request);
  for (Request left = request; !left.empty(); swap_once(left, step.width)) {
    count_shared(counters, left, step.width, true);
    ++counters["shared_atomic_requests"];
  }
}

// ---- what the steps do to memory ----

struct Register {
  std::array<std::byte, 16> bytes{};
  template <typename T>
  [[nodiscard]] T as() const {
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  template <typename T>
  static Register of(T value) {
    Register r;
    std::memcpy(r.bytes.data(), &value, sizeof(T));
    return r;
  }
};

Register read(const std::byte* from, std::uint32_t width) {
  Register r;
  std::memcpy(r.bytes.data(), from, width);
  return r;
}

Register loaded(Action action, const Register& r, const Register& memory) {
  const auto mine = r.as<std::uint32_t>(), theirs = memory.as<std::uint32_t>();
  switch (action) {
    case Action::sum:
      return Register::of(mine + theirs);
    case Action::difference:
      return Register::of(mine - theirs);
    case Action::complement:
      return Register::of(~theirs);
    case Action::third:
      return Register::of(theirs / 3);
    default:
      return memory;
  }
}

Register changed(const Step& step, const Thread& thread, const Register& old) {
  const std::uint32_t amount = thread.linear + 1;
  switch (step.action) {
    case Action::add_u32:
      return Register::of(old.as<std::uint32_t>() + amount);
    case Action::add_u64:
      return Register::of(old.as<std::uint64_t>() + amount);
    case Action::add_f32:
      return Register::of(old.as<float>() + static_cast<float>(amount));
    case Action::add_f64:
      return Register::of(old.as<double>() + amount);
    default:
      return Register::of(step.value(thread, old.as<std::uint64_t>()));
  }
}

/// The memories of a launch while it runs: `shared` is the block's, `local` the thread's.
struct Machine {
  std::vector<std::vector<std::byte>> buffers;
  std::vector<std::byte> shared, constant;
  std::vector<std::vector<std::byte>> local;
  std::vector<Register> registers;

  std::byte* at(const Step& step, std::size_t thread, Address offset) {
    auto& bytes = step.space == Space::shared     ? shared
                  : step.space == Space::local    ? local[thread]
                  : step.space == Space::constant ? constant
                                                  : buffers[static_cast<std::size_t>(step.space)];
    if (offset + step.width > bytes.size()) throw std::logic_error("a step of the suite is outside of its memory");
    return bytes.data() + offset;
  }

  void perform(const Step& step, const Thread& thread, std::size_t index, Address offset) {
    Register& r = registers[index];
    std::byte* memory = at(step, index, offset);
    const Register old = read(memory, step.width);
    if (is_load(step.action)) {
      r = loaded(step.action, r, old);
    } else if (step.action == Action::store || step.action == Action::number) {
      const Register value = step.action == Action::number ? Register{} : r;
      std::memcpy(memory, value.bytes.data(), step.width);
    } else {
      const Register value = changed(step, thread, old);
      if (step.action == Action::fetch) r = old;
      std::memcpy(memory, value.bytes.data(), step.width);
    }
  }
};

std::vector<Thread> threads_of(const Case& one, const Dim3& block) {
  std::vector<Thread> threads;
  for (std::uint32_t z = 0; z < one.block.z; ++z)
    for (std::uint32_t y = 0; y < one.block.y; ++y)
      for (std::uint32_t x = 0; x < one.block.x; ++x) {
        Thread t;
        t.block = block;
        t.at = {x, y, z};
        t.linear = static_cast<std::uint32_t>(threads.size());
        t.lane = t.linear % 32;
        t.gx = static_cast<int>(block.x * one.block.x + x);
        t.gy = static_cast<int>(block.y * one.block.y + y);
        t.gz = static_cast<int>(block.z * one.block.z + z);
        t.of_grid = t.gx;
        threads.push_back(t);
      }
  return threads;
}

/// Buffers far apart, each at the start of a sector.
Address base_of(Space space) { return space <= Space::other ? (static_cast<Address>(space) + 1) << 40 : 0; }

/// All threads of a block take a step before any takes the next: a kernel of the suite has a barrier where it matters.
void run_block(const Case& one, const Dim3& block, Machine& machine, Expected& expected, decltype(count)& counting) {
  const auto threads = threads_of(one, block);
  machine.shared.assign(32 << 10, std::byte{0});
  machine.local.assign(threads.size(), std::vector<std::byte>(1024));
  machine.registers.assign(threads.size(), {});
  std::map<std::uint32_t, Request> by_warp;
  for (const Step& step : one.steps) {
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (step.action == Action::clear) machine.registers[i] = {};
      const std::int64_t element = step.action == Action::clear ? kIdle : step.element(threads[i]);
      if (element == kIdle) continue;
      const Address offset = static_cast<Address>(element) * step.width;
      machine.perform(step, threads[i], i, offset);
      by_warp[threads[i].linear / 32][threads[i].lane] = base_of(step.space) + offset;
    }
    if (step.joins_next) continue;
    for (const auto& [warp, request] : by_warp) counting(expected.counters, step, request);
    by_warp.clear();
  }
}

Expected worked_out(const Case& one, decltype(count)& counting) {
  Expected expected;
  Machine machine;
  for (const Buffer buffer : {Buffer::in, Buffer::out, Buffer::other}) machine.buffers.push_back(initial(buffer, one));
  for (std::uint32_t i = 0; i < 16; ++i) {
    const auto bytes = std::bit_cast<std::array<std::byte, 4>>(i + 7);
    machine.constant.insert(machine.constant.end(), bytes.begin(), bytes.end());
  }
  for (std::uint32_t z = 0; z < one.grid.z; ++z)
    for (std::uint32_t y = 0; y < one.grid.y; ++y)
      for (std::uint32_t x = 0; x < one.grid.x; ++x) run_block(one, {x, y, z}, machine, expected, counting);
  expected.buffers = std::move(machine.buffers);
  return expected;
}

}  // namespace

bool has_swap_loop(const Step& step) {
  return step.space == Space::shared &&
         (step.action == Action::add_f32 || step.action == Action::add_f64 || step.action == Action::add_u64);
}
Expected expected(const Case& one) { return worked_out(one, count); }
Expected expected_of_swap_loops(const Case& one) { return worked_out(one, count_swap_loop); }

}  // namespace gpulab::fidelity
