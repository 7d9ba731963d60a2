#include "runner/compare/kernels/line_differences.h"

#include <algorithm>
#include <cmath>

#include "runner/report/explain/explanation.h"

namespace gpulab {
namespace {

constexpr std::size_t most_lines = 1500, most_text = 200;
constexpr double worth_telling = 0.02;

struct Line {
  std::uint32_t number = 0;
  std::string text;
  double ms = 0;
  std::uint64_t instructions = 0;
  std::string because{};
};

struct Side {
  std::vector<Line> lines;
  double kernel_ms = 0;
  std::uint64_t instructions = 0;
};

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1)).substr(0, most_text);
}

const LaunchLines* dearest(const std::vector<LaunchLines>& launches) {
  const auto most =
      std::ranges::max_element(launches, {}, [](const LaunchLines& one) { return one.counters["warp_instructions"]; });
  return most == launches.end() ? nullptr : &*most;
}

Side side_of(const LaunchLines& launch, int sm_count) {
  const auto explanation = explanation_of(launch, sm_count);
  Side side;
  for (const auto& one : explanation.lines) {
    if (one.line == 0 || side.lines.size() == most_lines) continue;
    Line line{.number = one.line, .text = trimmed(one.text), .instructions = one.counters["warp_instructions"]};
    if (launch.time)
      for (const auto& time : launch.time->lines)
        if (time.line == one.line) line.ms += time.total();
    const auto mark = std::ranges::find(explanation.marks, one.line, &Mark::line);  // the worst stands first
    if (mark != explanation.marks.end()) line.because = mark->kind;
    side.kernel_ms += line.ms;
    side.instructions += line.instructions;
    side.lines.push_back(std::move(line));
  }
  return side;
}

/// Pairs of places in both that hold the same text, as many as there can be in one order.
std::vector<std::pair<std::size_t, std::size_t>> matches(const std::vector<Line>& a, const std::vector<Line>& b) {
  const auto width = b.size() + 1;
  std::vector<std::uint16_t> longest((a.size() + 1) * width);
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      longest[i * width + j] = a[i].text == b[j].text
                                   ? static_cast<std::uint16_t>(longest[(i + 1) * width + j + 1] + 1)
                                   : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].text == b[j].text) {
      found.emplace_back(i++, j++);
    } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return found;
}

class Differences {
 public:
  Differences(const Side& a, const Side& b) : a_(a), b_(b), timed_(a.kernel_ms > 0 && b.kernel_ms > 0) {}

  void add(const Line* a, const Line* b) {
    LineDifference one{.text = a != nullptr ? a->text : b->text};
    if (a != nullptr) {
      one.a = a->number;
      one.a_share = share(*a, a_);
      one.a_instructions = a->instructions;
    }
    if (b != nullptr) {
      one.b = b->number;
      one.b_share = share(*b, b_);
      one.b_instructions = b->instructions;
    }
    one.saved = (b != nullptr ? cost(*b) : 0) - (a != nullptr ? cost(*a) : 0);
    const auto* dear = b == nullptr || (a != nullptr && one.saved < 0) ? a : b;
    one.because = dear->because;
    const double all =
        timed_ ? std::max(a_.kernel_ms, b_.kernel_ms) : double(std::max(a_.instructions, b_.instructions));
    if (all > 0 && std::abs(one.saved) >= worth_telling * all) found_.push_back(std::move(one));
  }

  std::vector<LineDifference> take() {
    std::ranges::stable_sort(found_, {}, [](const LineDifference& one) { return -std::abs(one.saved); });
    return std::move(found_);
  }

 private:
  [[nodiscard]] double cost(const Line& line) const { return timed_ ? line.ms : double(line.instructions); }
  [[nodiscard]] double share(const Line& line, const Side& side) const {
    if (timed_) return line.ms / side.kernel_ms;
    return side.instructions > 0 ? double(line.instructions) / double(side.instructions) : 0;
  }

  const Side &a_, &b_;
  bool timed_;
  std::vector<LineDifference> found_;
};

}  // namespace

std::vector<LineDifference> line_differences(const std::vector<LaunchLines>& a, const std::vector<LaunchLines>& b,
                                             int sm_count) {
  const auto *first = dearest(a), *second = dearest(b);
  if (first == nullptr || second == nullptr || first->ptx || second->ptx) return {};
  const auto one = side_of(*first, sm_count), other = side_of(*second, sm_count);
  Differences differences(one, other);
  std::size_t i = 0, j = 0;
  const auto alone = [&](std::size_t to_i, std::size_t to_j) {
    for (; i < to_i; ++i) differences.add(&one.lines[i], nullptr);
    for (; j < to_j; ++j) differences.add(nullptr, &other.lines[j]);
  };
  for (const auto& [at_i, at_j] : matches(one.lines, other.lines)) {
    alone(at_i, at_j);
    differences.add(&one.lines[i++], &other.lines[j++]);
  }
  alone(one.lines.size(), other.lines.size());
  return differences.take();
}

}  // namespace gpulab
