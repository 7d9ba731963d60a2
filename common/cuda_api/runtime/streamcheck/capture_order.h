#pragma once
// Which nodes of a captured graph wait for which: those of one stream for the one before, and for what events that were
// recorded and waited for in the capture say. (The nodes themselves are run in the order in which they were queued.)

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
    const auto head = heads_.find(stream);
    // A stream that nothing has forked from the capture: what it waits for nobody knows.
    if (head == heads_.end()) is_known_ = false;
    before_.push_back(head == heads_.end() ? Nodes{} : head->second);
    heads_[stream] = {static_cast<std::uint32_t>(before_.size() - 1)};
  }
  struct Mark {
    std::uint64_t capture = 0;
    Nodes nodes{};
  };
  [[nodiscard]] std::optional<Mark> recorded(std::uint64_t stream) const {
    const auto head = heads_.find(stream);
    return head == heads_.end() ? std::nullopt : std::optional(Mark{number_, head->second});
  }
  void waits(std::uint64_t stream, const Mark& mark) {
    if (mark.capture != number_) return;
    Nodes& head = heads_[stream];
    head.insert(head.end(), mark.nodes.begin(), mark.nodes.end());
  }
  /// The program changes what is waited for by itself.
  void lose() { is_known_ = false; }
  [[nodiscard]] bool is_known() const { return is_known_; }
  /// By node: those that it waits for.
  [[nodiscard]] const std::vector<Nodes>& before() const { return before_; }

 private:
  std::uint64_t number_ = 0;
  bool is_known_ = true;
  std::map<std::uint64_t, Nodes> heads_;  ///< by stream: what the next one waits for
  std::vector<Nodes> before_;
};

}  // namespace gpulab::cuda_api
