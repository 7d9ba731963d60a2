#pragma once
// Answers that are too long for whoever reads them are cut between elements, and what leaves is kept for ten minutes:
// the tool `more` gives it. An answer is JSON before and after.

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "runner/mcp/json_line.h"

namespace gpulab::mcp {

inline constexpr std::chrono::minutes kept_for{10};
inline constexpr std::size_t most_kept_bytes = std::size_t{32} << 20;

/// What left an answer: an element of an array, or a piece of a text.
struct Part {
  std::string of;        ///< where it belongs: "/document/findings"
  std::size_t from = 0;  ///< its index, or of a text the byte that it begins with
  Json value{};
};

/// Takes elements out of `answer` until it fits `bytes`: of long lists first, from their ends, what is right before
/// what is not; of findings last; and the ends of long texts. What may not fit then is one element.
[[nodiscard]] std::vector<Part> cut(Json& answer, std::size_t bytes);

class KeptRests {
 public:
  using Clock = std::chrono::steady_clock;

  /// A name for them, which nobody guesses. The oldest give way where too much is kept.
  [[nodiscard]] std::string keep(std::vector<Part> parts, Clock::time_point now = Clock::now());
  /// The next parts of what `name` stands for, as many as fit: "parts", "left", and "more", a name for those behind
  /// them. Asked again with the same name, it gives the same. Throws usage_error where nothing of that name is kept.
  [[nodiscard]] Json page(const std::string& name, std::size_t bytes, Clock::time_point now = Clock::now());

 private:
  struct Kept {
    std::string name;
    std::vector<Part> parts;
    std::size_t bytes = 0;
    Clock::time_point until;
  };
  void forget_old(Clock::time_point now);

  std::deque<Kept> kept_;
  std::size_t bytes_ = 0;
};

/// What the answer says of it: {"more": name, "left_off": [{"of", "count"}], "kept_s"}.
[[nodiscard]] Json cut_note(const std::string& name, const std::vector<Part>& parts);

}  // namespace gpulab::mcp
