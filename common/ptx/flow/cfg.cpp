#include "common/ptx/flow/cfg.h"

#include <algorithm>

namespace gpulab::ptx {
namespace {

using Index = std::uint32_t;
constexpr Index none = UINT32_MAX;

/// Cuts the instructions into blocks: at branch targets and behind everything that does not simply fall through.
void find_blocks(std::span<const Flow> flows, ControlFlowGraph& graph) {
  const auto count = static_cast<Index>(flows.size());
  std::vector<std::uint8_t> leader(count + 1, 0);
  leader[0] = 1;
  for (Index i = 0; i < count; ++i) {
    for (const Index target : flows[i].targets) leader[target] = 1;
    if (!flows[i].falls_through || flows[i].leaves || !flows[i].targets.empty()) leader[i + 1] = 1;
  }
  graph.block_of.resize(count);
  for (Index i = 0; i < count; ++i) {
    if (leader[i]) graph.blocks.push_back({.first = i, .end = i});
    graph.blocks.back().end = i + 1;
    graph.block_of[i] = static_cast<Index>(graph.blocks.size() - 1);
  }
}

void find_successors(std::span<const Flow> flows, ControlFlowGraph& graph) {
  std::vector<Index> seen_from(graph.blocks.size() + 1, none);  // the last one stands for the exit
  for (Index b = 0; b < graph.blocks.size(); ++b) {
    Block& block = graph.blocks[b];
    block.first_successor = static_cast<Index>(graph.edges.size());
    const auto add = [&](Index instruction) {
      const bool inside = instruction < graph.block_of.size();
      const Index to = inside ? graph.block_of[instruction] : ControlFlowGraph::exit;
      Index& seen = seen_from[inside ? to : graph.blocks.size()];
      if (seen == b) return;
      seen = b;
      graph.edges.push_back(to);
    };
    const Flow& last = flows[block.end - 1];
    if (last.falls_through) add(block.end);
    for (const Index target : last.targets) add(target);
    if (last.leaves) add(none);
    block.successor_count = static_cast<Index>(graph.edges.size()) - block.first_successor;
  }
}

void find_predecessors(ControlFlowGraph& graph) {
  const auto successor_total = static_cast<Index>(graph.edges.size());
  for (const Index to : graph.edges) {
    if (to != ControlFlowGraph::exit) ++graph.blocks[to].predecessor_count;
  }
  Index next = successor_total;
  for (Block& block : graph.blocks) {
    block.first_predecessor = next;
    next += block.predecessor_count;
    block.predecessor_count = 0;
  }
  graph.edges.resize(next);
  for (Index b = 0; b < graph.blocks.size(); ++b) {
    for (Index e = 0; e < graph.blocks[b].successor_count; ++e) {
      const Index to = graph.edges[graph.blocks[b].first_successor + e];
      if (to == ControlFlowGraph::exit) continue;
      Block& target = graph.blocks[to];
      graph.edges[target.first_predecessor + target.predecessor_count++] = b;
    }
  }
}

/// Depth-first from the entry, with a stack of its own (thousands of blocks in a row would overflow the machine's).
void find_back_edges(ControlFlowGraph& graph) {
  enum State : std::uint8_t { unseen, open, closed };
  graph.back_edges.assign(graph.edges.size(), 0);
  std::vector<std::uint8_t> state(graph.blocks.size(), unseen);
  std::vector<std::pair<Index, Index>> stack;  // block, next successor
  stack.emplace_back(0, 0);
  state[0] = open;
  graph.blocks[0].reachable = true;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    if (next == graph.blocks[block].successor_count) {
      state[block] = closed;
      stack.pop_back();
      continue;
    }
    const Index edge = graph.blocks[block].first_successor + next++;
    const Index to = graph.edges[edge];
    if (to == ControlFlowGraph::exit) continue;
    if (state[to] == open) graph.back_edges[edge] = 1;
    if (state[to] != unseen) continue;
    state[to] = open;
    graph.blocks[to].reachable = true;
    stack.emplace_back(to, 0);
  }
}

/// Tarjan's strongly connected components; visit(root, members) sees a component after all that it leads to.
template <typename Visit>
void for_each_component(const ControlFlowGraph& graph, const Visit& visit) {
  const std::size_t count = graph.blocks.size();
  std::vector<Index> order(count, none), low(count, 0), open;
  std::vector<std::uint8_t> is_open(count, 0);
  std::vector<std::pair<Index, Index>> stack;
  Index clock = 0;
  const auto enter = [&](Index block) {
    order[block] = low[block] = clock++;
    open.push_back(block);
    is_open[block] = 1;
    stack.emplace_back(block, 0);
  };
  for (Index start = 0; start < count; ++start) {
    if (order[start] == none) enter(start);
    while (!stack.empty()) {
      const Index block = stack.back().first;
      const auto successors = graph.successors(block);
      if (stack.back().second < successors.size()) {
        const Index to = successors[stack.back().second++];
        if (to == ControlFlowGraph::exit) continue;
        if (order[to] == none) {
          enter(to);
        } else if (is_open[to]) {
          low[block] = std::min(low[block], order[to]);
        }
        continue;
      }
      stack.pop_back();
      if (!stack.empty()) low[stack.back().first] = std::min(low[stack.back().first], low[block]);
      if (low[block] != order[block]) continue;
      const auto first = std::find(open.rbegin(), open.rend(), block).base() - 1;
      visit(block, std::span<const Index>(&*first, static_cast<std::size_t>(open.end() - first)));
      for (auto member = first; member != open.end(); ++member) is_open[*member] = 0;
      open.erase(first, open.end());
    }
  }
}

/// Post-dominators are dominators of the reversed graph, rooted at the virtual exit: Cooper, Harvey and Kennedy,
/// "A Simple, Fast Dominance Algorithm" (2001).
class PostDominators {
 public:
  explicit PostDominators(ControlFlowGraph& graph)
      : graph_(graph), root_(static_cast<Index>(graph.blocks.size())), leaves_(root_, 0) {}

  void find() {
    mark_leaving_blocks();
    number_blocks();
    std::vector<Index> dominator(root_ + 1, none);
    dominator[root_] = root_;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto block = postorder_.rbegin(); block != postorder_.rend(); ++block) {
        if (*block == root_) continue;
        const Index found = meet_of_successors(*block, dominator);
        changed |= dominator[*block] != found;
        dominator[*block] = found;
      }
    }
    for (Index b = 0; b < root_; ++b) {
      graph_.blocks[b].post_dominator = dominator[b] == root_ ? ControlFlowGraph::exit : dominator[b];
    }
  }

 private:
  /// Blocks with an edge to the exit; and for each part of the graph that never ends, the head of its last loop.
  void mark_leaving_blocks() {
    std::vector<std::uint8_t> ends(root_, 0);
    std::vector<Index> work;
    const auto flood = [&](Index from) {
      if (!ends[from]) work.push_back(from);
      ends[from] = 1;
      while (!work.empty()) {
        const Index block = work.back();
        work.pop_back();
        for (const Index before : graph_.predecessors(block)) {
          if (!ends[before]) work.push_back(before);
          ends[before] = 1;
        }
      }
    };
    for (Index b = 0; b < root_; ++b) {
      const auto successors = graph_.successors(b);
      leaves_[b] = std::find(successors.begin(), successors.end(), ControlFlowGraph::exit) != successors.end();
      if (leaves_[b]) flood(b);
    }
    if (std::find(ends.begin(), ends.end(), 0) == ends.end()) return;
    for_each_component(graph_, [&](Index head, std::span<const Index>) {
      if (ends[head]) return;
      leaves_[head] = 1;
      flood(head);
    });
  }

  /// Postorder of the reversed graph from the virtual exit.
  void number_blocks() {
    std::vector<Index> leaving;
    for (Index b = 0; b < root_; ++b) {
      if (leaves_[b]) leaving.push_back(b);
    }
    const auto before = [&](Index block) {
      return block == root_ ? std::span<const Index>(leaving) : graph_.predecessors(block);
    };
    number_.assign(root_ + 1, none);
    std::vector<std::uint8_t> seen(root_ + 1, 0);
    std::vector<std::pair<Index, Index>> stack{{root_, 0}};
    seen[root_] = 1;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      const auto sources = before(block);
      if (next == sources.size()) {
        number_[block] = static_cast<Index>(postorder_.size());
        postorder_.push_back(block);
        stack.pop_back();
        continue;
      }
      const Index to = sources[next++];
      if (seen[to]) continue;
      seen[to] = 1;
      stack.emplace_back(to, 0);
    }
  }

  [[nodiscard]] Index meet_of_successors(Index block, const std::vector<Index>& dominator) const {
    Index found = leaves_[block] ? root_ : none;
    for (const Index to : graph_.successors(block)) {
      if (to == ControlFlowGraph::exit || dominator[to] == none) continue;
      found = found == none ? to : meet(found, to, dominator);
    }
    return found;
  }

  [[nodiscard]] Index meet(Index a, Index b, const std::vector<Index>& dominator) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = dominator[a];
      while (number_[b] < number_[a]) b = dominator[b];
    }
    return a;
  }

  ControlFlowGraph& graph_;
  Index root_;                        ///< index of the virtual exit here
  std::vector<std::uint8_t> leaves_;  ///< per block
  std::vector<Index> postorder_, number_;
};

}  // namespace

ControlFlowGraph control_flow_graph(std::span<const Flow> flows) {
  ControlFlowGraph graph;
  if (flows.empty()) return graph;
  find_blocks(flows, graph);
  find_successors(flows, graph);
  find_predecessors(graph);
  find_back_edges(graph);
  PostDominators(graph).find();
  return graph;
}

}  // namespace gpulab::ptx
