#include "labs/dynpar/launch_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "common/text.h"
#include "labs/dynpar/launch_log.h"

namespace gpulab::labs::dynpar {
namespace {

/// Launches of one shape (their own blocks and threads, and all that they launch) under one parent.
struct Node {
  int blocks = 0, threads = 0;
  std::size_t times = 1;
  std::size_t launches = 1;  ///< itself and those below it, of one of the `times`
  std::vector<Node> children;
  bool operator==(const Node& other) const { return times == other.times && same_shape(other); }
  bool same_shape(const Node& other) const {
    return blocks == other.blocks && threads == other.threads && children == other.children;
  }
  /// Largest first: the order in which launches were noted varies from run to run on a GPU.
  bool operator<(const Node& other) const {
    if (launches != other.launches) return launches > other.launches;
    if (blocks != other.blocks) return blocks > other.blocks;
    if (threads != other.threads) return threads > other.threads;
    if (times != other.times) return times > other.times;
    return std::lexicographical_compare(children.begin(), children.end(), other.children.begin(), other.children.end());
  }
};

using Children = std::vector<std::vector<std::size_t>>;

Node node_of(const LaunchLog& log, const Children& children, std::size_t place) {
  const auto& entry = log.launches[place];
  Node node{entry.blocks, entry.threads, 1, 1, {}};
  for (const std::size_t child : children[place]) node.children.push_back(node_of(log, children, child));
  std::sort(node.children.begin(), node.children.end());
  std::vector<Node> merged;
  for (auto& child : node.children) {
    node.launches += child.launches;
    if (!merged.empty() && merged.back().same_shape(child))
      ++merged.back().times;
    else
      merged.push_back(std::move(child));
  }
  node.children = std::move(merged);
  return node;
}

constexpr std::size_t most_lines = 40;

/// Lines of a drawing down to `depth` levels below the node.
std::size_t lines_of(const Node& node, std::size_t depth) {
  std::size_t lines = 1;
  if (depth > 0) {
    for (const Node& child : node.children) lines += lines_of(child, depth - 1);
  }
  return lines;
}

std::string described(const Node& node, bool with_children) {
  std::string text = fmt::format("{} of {}", plural(static_cast<std::uint64_t>(node.blocks), "block"),
                                 plural(static_cast<std::uint64_t>(node.threads), "thread"));
  if (node.times > 1) text = fmt::format("{} x {}", node.times, text);
  if (!with_children && !node.children.empty()) text += fmt::format(", {} below", plural(node.launches - 1, "grid"));
  return text;
}

/// The levels below a node whose own line is drawn.
void draw_children(const Node& node, const std::string& indent, std::size_t depth, std::vector<std::string>& lines) {
  if (depth == 0) return;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (lines.size() == most_lines) {
      lines.push_back(indent + "└─ …");
      return;
    }
    const bool last = i + 1 == node.children.size();
    lines.push_back(indent + (last ? "└─ " : "├─ ") + described(node.children[i], depth > 1));
    draw_children(node.children[i], indent + (last ? "   " : "│  "), depth - 1, lines);
  }
}

/// One bar per depth, the longest 40 characters.
void draw_depths(const std::vector<std::size_t>& by_depth, std::vector<std::string>& lines) {
  const std::size_t most = std::ranges::max(by_depth);
  for (std::size_t depth = 0; depth < by_depth.size(); ++depth) {
    std::string bar;
    for (std::size_t i = 0; i < (by_depth[depth] * 40 + most - 1) / most; ++i) bar += "█";
    lines.push_back(fmt::format("  depth {:2}  {:5}  {}", depth, by_depth[depth], bar));
  }
}

}  // namespace

std::vector<std::byte> log_of_host_launch(const Dim3& grid, const Dim3& block) {
  const auto log = std::make_unique<LaunchLog>();
  std::memset(log.get(), 0, sizeof *log);
  log->made = 1;
  log->launches[0] = {-1, 0, static_cast<int>(grid.volume()), static_cast<int>(block.volume())};
  std::vector<std::byte> bytes(sizeof *log);
  std::memcpy(bytes.data(), log.get(), sizeof *log);
  return bytes;
}

Commentary launch_commentary(const std::vector<std::byte>& bytes) {
  const auto log = std::make_unique<LaunchLog>();
  std::memcpy(log.get(), bytes.data(), std::min(bytes.size(), sizeof *log));
  const auto noted = static_cast<std::size_t>(std::clamp(log->made, 1, LaunchLog::most));

  Children children(noted);
  std::vector<std::size_t> by_depth;
  double threads = 0;
  for (std::size_t i = 0; i < noted; ++i) {
    const auto& entry = log->launches[i];
    const auto depth = static_cast<std::size_t>(entry.depth);
    by_depth.resize(std::max(by_depth.size(), depth + 1));
    ++by_depth[depth];
    if (i == 0) continue;
    children[static_cast<std::size_t>(entry.parent)].push_back(i);
    threads += static_cast<double>(entry.blocks) * entry.threads;
  }

  Commentary commentary;
  commentary.metrics = {{"device_launches", static_cast<double>(log->made - 1), "grids"},
                        {"deepest", static_cast<double>(by_depth.size() - 1), "levels"}};
  if (noted > 1) commentary.metrics.push_back({"mean_threads", threads / static_cast<double>(noted - 1), "threads"});
  for (std::size_t level = 1; level < by_depth.size(); ++level)
    commentary.metrics.push_back(
        {fmt::format("launches_depth_{}", level), static_cast<double>(by_depth[level]), "grids"});

  const Node root = node_of(*log, children, 0);
  std::size_t depth = by_depth.size() - 1;  // as far down as the page allows, one level at least
  while (depth > 1 && lines_of(root, depth) > most_lines) --depth;
  commentary.lines = {"Launch tree (grids of one shape drawn once), and launches by depth:",
                      "  host: " + described(root, true)};
  draw_children(root, "  ", depth, commentary.lines);
  if (static_cast<int>(noted) < log->made)
    commentary.lines.push_back(fmt::format("  … {} more beyond the log's {}", log->made - LaunchLog::most, noted));
  draw_depths(by_depth, commentary.lines);
  return commentary;
}

}  // namespace gpulab::labs::dynpar
