#pragma once
// What the tools accuse a kernel of, while it runs by instructions and threads; at the end of its grid, by source lines
// and in words (Finding). The accusations are an observer that is told last that a grid has ended.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/finding.h"
#include "common/simt/decode/program.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/observer.h"

namespace gpulab::simt {

/// A thread and what it executes. kNoSite: nobody.
struct Suspect {
  std::uint32_t block = 0, thread = 0;  ///< of the grid, of the block; linear
  std::uint32_t site = kNoSite;
};
[[nodiscard]] Suspect suspect(const Warp& warp, int lane, std::uint32_t site);

/// How far apart the two threads of an accusation are: what would order them follows from it.
enum class Reach : std::uint8_t { none, warp, block, grid };

struct Accusation {
  std::string_view tool;
  std::string message{};
  std::string address{};      ///< "in[4]"; empty where no memory is meant
  Suspect first{}, second{};  ///< second: where two places are to blame
  Reach reach = Reach::none;
  std::uint64_t count = 1;
  Severity severity = Severity::error;
  /// A tool that, where it accuses the same access too, says more: this is not told then.
  std::string_view unless_told_by{};
  // Of a race, all the threads that were seen:
  bool two_writers = false;    ///< of one element
  Suspect writer{};            ///< of the first element, which begins at:
  std::uint64_t element = 0;   ///< in its state space
  bool alike = false;          ///< each met the one of the same number in another block
  bool several = false;        ///< of different numbers
  bool parted = false;         ///< some came without the other lanes of their warp
  bool of_first_warps = true;  ///< all of them are of the first warp of their block
  /// Makes the message of all accusations of one pair of lines, where it depends on them and on the places as they are
  /// told. `all`: the example that is told comes first. `reach`: of the farthest of them, or of a race that shares a
  /// line with them: what mends that may mend both.
  using Words = std::string(const LaunchState&, std::span<const Accusation* const> all, Reach reach,
                            const std::vector<FindingSite>& at);
  Words* in_words = nullptr;
};

class Accusations final : public Observer {
 public:
  Accusations() : Observer(0) {}

  /// Of one tool, message and pair of instructions there is one accusation, which counts the others; its example is
  /// that of the threads farthest apart, for the message says what would order those; of them, of the lowest blocks and
  /// threads.
  Accusation& add(Accusation accusation) {
    std::string address = std::move(accusation.address);
    return add(std::move(accusation), [&] { return std::move(address); });
  }
  /// `address()`: as Accusation::address, in words, which takes longer than all else; asked for the example alone.
  template <typename Address>
  Accusation& add(Accusation accusation, const Address& address) {
    const auto [known, is_example] = merged(std::move(accusation));
    if (is_example) known.address = address();
    return known;
  }
  /// `tool` does not follow `what`, and so does not check this launch.
  void note_unchecked(std::string_view tool, const Program& program, std::string_view what);
  /// `tool` has left this launch, or never looked at it; it ran on without: `why`, as in "racecheck found no memory".
  void warn_unchecked(std::string_view tool, const Program& program, std::string_view why);

  void grid_ended(const LaunchState& launch) override;
  /// Of all grids since the last call. Those of a grid are sorted by lines.
  [[nodiscard]] std::vector<Finding> take();

 private:
  struct Merged {
    Accusation& known;
    bool is_example;  ///< the one that was added is it
  };
  Merged merged(Accusation now);

  using Key = std::pair<std::string, std::pair<std::uint32_t, std::uint32_t>>;
  /// Of a grid, and of all grids since the last take(): a person reads few, and telling them compares each with each.
  static constexpr std::size_t kMost = 512, kMostFindings = 8 * kMost;
  std::map<Key, Accusation> accusations_;
  Accusation beyond_;           ///< one that is not kept
  std::uint64_t left_out_ = 0;  ///< how many were not
  std::vector<Finding> notes_, findings_;
};

}  // namespace gpulab::simt
