#include "common/simt/timing/code/schedule.h"

#include <algorithm>
#include <map>
#include <span>

#include "common/simt/timing/code/critical_path.h"
#include "common/simt/timing/code/register_map.h"

namespace gpulab::simt {

using Does = TimedInstruction::Kind;

bool is_one_of(std::uint16_t reg, const std::array<std::uint16_t, 6>& registers) {
  return reg != 0 && std::find(registers.begin(), registers.end(), reg) != registers.end();
}

namespace {

bool is_memory(Does kind) { return kind == Does::load || kind == Does::store; }
bool stands_still(const TimedInstruction& t) { return (t.kind != Does::plain && !is_memory(t.kind)) || t.cost.calls; }

/// Loads whose results wait in registers at once, as far as ptxas goes: kernels have 32 registers or few more.
constexpr std::size_t kMostWaiting = 12, kFewWaiting = 3;
/// Of a thread's registers, those that hold addresses and what comes and goes.
constexpr std::size_t kOther = 4;

using Sorted = std::vector<std::pair<int, const TimedInstruction*>>;

/// Whether all that an instruction reads is written: by nothing that is still to come.
bool ready(const TimedInstruction& user, Sorted::const_iterator next, Sorted::const_iterator end) {
  return std::none_of(next, end, [&](const auto& of_stretch) {
    const TimedInstruction& other = *of_stretch.second;
    return std::any_of(other.out.begin(), other.out.end(),
                       [&](std::uint16_t r) { return is_one_of(r, user.in) || is_one_of(r, user.out); }) ||
           std::any_of(user.out.begin(), user.out.end(), [&](std::uint16_t r) { return is_one_of(r, other.in); });
  });
}

/// Registers that hold a value which an instruction of a stretch is still to read: what it began with, and what it has
/// made since.
class Held {
 public:
  explicit Held(const Sorted& stretch) {
    RegisterMap<bool> made;
    for (const auto& [depth, t] : stretch) {
      for (const std::uint16_t r : t->in)
        if (r && ++reads_[r] == 1 && !made.find(r)) ++count_;
      for (const std::uint16_t r : t->out)
        if (r) made[r] = true;
    }
  }
  void write(const TimedInstruction& t) {
    for (const std::uint16_t r : t.in)
      if (int* const found = r ? reads_.find(r) : nullptr; found && --*found == 0) --count_;
    if (t.cost.issue == 0) return;  // it becomes a part of others
    for (const std::uint16_t r : t.out)
      if (const int* const found = r ? reads_.find(r) : nullptr; found && *found > 0) ++count_;
  }
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(std::max(count_, 0)); }

 private:
  RegisterMap<int> reads_;  ///< still to come
  int count_ = 0;
};

/// Writes a stretch, sorted by depth, such that no more than kMostWaiting results of loads wait: where they are as
/// many, what needs the first of them goes ahead. Of a thread's registers, as many as ptxas gives it, what other values
/// take is not there for loads: with 32 it has three or four of 236 loads under way whose values go into four sums
/// each, and 13 to 18 of those that go into one to four sums of their own.
void emit(const Sorted& sorted, std::size_t of_thread, std::vector<TimedInstruction>& to) {
  const auto users = std::find_if(sorted.begin(), sorted.end(), [](const auto& t) { return t.first > 0; });
  const auto loads = std::count_if(sorted.begin(), users, [](const auto& t) { return t.second->kind == Does::load; });
  if (users == sorted.end() || static_cast<std::size_t>(loads) <= kFewWaiting) {  // none has to wait for room
    for (const auto& [depth, t] : sorted) to.push_back(*t);
    return;
  }
  std::vector<std::uint16_t> waiting;
  Held held(sorted);
  auto user = users;
  const auto write = [&](const TimedInstruction& t) {
    held.write(t);
    to.push_back(t);
  };
  const auto use = [&] {
    for (const std::uint16_t r : user->second->in) std::erase(waiting, r);
    write(*user++->second);
  };
  const auto room = [&] {
    if (of_thread == 0) return kMostWaiting;
    const std::size_t others = held.count() - std::min(held.count(), waiting.size()) + kOther;
    return others + kFewWaiting > of_thread ? kFewWaiting : std::min(kMostWaiting, of_thread - others);
  };
  for (auto t = sorted.begin(); t != users; ++t) {
    if (t->second->kind == Does::load) {
      while (waiting.size() >= room() && user != sorted.end() && user->first == 1 &&
             user->second->kind == Does::plain && ready(*user->second, t, users))
        use();
      if (t->second->out[0]) waiting.push_back(t->second->out[0]);
    }
    write(*t->second);
  }
  while (user != sorted.end()) use();
}

/// What memory instructions of a stretch order others by: the deepest that reads and that writes what they may meet at.
/// Two addresses that are one register and different distances cannot meet: ptxas moves such loads over such stores (it
/// has 16 LDG ahead of 16 STG in a loop that NVVM and ptxas unroll by four each, `x = p[i]; p[i] = sum; sum += x`).
class MemoryOrder {
 public:
  /// The least depth that an instruction may have.
  [[nodiscard]] int after(const TimedInstruction& t) const {
    if (!is_memory(t.kind)) return 0;
    if (t.kind == Does::load && t.read_only) return 0;
    const Place place = place_of(t);
    int most = 0;
    const auto look_at = [&](const std::vector<Known>& others) {
      for (const Known& other : others)
        if (other.depth > most && meets(t.space, other.space) && !are_apart(place, t.bytes, other)) most = other.depth;
    };
    look_at(stores_);
    if (t.kind == Does::store) look_at(loads_);
    return most;
  }
  void note(const TimedInstruction& t, int depth) {
    if (t.kind == Does::store) stores_.push_back({t.space, place_of(t), t.bytes, depth});
    if (t.kind == Does::load && !t.read_only) loads_.push_back({t.space, place_of(t), t.bytes, depth});
    if (t.steps) {
      const Place from = value_of(t.in[0]);
      values_[t.out[0]] = {from.root, from.offset + t.offset};
      return;
    }
    for (const std::uint16_t r : t.out)
      if (r) values_[r] = {next_root_++, 0};
  }

 private:
  using Space = TimedInstruction::Space;
  /// A value that is not known, by a number, and how far from it.
  struct Place {
    std::uint32_t root = 0;  ///< 0: nothing is known
    std::int64_t offset = 0;
  };
  struct Known {
    Space space;
    Place place;
    std::uint8_t bytes;
    int depth;
  };
  [[nodiscard]] Place value_of(std::uint16_t reg) const {
    const Place* const found = reg ? values_.find(reg) : nullptr;
    return found ? *found : Place{reg, 0};
  }
  [[nodiscard]] Place place_of(const TimedInstruction& t) const {
    if (!t.base) return {};
    const Place value = value_of(t.base);
    return {value.root, value.offset + t.offset};
  }
  static bool meets(Space a, Space b) { return a == Space::any || b == Space::any || a == b; }
  static bool are_apart(const Place& place, std::uint8_t bytes, const Known& other) {
    if (!place.root || place.root != other.place.root) return false;
    return place.offset + bytes <= other.place.offset || other.place.offset + other.bytes <= place.offset;
  }
  std::vector<Known> loads_, stores_;
  RegisterMap<Place> values_;  ///< of registers that the stretch has written
  std::uint32_t next_root_ = UINT16_MAX + 1;
};

/// How many loads an instruction waits for, directly or not, behind one another; what it must not overtake counts, too:
/// who reads the old value of a register that it writes, and stores to memory that it may meet at.
Sorted by_depth(std::span<const TimedInstruction> stretch) {
  RegisterMap<int> depth, used;  // loads on the way to a register; the deepest that reads or writes it
  MemoryOrder memory;
  Sorted sorted;
  sorted.reserve(stretch.size());
  for (const TimedInstruction& t : stretch) {
    int most = memory.after(t);
    for (const std::uint16_t r : t.in)
      if (const int* const found = r ? depth.find(r) : nullptr) most = std::max(most, *found);
    for (const std::uint16_t r : t.out)
      if (const int* const found = r ? used.find(r) : nullptr) most = std::max(most, *found);
    memory.note(t, most);
    for (const auto* registers : {&t.in, &t.out})
      for (const std::uint16_t r : *registers)
        if (r) used[r] = std::max(used[r], most);
    for (const std::uint16_t r : t.out)
      if (r) depth[r] = most + (t.kind == Does::load ? 1 : 0);
    sorted.emplace_back(most, &t);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return sorted;
}

}  // namespace

void schedule(std::vector<TimedInstruction>& code, std::uint32_t of_thread) {
  constexpr std::size_t most = 512;  // instructions that are looked at together: a stranger's blocks have any length
  std::size_t begin = 0;
  while (begin < code.size()) {
    std::size_t end = begin;
    while (end < code.size() && end - begin < most && !stands_still(code[end])) ++end;
    const auto at = [&](std::size_t i) { return code.begin() + static_cast<std::ptrdiff_t>(i); };
    // What waits for no load stays where it is.
    if (std::any_of(at(begin), at(end), [](const TimedInstruction& t) { return t.kind == Does::load; })) {
      std::vector<TimedInstruction> emitted;
      emitted.reserve(end - begin);
      emit(by_depth({code.data() + begin, end - begin}), of_thread, emitted);
      std::copy(emitted.begin(), emitted.end(), at(begin));
    }
    // Loads go ahead; what lies between two of them, and behind the last, is ordered by what waits for it.
    for (std::size_t from = begin, to = begin; from < end; from = to) {
      to = from + 1;
      while (to < end && code[to - 1].kind == Does::plain && code[to].kind == Does::plain) ++to;
      fill_waits(at(from), at(to));
    }
    begin = std::max(end, begin + 1);
  }
}

/// A loop that loads, and waits for nobody: ptxas unrolls it four times, and the loads of all turns go ahead of what
/// needs them. Registers of the turns are told apart, so that only real needs remain.
std::vector<TimedInstruction> unroll(const std::vector<TimedInstruction>& code, std::uint32_t& registers,
                                     std::uint32_t of_thread) {
  constexpr std::size_t most = 200;
  const bool loads = std::any_of(code.begin(), code.end(), [](const auto& t) { return t.kind == Does::load; });
  const bool waits =
      std::any_of(code.begin(), code.end(), [](const auto& t) { return stands_still(t) && t.kind != Does::branch; });
  if (!loads || waits || code.size() > most || registers + TimedCode::kTurns * code.size() * 2 > UINT16_MAX) return {};
  std::vector<TimedInstruction> all;
  std::map<std::uint16_t, std::uint16_t> name;  // of a register now
  for (std::uint32_t turn = 0; turn < TimedCode::kTurns; ++turn)
    for (TimedInstruction t : code) {
      const bool last = turn + 1 == TimedCode::kTurns;
      if (t.kind == Does::branch && !last) continue;
      t.copy = static_cast<std::uint8_t>(turn);
      for (auto& r : t.in)
        if (const auto found = r ? name.find(r) : name.end(); found != name.end()) r = found->second;
      if (const auto found = name.find(t.base); t.base && found != name.end()) t.base = found->second;
      for (auto& r : t.out) {
        if (!r) continue;
        const std::uint16_t old = r;
        r = static_cast<std::uint16_t>(registers++);
        name[old] = r;
      }
      all.push_back(t);
    }
  // What the loop leaves is in its own registers again.
  TimedInstruction leave;
  leave.cost = {Pipe::none, 0, 0, 0};
  leave.copy = TimedCode::kTurns;
  std::vector<TimedInstruction> leaving;
  for (const auto& [old, now] : name) {
    leave.in = {now};
    leave.out = {old};
    leaving.push_back(leave);
  }
  const TimedInstruction branch = all.back();
  all.pop_back();
  schedule(all, of_thread);
  all.insert(all.end(), leaving.begin(), leaving.end());
  all.push_back(branch);
  return all;
}

}  // namespace gpulab::simt
