#include "common/ptx/flow/cfg.h"

#include <algorithm>
#include <numeric>
#include <utility>

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

/// Post-dominators are dominators of the reversed graph, rooted at the virtual exit: Lengauer and Tarjan, "A Fast
/// Algorithm for Finding Dominators in a Flowgraph" (1979), whose time hardly grows faster than the graph, whatever
/// that looks like. Blocks go by their numbers in a depth-first walk from the exit, which is 0.
class PostDominators {
 public:
  explicit PostDominators(ControlFlowGraph& graph)
      : graph_(graph), root_(static_cast<Index>(graph.blocks.size())), leaves_(root_, 0) {}

  void find() {
    mark_leaving_blocks();
    number_blocks();
    const auto count = static_cast<Index>(preorder_.size());
    semi_.resize(count);
    std::iota(semi_.begin(), semi_.end(), Index{0});
    label_ = semi_;
    ancestor_.assign(count, none);
    std::vector<Index> dominator(count, 0), first(count, none), next(count, none);  // buckets by semidominator
    for (Index w = count - 1; w > 0; --w) {
      const Index block = preorder_[w], parent = parent_[w];
      if (leaves_[block]) semi_[w] = 0;
      for (const Index to : graph_.successors(block))
        if (to != ControlFlowGraph::exit) semi_[w] = std::min(semi_[w], semi_[least(number_[to])]);
      next[w] = std::exchange(first[semi_[w]], w);
      ancestor_[w] = parent;
      for (Index v = std::exchange(first[parent], none); v != none; v = next[v]) {
        const Index u = least(v);
        dominator[v] = semi_[u] < semi_[v] ? u : parent;
      }
    }
    for (Index w = 1; w < count; ++w) {
      if (dominator[w] != semi_[w]) dominator[w] = dominator[dominator[w]];
      graph_.blocks[preorder_[w]].post_dominator = dominator[w] == 0 ? ControlFlowGraph::exit : preorder_[dominator[w]];
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

  /// Depth-first over the reversed graph from the virtual exit, which every block leads to by now.
  void number_blocks() {
    std::vector<Index> leaving;
    for (Index b = 0; b < root_; ++b) {
      if (leaves_[b]) leaving.push_back(b);
    }
    const auto before = [&](Index block) {
      return block == root_ ? std::span<const Index>(leaving) : graph_.predecessors(block);
    };
    number_.assign(root_ + 1, none);
    std::vector<std::pair<Index, Index>> stack;
    const auto enter = [&](Index block) {
      number_[block] = static_cast<Index>(preorder_.size());
      parent_.push_back(stack.empty() ? 0 : number_[stack.back().first]);
      preorder_.push_back(block);
      stack.emplace_back(block, 0);
    };
    enter(root_);
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      const auto sources = before(block);
      if (next == sources.size()) {
        stack.pop_back();
        continue;
      }
      const Index to = sources[next++];
      if (number_[to] == none) enter(to);
    }
  }

  /// The block with the least semidominator on the way up from `v` to where its part of the walk's tree begins.
  /// Shortens the way for those who ask later.
  [[nodiscard]] Index least(Index v) {
    if (ancestor_[v] == none) return v;
    for (Index at = v; ancestor_[ancestor_[at]] != none; at = ancestor_[at]) way_.push_back(at);
    for (; !way_.empty(); way_.pop_back()) {
      const Index at = way_.back(), above = ancestor_[at];
      if (semi_[label_[above]] < semi_[label_[at]]) label_[at] = label_[above];
      ancestor_[at] = ancestor_[above];
    }
    return label_[v];
  }

  ControlFlowGraph& graph_;
  Index root_;                                        ///< index of the virtual exit here
  std::vector<std::uint8_t> leaves_;                  ///< per block
  std::vector<Index> preorder_, number_, parent_;     ///< number -> block, block -> number, number -> number
  std::vector<Index> semi_, label_, ancestor_, way_;  ///< by number: the algorithm's own
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
