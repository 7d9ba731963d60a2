#include "common/simt/timing/schedule.h"

#include <algorithm>
#include <map>

namespace gpulab::simt {

using Does = TimedInstruction::Kind;

bool is_one_of(std::uint16_t reg, const std::array<std::uint16_t, 6>& registers) {
  return reg != 0 && std::find(registers.begin(), registers.end(), reg) != registers.end();
}

namespace {

bool is_memory(Does kind) { return kind == Does::load || kind == Does::store || kind == Does::atomic; }
bool stands_still(Does kind) { return kind != Does::plain && !is_memory(kind); }

/// Loads go as far up as what they need allows, but not across a store, an atomic, or anything that orders memory: what
/// ptxas does, so that a warp waits for several loads at once.
void hoist_loads(std::vector<TimedInstruction>& code) {
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (code[i].kind != Does::load) continue;
    // The load goes up with the arithmetic that makes its address: one slot at a time, as far as registers allow.
    std::size_t at = i;
    constexpr std::size_t furthest = 256;
    while (at > 0 && i - at < furthest) {
      const TimedInstruction& before = code[at - 1];
      const bool needs =
          std::any_of(before.out.begin(), before.out.end(),
                      [&](std::uint16_t r) { return is_one_of(r, code[at].in) || is_one_of(r, code[at].out); }) ||
          std::any_of(code[at].out.begin(), code[at].out.end(),
                      [&](std::uint16_t r) { return is_one_of(r, before.in); });
      if (needs || before.kind != Does::plain) break;
      std::swap(code[at - 1], code[at]);
      --at;
    }
  }
}

/// Loads whose results wait in registers at once, as far as ptxas goes: kernels have 32 registers or few more.
constexpr std::size_t kMostWaiting = 12;

using Sorted = std::vector<std::pair<int, TimedInstruction>>;

/// Whether all that an instruction reads is written: by nothing that is still to come.
bool ready(const std::pair<int, TimedInstruction>& user, Sorted::const_iterator next, Sorted::const_iterator end) {
  return std::none_of(next, end, [&](const auto& other) {
    return std::any_of(
               other.second.out.begin(), other.second.out.end(),
               [&](std::uint16_t r) { return is_one_of(r, user.second.in) || is_one_of(r, user.second.out); }) ||
           std::any_of(user.second.out.begin(), user.second.out.end(),
                       [&](std::uint16_t r) { return is_one_of(r, other.second.in); });
  });
}

/// Writes a stretch, sorted by depth, such that no more than kMostWaiting results of loads wait: where they are as
/// many, what needs the first of them goes ahead.
void emit(const std::vector<std::pair<int, TimedInstruction>>& sorted, std::vector<TimedInstruction>::iterator to) {
  const auto users = std::find_if(sorted.begin(), sorted.end(), [](const auto& t) { return t.first > 0; });
  std::vector<std::uint16_t> waiting;
  auto user = users;
  const auto use = [&] {
    for (const std::uint16_t r : user->second.in) std::erase(waiting, r);
    *to++ = user++->second;
  };
  for (auto t = sorted.begin(); t != users; ++t) {
    if (t->second.kind == Does::load) {
      while (waiting.size() >= kMostWaiting && user != sorted.end() && user->first == 1 && ready(*user, t, users))
        use();
      if (t->second.out[0]) waiting.push_back(t->second.out[0]);
    }
    *to++ = t->second;
  }
  while (user != sorted.end()) use();
}

/// Arithmetic that does not wait for a load goes before arithmetic that does, within the stretches between instructions
/// that stand still: a stable list schedule by the number of loads that an instruction waits for, directly or not.
void sink_users(std::vector<TimedInstruction>& code) {
  std::size_t begin = 0;
  while (begin < code.size()) {
    std::size_t end = begin;
    bool stores = false;
    while (end < code.size() && !stands_still(code[end].kind) && !stores) {
      stores = code[end].kind == Does::store || code[end].kind == Does::atomic;
      ++end;
    }
    std::map<std::uint16_t, int> depth, used;  // loads on the way to a register; the deepest that reads or writes it
    std::vector<std::pair<int, TimedInstruction>> stretch;
    for (std::size_t i = begin; i < end; ++i) {
      const TimedInstruction& t = code[i];
      int most = 0;
      for (const std::uint16_t r : t.in)
        if (const auto found = depth.find(r); r && found != depth.end()) most = std::max(most, found->second);
      // A register that is written again must not overtake who reads its old value.
      for (const std::uint16_t r : t.out)
        if (const auto found = used.find(r); r && found != used.end()) most = std::max(most, found->second);
      if (stores && i + 1 == end) most = INT32_MAX;
      for (const auto* registers : {&t.in, &t.out})
        for (const std::uint16_t r : *registers)
          if (r) used[r] = std::max(used[r], most);
      for (const std::uint16_t r : t.out)
        if (r) depth[r] = most == INT32_MAX ? most : most + (t.kind == Does::load ? 1 : 0);
      stretch.emplace_back(most, t);
    }
    std::stable_sort(stretch.begin(), stretch.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    emit(stretch, code.begin() + static_cast<std::ptrdiff_t>(begin));
    begin = std::max(end, begin + 1);
  }
}

}  // namespace

void schedule(std::vector<TimedInstruction>& code) {
  hoist_loads(code);
  sink_users(code);
}

/// A loop that loads, and neither stores nor waits: ptxas unrolls it four times, and the loads of all
/// turns go ahead of what needs them. Registers of the turns are told apart, so that only real needs remain.
std::vector<TimedInstruction> unroll(const std::vector<TimedInstruction>& code, std::uint32_t& registers) {
  constexpr std::size_t most = 200;
  const bool loads = std::any_of(code.begin(), code.end(), [](const auto& t) { return t.kind == Does::load; });
  const bool waits = std::any_of(code.begin(), code.end(), [](const auto& t) {
    return t.kind != Does::plain && t.kind != Does::load && t.kind != Does::branch;
  });
  if (!loads || waits || code.size() > most || registers + TimedCode::kTurns * code.size() * 2 > UINT16_MAX) return {};
  std::vector<TimedInstruction> all;
  std::map<std::uint16_t, std::uint16_t> name;  // of a register now
  for (std::uint32_t turn = 0; turn < TimedCode::kTurns; ++turn)
    for (TimedInstruction t : code) {
      const bool last = turn + 1 == TimedCode::kTurns;
      if (t.kind == Does::branch && !last) continue;
      t.copy = static_cast<std::uint8_t>(turn);
      for (auto& r : t.in)
        if (const auto found = name.find(r); r && found != name.end()) r = found->second;
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
  schedule(all);
  all.insert(all.end(), leaving.begin(), leaving.end());
  all.push_back(branch);
  return all;
}

}  // namespace gpulab::simt
