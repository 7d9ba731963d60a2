#pragma once
// Control-flow graph of one function, over abstract instructions: nothing here knows PTX opcodes. Built once per
// function at decode; the simulator reconverges split warps at immediate post-dominators.

#include <cstdint>
#include <span>
#include <vector>

namespace gpulab::ptx {

/// How control leaves one instruction. `Flow{}` is an ordinary instruction (a call too: it comes back).
/// Unconditional branch: {false, false, targets}; guarded branch: {true, false, targets}; `ret`: {false, true};
/// guarded `ret`: {true, true}; brx.idx: {false, false, all labels of its table}.
struct Flow {
  bool falls_through = true;               ///< may go on at the next instruction
  bool leaves = false;                     ///< may end the function (ret, exit, trap)
  std::span<const std::uint32_t> targets;  ///< instruction indices; the instruction count (a label at the end) leaves
};

/// A maximal run of instructions entered only at the first and left only at the last.
struct Block {
  std::uint32_t first = 0, end = 0;  ///< instructions [first, end), never empty
  std::uint32_t first_successor = 0, successor_count = 0;
  std::uint32_t first_predecessor = 0, predecessor_count = 0;
  /// The block that every path from this one to the function's end passes first; ControlFlowGraph::exit if paths only
  /// meet where the function ends. A loop without a way out counts as if it could end at its first block.
  std::uint32_t post_dominator = 0;
  bool reachable = false;  ///< from the function's first instruction
};

struct ControlFlowGraph {
  static constexpr std::uint32_t exit = UINT32_MAX;  ///< the virtual block at the function's end

  std::vector<Block> blocks;             ///< in program order; blocks[0] is the entry
  std::vector<std::uint32_t> block_of;   ///< instruction -> block
  std::vector<std::uint32_t> edges;      ///< all successors, then all predecessors; `exit` among successors only
  std::vector<std::uint8_t> back_edges;  ///< per successor edge: 1 if it closes a cycle of the depth-first tree

  /// Without duplicates, the fall-through first. May hold `exit`.
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t block) const {
    return {edges.data() + blocks[block].first_successor, blocks[block].successor_count};
  }
  [[nodiscard]] std::span<const std::uint32_t> predecessors(std::uint32_t block) const {
    return {edges.data() + blocks[block].first_predecessor, blocks[block].predecessor_count};
  }
  /// Every cycle has at least one back edge; in code of structured loops these are the edges to loop heads.
  [[nodiscard]] bool is_back_edge(std::uint32_t block, std::uint32_t successor_index) const {
    return back_edges[blocks[block].first_successor + successor_index] != 0;
  }
  /// First instruction of the block's immediate post-dominator; the instruction count for the virtual exit.
  [[nodiscard]] std::uint32_t reconvergence_point(std::uint32_t block) const {
    const std::uint32_t at = blocks[block].post_dominator;
    return at == exit ? static_cast<std::uint32_t>(block_of.size()) : blocks[at].first;
  }
};

/// Targets must be at most flows.size(). Falling off the last instruction leaves the function. No instructions: no
/// blocks.
[[nodiscard]] ControlFlowGraph control_flow_graph(std::span<const Flow> flows);

}  // namespace gpulab::ptx
