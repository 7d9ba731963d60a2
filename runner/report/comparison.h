#pragma once
// What `gpulab compare` says, as data: gpulab.compare.v1. A is what was before, B what is now.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/enum_text.h"

namespace gpulab {

/// Of B beside A. undecided: what is known does not tell; `why` says what would.
enum class CompareVerdict : std::uint8_t { same, faster, slower, undecided };
constexpr std::array<std::string_view, 4> words_of(CompareVerdict) { return {"same", "faster", "slower", "undecided"}; }

/// What a verdict rests on. Times of one kind alone: a measured one is never compared with a modelled one.
enum class CompareBasis : std::uint8_t { none, counters, modelled, measured };
constexpr std::array<std::string_view, 4> words_of(CompareBasis) {
  return {"none", "counters", "modelled", "measured"};
}

/// Times of a GPU.
struct MeasuredTime {
  std::string gpu{}, mode{};  ///< "NVIDIA H200"; "cold", "warm"
  double median_ms = 0, q1_ms = 0, q3_ms = 0;
  std::uint64_t samples = 0;
  std::vector<double> raw_ms{};  ///< the samples, where they were kept
  std::vector<double> sm_mhz{};  ///< the SMs' clock beside each; empty where it was not read
  bool in_turn = false;          ///< with those of the other side: A B B A
  std::string throttled{};       ///< why the clock was held back beside some; empty: beside none
};

/// A time that nobody has measured.
struct ModelTime {
  std::string gpu{};
  double ms = 0, low_ms = 0, high_ms = 0;
  std::string bound{};
  int sms_used = 0;         ///< SMs that get a block; 0: not known
  bool validated = false;   ///< the model was compared with this GPU
  std::string no_ground{};  ///< why it was never compared with such a kernel; empty: it was
};

/// Is the answer right? unknown: it did not run.
enum class Answer : std::uint8_t { right, wrong, unknown };

/// What a comparison knows of one result.
struct ComparedResult {
  std::string lab{};   ///< or the file, or the program
  std::string name{};  ///< the variant, the kernel of a program, the contract
  std::string kernel{};
  std::vector<std::pair<std::string, std::string>> params{};  ///< as words
  std::string launch{};  ///< "grid 16384, block 256"; empty: not known, or not part of what is compared
  Answer answer = Answer::right;
  std::string status{}, message{};
  std::map<std::string, double, std::less<>> counters{};
  bool sparse = false;       ///< counts that are 0 are left out
  std::string counted_at{};  ///< parameters of a smaller case that was counted; empty: of this one
  std::optional<MeasuredTime> measured{};
  std::optional<ModelTime> modelled{};
  std::string unmodelled{};  ///< why there is no modelled time
};

/// A counter that differs.
struct CounterDifference {
  std::string name{};
  double a = 0, b = 0;
  /// What more of it means for the time; neither: nobody knows.
  enum class Effect : std::uint8_t { gain, loss, neither } effect = Effect::neither;
  double distance = 0;   ///< how far apart, as the logarithm of the factor, little counts as nothing
  bool is_cost = false;  ///< a count that may say why a kernel is slower
};

/// Lines of source that do not cost the same.
struct LineDifference {
  std::string text;                       ///< of the source
  std::optional<std::uint32_t> a{}, b{};  ///< numbers; absent: that side has no such line
  double a_share = 0, b_share = 0;        ///< of the modelled time that its side's kernel takes
  double saved = 0;                       ///< for ranking: B's cost less A's, in milliseconds or instructions
  std::uint64_t a_instructions = 0, b_instructions = 0;
  std::string because{};  ///< what makes the line slow on the side where it costs more: "bank_conflict"
};

/// The least that a case must take, from what its lab declares.
struct TimeFloor {
  double bytes = 0, flops = 0;  ///< that it must move and compute
  double ms = 0;                ///< of these, at 1.05 x what the GPU was measured to reach
  std::string gpu{}, by{};      ///< whose ceilings; what takes that long: "memory", "arithmetic"
  double rate = 0;              ///< that ceiling, GB/s or GFLOP/s
  bool beyond_cache = false;    ///< the arrays are larger than twice L2: nothing of them can be there already
};

struct ComparedPair {
  ComparedResult a{}, b{};
  CompareVerdict verdict = CompareVerdict::undecided;
  CompareBasis basis = CompareBasis::none;
  std::string why{};  ///< what the verdict rests on, in words
  bool regression = false;
  bool impossible = false;      ///< a time below the floor
  bool answers_differ = false;  ///< of two kernels, and nobody says which is right
  // Of times: B's by A's. low to high: 90 % of modelled ones, 95 % of measured ones lie there.
  std::optional<double> ratio{}, low{}, high{};
  std::optional<double> probability{};  ///< that the verdict is right; of undecided pairs: of the likelier direction
  std::vector<CounterDifference> counters{};  ///< worst first
  std::vector<LineDifference> lines{};        ///< dearest first
  std::optional<TimeFloor> floor{};
  std::vector<std::string> warnings{};
};

struct Comparison {
  std::string a{}, b{};    ///< files, variants
  bool documents = false;  ///< else kernels, that were run
  double threshold = 0.05;
  std::vector<ComparedPair> pairs{};
  std::vector<ComparedResult> gone{}, added{};  ///< that B lacks; that A lacks
  std::vector<std::string> notes{};
  /// Of modelled times: which pairs the odds come from, "109 pairs of foreign kernels, measured on NVIDIA H100".
  std::string odds{};

  /// What exit code 1 stands for.
  [[nodiscard]] std::size_t regressions() const {
    std::size_t count = 0;
    for (const auto& one : gone) count += one.answer == Answer::right ? 1 : 0;
    for (const auto& pair : pairs) count += pair.regression ? 1 : 0;
    return count;
  }
};

}  // namespace gpulab
