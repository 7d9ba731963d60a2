#pragma once
// Which nodes of a captured graph wait for which: those of one stream for the one before, and for what events that were
// recorded and waited for in the capture say. (The nodes themselves are run in the order in which they were queued.)

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gpulab::cuda_api {

class CaptureOrder {
 public:
  using Nodes = std::vector<std::uint32_t>;

  /// Captures follow each other; what events recorded in one means nothing in the next.
  void begin(std::uint64_t stream) {
    const auto number = number_ + 1;
    *this = {};
    number_ = number;
    heads_[stream];
  }
  /// A node is queued.
  void queued(std::uint64_t stream) {
    before_.push_back(heads_[stream]);
    heads_[stream] = {static_cast<std::uint32_t>(before_.size() - 1)};
  }
  /// A node that the program has added to the graph itself.
  std::uint32_t added() {
    before_.emplace_back();
    added_.push_back(static_cast<std::uint32_t>(before_.size() - 1));
    return added_.back();
  }
  struct Mark {
    std::uint64_t capture = 0;
    Nodes nodes{};
  };
  [[nodiscard]] std::optional<Mark> recorded(std::uint64_t stream) const {
    const auto head = heads_.find(stream);
    return head == heads_.end() ? std::nullopt : std::optional(Mark{number_, head->second});
  }
  [[nodiscard]] bool is_current(const Mark& mark) const { return mark.capture == number_; }
  void waits(std::uint64_t stream, const Mark& mark) {
    if (!is_current(mark)) return;
    Nodes& head = heads_[stream];
    for (const auto one : mark.nodes)
      if (std::ranges::find(head, one) == head.end()) head.push_back(one);
  }
  /// The program says what the next one of the stream waits for.
  void waits_only(std::uint64_t stream, Nodes nodes) { heads_[stream] = std::move(nodes); }
  [[nodiscard]] bool has(std::uint64_t stream) const { return heads_.contains(stream); }
  /// What the next one of the stream waits for.
  [[nodiscard]] const Nodes& heads(std::uint64_t stream) const { return heads_.at(stream); }
  /// What `stream` has queued or waits for leaves nodes of others out: they were forked from it and never joined again.
  [[nodiscard]] bool is_forked(std::uint64_t stream) const {
    std::vector<bool> joined(before_.size());
    for (const auto one : added_) joined[one] = true;
    std::size_t count = added_.size();
    for (Nodes next = heads(stream); !next.empty();) {
      const auto one = next.back();
      next.pop_back();
      if (joined[one]) continue;
      joined[one] = true;
      ++count;
      next.insert(next.end(), before_[one].begin(), before_[one].end());
    }
    return count < before_.size();
  }
  /// By node: those that it waits for.
  [[nodiscard]] const std::vector<Nodes>& before() const { return before_; }

 private:
  std::uint64_t number_ = 0;
  std::map<std::uint64_t, Nodes> heads_;  ///< by stream: what the next one waits for
  std::vector<Nodes> before_;
  Nodes added_;
};

}  // namespace gpulab::cuda_api
