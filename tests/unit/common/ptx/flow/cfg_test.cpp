#include "common/ptx/flow/cfg.h"

#include <algorithm>
#include <deque>
#include <random>
#include <set>

#include "tests/catch.h"

using namespace gpulab::ptx;

namespace {

constexpr std::uint32_t out = ControlFlowGraph::exit;

/// A function written as flows; keeps the targets alive.
class Program {
 public:
  Program& next(int count = 1) {
    flows_.insert(flows_.end(), static_cast<std::size_t>(count), Flow{});
    return *this;
  }
  Program& jump(std::uint32_t to) { return add(false, false, {to}); }
  Program& branch(std::uint32_t to) { return add(true, false, {to}); }
  Program& multiway(std::vector<std::uint32_t> to) { return add(false, false, std::move(to)); }
  Program& exit() { return add(false, true, {}); }
  Program& exit_some() { return add(true, true, {}); }
  [[nodiscard]] const std::vector<Flow>& flows() const { return flows_; }
  [[nodiscard]] ControlFlowGraph graph() const { return control_flow_graph(flows_); }

 private:
  Program& add(bool falls_through, bool leaves, std::vector<std::uint32_t> to) {
    flows_.push_back({falls_through, leaves, targets_.emplace_back(std::move(to))});
    return *this;
  }
  std::deque<std::vector<std::uint32_t>> targets_;
  std::vector<Flow> flows_;
};

std::vector<std::uint32_t> successors(const ControlFlowGraph& graph, std::uint32_t block) {
  const auto found = graph.successors(block);
  return {found.begin(), found.end()};
}

using Blocks = std::vector<std::uint32_t>;

/// Post-dominators by definition: p post-dominates b if without p no path leads from b to the exit.
std::set<std::uint32_t> post_dominators_by_removal(const ControlFlowGraph& graph, std::uint32_t block) {
  std::set<std::uint32_t> found;
  for (std::uint32_t removed = 0; removed < graph.blocks.size(); ++removed) {
    if (removed == block) continue;
    std::vector<std::uint32_t> work{block};
    std::set<std::uint32_t> seen{block};
    bool leaves = false;
    while (!work.empty() && !leaves) {
      const std::uint32_t at = work.back();
      work.pop_back();
      for (const std::uint32_t to : graph.successors(at)) {
        leaves |= to == out;
        if (to != out && to != removed && seen.insert(to).second) work.push_back(to);
      }
    }
    if (!leaves) found.insert(removed);
  }
  return found;
}

std::set<std::uint32_t> reachable_from(const ControlFlowGraph& graph, std::uint32_t block) {
  std::vector<std::uint32_t> work{block};
  std::set<std::uint32_t> seen{block};
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    for (const std::uint32_t to : graph.successors(at)) {
      if (seen.insert(to).second && to != out) work.push_back(to);
    }
  }
  return seen;
}

/// Whether all that the block leads to can still end: an endless loop counts as ending, which the definition does not.
bool always_can_end(const ControlFlowGraph& graph, std::uint32_t block) {
  for (const std::uint32_t at : reachable_from(graph, block)) {
    if (at != out && reachable_from(graph, at).count(out) == 0) return false;
  }
  return true;
}

Program random_program(std::mt19937& random, std::uint32_t size) {
  Program program;
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t target = random() % (size + 1), other = random() % size;
    switch (random() % 12) {
      case 0:
        program.jump(target);
        break;
      case 1:
      case 2:
        program.branch(target);
        break;
      case 3:
        program.multiway({target, other, other});
        break;
      case 4:
        random() % 3 == 0 ? program.exit() : program.exit_some();
        break;
      default:
        program.next();
    }
  }
  return program;
}

}  // namespace

TEST_CASE("straight code is one block that leaves") {
  const auto graph = Program().next(5).exit().graph();
  REQUIRE(graph.blocks.size() == 1);
  CHECK(graph.blocks[0].end == 6);
  CHECK(successors(graph, 0) == Blocks{out});
  CHECK(graph.blocks[0].post_dominator == out);
  CHECK(graph.reconvergence_point(0) == 6);
}

TEST_CASE("code that falls off its end leaves, and no code has no blocks") {
  CHECK(successors(Program().next(2).graph(), 0) == Blocks{out});
  CHECK(Program().graph().blocks.empty());
}

TEST_CASE("the two sides of an if meet behind it") {
  // 0: @p bra 3; 1: x; 2: bra 4; 3: y; 4: exit
  const auto graph = Program().branch(3).next().jump(4).next().exit().graph();
  REQUIRE(graph.blocks.size() == 4);
  CHECK(successors(graph, 0) == Blocks{1, 2});
  CHECK(graph.blocks[0].post_dominator == 3);
  CHECK(graph.reconvergence_point(0) == 4);
  CHECK(graph.blocks[1].post_dominator == 3);
  CHECK(graph.predecessors(3).size() == 2);
  CHECK(graph.block_of == Blocks{0, 1, 1, 2, 3});
}

TEST_CASE("lanes that leave a loop early wait behind it") {
  // 0: x; 1: loop head; 2: @p bra 5 (break); 3: x; 4: @q bra 1; 5: exit
  const auto graph = Program().next().next().branch(5).next().branch(1).exit().graph();
  REQUIRE(graph.blocks.size() == 4);
  CHECK(graph.blocks[1].post_dominator == 3);
  CHECK(graph.blocks[2].post_dominator == 3);
  CHECK_FALSE(graph.is_back_edge(1, 0));
  CHECK(graph.is_back_edge(2, 1));
  CHECK(successors(graph, 2) == Blocks{3, 1});
}

TEST_CASE("an early return meets the others only at the end") {
  // 0: @p exit; 1: @q bra 3; 2: x; 3: exit
  const auto graph = Program().exit_some().branch(3).next().exit().graph();
  CHECK(successors(graph, 0) == Blocks{1, out});
  CHECK(graph.blocks[0].post_dominator == out);
  CHECK(graph.blocks[1].post_dominator == graph.block_of[3]);
}

TEST_CASE("a switch meets behind its cases, and equal targets count once") {
  // 0: brx {1, 2, 3, 3}; 1: bra 4; 2: bra 4; 3: x; 4: exit
  const auto graph = Program().multiway({1, 2, 3, 3}).jump(4).jump(4).next().exit().graph();
  CHECK(successors(graph, 0) == Blocks{1, 2, 3});
  CHECK(graph.blocks[0].post_dominator == 4);
}

TEST_CASE("a branch to the end of the body leaves") {
  const auto graph = Program().branch(2).next().graph();
  CHECK(successors(graph, 0) == Blocks{1, out});
}

TEST_CASE("a branch to the next instruction has one successor") {
  const auto graph = Program().branch(1).exit().graph();
  CHECK(successors(graph, 0) == Blocks{1});
  CHECK(graph.blocks[0].post_dominator == 1);
}

TEST_CASE("lanes in an endless loop still meet at its head") {
  // 0: @p bra 3; 1: x; 2: bra 4; 3: x; 4: x; 5: @q bra 4; 6: bra 4
  const auto graph = Program().branch(3).next().jump(4).next().next().branch(4).jump(4).graph();
  const std::uint32_t head = graph.block_of[4];
  CHECK(graph.blocks[0].post_dominator == head);
  CHECK(graph.blocks[head].post_dominator == out);
  CHECK(graph.blocks[graph.block_of[6]].post_dominator == head);
}

TEST_CASE("an endless loop beside the way out does not hide where the others meet") {
  // 0: @p bra 2; 1: bra 3; 2: bra 2 (for ever); 3: exit
  const auto graph = Program().branch(2).jump(3).jump(2).exit().graph();
  CHECK(graph.blocks[1].post_dominator == graph.block_of[3]);
  CHECK(graph.blocks[0].post_dominator == out);
  CHECK(graph.is_back_edge(2, 0));
}

TEST_CASE("code that nothing reaches is marked") {
  const auto graph = Program().jump(2).next().exit().graph();
  CHECK(graph.blocks[0].reachable);
  CHECK_FALSE(graph.blocks[1].reachable);
  CHECK(graph.blocks[2].reachable);
}

TEST_CASE("post-dominators of random graphs are those of the definition") {
  std::mt19937 random(7);
  int checked = 0;
  for (int round = 0; round < 400; ++round) {
    const Program program = random_program(random, 1 + random() % 40);
    const auto graph = program.graph();
    for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
      if (!always_can_end(graph, b)) continue;
      ++checked;
      const std::uint32_t found = graph.blocks[b].post_dominator;
      const auto all = post_dominators_by_removal(graph, b);
      INFO("round " << round << " block " << b);
      if (found == out) {
        CHECK(all.empty());
        continue;
      }
      REQUIRE(all.count(found) == 1);
      // Immediate: it is post-dominated by all the others.
      const auto above = post_dominators_by_removal(graph, found);
      for (const std::uint32_t other : all) CHECK((other == found || above.count(other) == 1));
    }
  }
  CHECK(checked > 2000);
}

TEST_CASE("every cycle of a random graph has a back edge, and edges are consistent") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const Program program = random_program(random, 1 + random() % 40);
    const auto graph = program.graph();
    // Without back edges, repeatedly removing blocks nothing leads to must remove all reachable ones.
    std::vector<int> incoming(graph.blocks.size(), 0);
    for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
      const auto to = graph.successors(b);
      for (std::uint32_t e = 0; e < to.size(); ++e) {
        if (to[e] == out) continue;
        const auto back = graph.predecessors(to[e]);
        CHECK(std::find(back.begin(), back.end(), b) != back.end());
        if (graph.blocks[b].reachable && !graph.is_back_edge(b, e)) ++incoming[to[e]];
      }
    }
    std::vector<std::uint32_t> work;
    std::size_t removed = 0, reachable = 0;
    for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
      reachable += graph.blocks[b].reachable;
      if (graph.blocks[b].reachable && incoming[b] == 0) work.push_back(b);
    }
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      ++removed;
      const auto to = graph.successors(b);
      for (std::uint32_t e = 0; e < to.size(); ++e) {
        if (to[e] != out && !graph.is_back_edge(b, e) && --incoming[to[e]] == 0) work.push_back(to[e]);
      }
    }
    CHECK(removed == reachable);
  }
}

TEST_CASE("ten thousand blocks in a row, nested or not, are no burden") {
  Program chain, nest;
  constexpr std::uint32_t size = 20000;
  for (std::uint32_t i = 0; i < size; ++i) chain.branch(std::min(i + 2, size));
  for (std::uint32_t i = 0; i < size; ++i) nest.branch(size - i);
  CHECK(chain.graph().blocks.size() == size);
  const auto graph = nest.graph();
  CHECK(graph.blocks.size() >= size / 2);
}
