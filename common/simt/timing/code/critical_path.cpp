#include "common/simt/timing/code/critical_path.h"

#include <algorithm>
#include <map>

namespace gpulab::simt {

namespace {

using Does = TimedInstruction::Kind;

/// Until an L1 hit is there, about: what a load brings is needed behind what is ordered here.
constexpr int kLoadLatency = 33;

struct Node {
  std::vector<std::size_t> users;  ///< that wait for its result
  std::vector<std::size_t> later;  ///< that may only issue behind it
  int waits_for = 0;               ///< instructions that have not issued
  int rest = 0;                    ///< cycles from its issue to the end
  int ready = 0;                   ///< the cycle in which all that it reads is there
};

int latency_of(const TimedInstruction& t) {
  return t.kind == Does::load ? kLoadLatency : std::max<int>(t.cost.latency, t.cost.issue);
}

int issue_of(const TimedInstruction& t) { return std::max<int>(t.cost.issue, t.cost.issue ? 1 : 0); }

using Code = std::vector<TimedInstruction>::iterator;

std::vector<Node> needs_of(Code begin, std::size_t count) {
  std::vector<Node> nodes(count);
  std::map<std::uint16_t, std::size_t> writer;
  std::map<std::uint16_t, std::vector<std::size_t>> readers;
  const auto wait = [&](std::vector<std::size_t>& list, std::size_t i) {
    list.push_back(i);
    ++nodes[i].waits_for;
  };
  std::size_t last_memory = count;
  for (std::size_t i = 0; i < count; ++i) {
    const TimedInstruction& t = begin[static_cast<std::ptrdiff_t>(i)];
    for (const std::uint16_t r : t.in) {
      if (!r) continue;
      if (const auto found = writer.find(r); found != writer.end()) wait(nodes[found->second].users, i);
      readers[r].push_back(i);
    }
    for (const std::uint16_t r : t.out) {
      if (!r) continue;
      if (const auto found = writer.find(r); found != writer.end()) wait(nodes[found->second].later, i);
      for (const std::size_t reader : readers[r])
        if (reader != i) wait(nodes[reader].later, i);
      readers[r].clear();
      writer[r] = i;
    }
    if (t.kind == Does::plain) continue;
    if (last_memory < count) wait(nodes[last_memory].later, i);
    last_memory = i;
  }
  for (std::size_t i = count; i-- > 0;) {
    const TimedInstruction& t = begin[static_cast<std::ptrdiff_t>(i)];
    nodes[i].rest = latency_of(t);
    for (const std::size_t user : nodes[i].users)
      nodes[i].rest = std::max(nodes[i].rest, latency_of(t) + nodes[user].rest);
    for (const std::size_t other : nodes[i].later)
      nodes[i].rest = std::max(nodes[i].rest, issue_of(t) + nodes[other].rest);
  }
  return nodes;
}

}  // namespace

void fill_waits(Code begin, Code end) {
  const auto count = static_cast<std::size_t>(end - begin);
  if (count < 3) return;
  auto nodes = needs_of(begin, count);
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
    open.erase(best);
    const TimedInstruction& t = begin[static_cast<std::ptrdiff_t>(i)];
    const int issued = std::max(now, nodes[i].ready);
    now = issued + issue_of(t);
    ordered.push_back(t);
    const auto release = [&](std::size_t other, int from) {
      nodes[other].ready = std::max(nodes[other].ready, from);
      if (--nodes[other].waits_for == 0) open.push_back(other);
    };
    for (const std::size_t user : nodes[i].users) release(user, issued + latency_of(t));
    for (const std::size_t other : nodes[i].later) release(other, now);
  }
  std::move(ordered.begin(), ordered.end(), begin);
}

}  // namespace gpulab::simt
