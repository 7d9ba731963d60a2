#pragma once
// What a launch's counts say of the source: the lines of the kernel with their sums, and the worst of them with the
// reason in words.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/line_counts.h"

namespace gpulab {

/// Why a line is slow.
struct Mark {
  std::uint32_t line = 0;
  /// divergence, idle_lanes, uncoalesced, bank_conflict, atomic, same_address, local_memory, waiting; of the whole
  /// launch: few_blocks, partial_warps, imbalance
  std::string kind;
  double share = 0;  ///< of the launch's whole: of its sectors, wavefronts, lane slots … (0..1)
  std::string text;
  std::size_t own =
      std::string::npos;  ///< where what is the line's own ends, and what is said of all of the kind begins
  double cost = 0;        ///< for ranking: cycles of an SM, roughly, beyond what the line must take
  std::vector<std::uint32_t> victims{};  ///< of a divergence: other lines that run with few lanes for it
};

/// One line over all phases.
struct ExplainedLine {
  std::uint32_t line = 0;  ///< 0: instructions without a line of the user's
  std::string_view text;
  std::uint64_t executions = 0;
  Counters counters;
  std::vector<LineCounts> phases;
};

struct Explanation {
  const LaunchLines* launch = nullptr;
  std::vector<ExplainedLine> lines;  ///< that have instructions, by number
  std::vector<Mark> marks;           ///< worst first
};

/// `sm_count`: of the GPU that blocks spread over.
[[nodiscard]] Explanation explanation_of(const LaunchLines& launch, int sm_count);

/// Bytes from each active lane to the next, where that is the same for all.
[[nodiscard]] std::optional<std::int64_t> lane_stride(const LineAccess& access);

/// The words of shared memory that lanes of a request ask one bank for.
struct BankWord {
  std::int64_t word = 0;  ///< 4 bytes each, from the start of the block's shared memory
  std::vector<int> lanes;
};
struct Bank {
  int number = 0;
  std::vector<BankWord> words;  ///< by number
};
/// Banks that are asked for anything, by number.
[[nodiscard]] std::vector<Bank> banks_of(const LineAccess& access);

}  // namespace gpulab
