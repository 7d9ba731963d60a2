#include "common/simt/timing/code/critical_path.h"

#include <algorithm>
#include <span>

#include "common/simt/timing/code/register_map.h"

namespace gpulab::simt {

namespace {

using Does = TimedInstruction::Kind;

/// Until an L1 hit is there, about: what a load brings is needed behind what is ordered here.
constexpr int kLoadLatency = 33;

/// An instruction of a list; lists of all instructions lie in one vector.
struct Link {
  std::uint32_t to = 0, next = 0;
};
constexpr std::uint32_t kNone = UINT32_MAX;

struct Node {
  std::uint32_t users = kNone;  ///< that wait for its result
  std::uint32_t later = kNone;  ///< that may only issue behind it
  int waits_for = 0;            ///< instructions that have not issued
  int rest = 0;                 ///< cycles from its issue to the end
  int ready = 0;                ///< the cycle in which all that it reads is there
};

int latency_of(const TimedInstruction& t) {
  return t.kind == Does::load ? kLoadLatency : std::max<int>(t.cost.latency, t.cost.issue);
}

int issue_of(const TimedInstruction& t) { return std::max<int>(t.cost.issue, t.cost.issue ? 1 : 0); }

using Code = std::vector<TimedInstruction>::iterator;

/// What waits for what, of instructions in the order in which they are.
class Needs {
 public:
  explicit Needs(std::span<const TimedInstruction> code) : nodes(code.size()) {
    links_.reserve(4 * code.size());
    std::uint32_t last_memory = kNone;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      const TimedInstruction& t = code[i];
      note_registers(t, i);
      if (t.kind == Does::plain) continue;
      if (last_memory != kNone) wait(nodes[last_memory].later, i);
      last_memory = i;
    }
    for (std::size_t i = code.size(); i-- > 0;) {
      nodes[i].rest = latency_of(code[i]);
      for_each(nodes[i].users,
               [&](Node& user) { nodes[i].rest = std::max(nodes[i].rest, latency_of(code[i]) + user.rest); });
      for_each(nodes[i].later,
               [&](Node& other) { nodes[i].rest = std::max(nodes[i].rest, issue_of(code[i]) + other.rest); });
    }
  }
  template <typename Visit>
  void for_each(std::uint32_t list, const Visit& visit) {
    for (; list != kNone; list = links_[list].next) visit(nodes[links_[list].to]);
  }
  std::vector<Node> nodes;

 private:
  struct Register {
    std::uint32_t writer = kNone, readers = kNone;  ///< since
  };
  void add(std::uint32_t& list, std::uint32_t i) {
    links_.push_back({i, list});
    list = static_cast<std::uint32_t>(links_.size() - 1);
  }
  void wait(std::uint32_t& list, std::uint32_t i) {
    add(list, i);
    ++nodes[i].waits_for;
  }
  void note_registers(const TimedInstruction& t, std::uint32_t i) {
    for (const std::uint16_t r : t.in) {
      if (!r) continue;
      Register& known = registers_[r];
      if (known.writer != kNone) wait(nodes[known.writer].users, i);
      add(known.readers, i);
    }
    for (const std::uint16_t r : t.out) {
      if (!r) continue;
      Register& known = registers_[r];
      if (known.writer != kNone) wait(nodes[known.writer].later, i);
      for (std::uint32_t at = known.readers; at != kNone; at = links_[at].next)
        if (links_[at].to != i) wait(nodes[links_[at].to].later, i);
      known = {i, kNone};
    }
  }
  RegisterMap<Register> registers_;
  std::vector<Link> links_;
};

}  // namespace

void fill_waits(Code begin, Code end) {
  const auto count = static_cast<std::size_t>(end - begin);
  if (count < 3) return;
  const std::span<const TimedInstruction> code(&*begin, count);
  Needs needs(code);
  auto& nodes = needs.nodes;
  std::vector<std::size_t> open;  // all that they wait for has issued
  for (std::size_t i = 0; i < count; ++i)
    if (nodes[i].waits_for == 0) open.push_back(i);
  std::vector<TimedInstruction> ordered;
  ordered.reserve(count);
  int now = 0;
  while (!open.empty()) {
    const auto better = [&](std::size_t a, std::size_t b) {
      const int late_a = std::max(0, nodes[a].ready - now), late_b = std::max(0, nodes[b].ready - now);
      if (late_a != late_b) return late_a < late_b;
      if (nodes[a].rest != nodes[b].rest) return nodes[a].rest > nodes[b].rest;
      return a < b;
    };
    const auto best = std::min_element(open.begin(), open.end(), better);
    const std::size_t i = *best;
    *best = open.back();
    open.pop_back();
    const int issued = std::max(now, nodes[i].ready);
    now = issued + issue_of(code[i]);
    ordered.push_back(code[i]);
    const auto release = [&](Node& other, int from) {
      other.ready = std::max(other.ready, from);
      if (--other.waits_for == 0) open.push_back(static_cast<std::size_t>(&other - nodes.data()));
    };
    needs.for_each(nodes[i].users, [&](Node& user) { release(user, issued + latency_of(code[i])); });
    needs.for_each(nodes[i].later, [&](Node& other) { release(other, now); });
  }
  std::move(ordered.begin(), ordered.end(), begin);
}

}  // namespace gpulab::simt
