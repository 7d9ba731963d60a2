#pragma once
// Traces with one cost of one line taken away: the model says what the launch would take then.

#include <cstdint>
#include <string>
#include <vector>

#include "common/counters.h"
#include "common/simt/timing/trace/trace.h"

namespace gpulab::simt {

struct Question {
  enum class Kind : std::uint8_t { bank_conflict, uncoalesced, same_address };
  std::uint32_t line = 0;
  Kind kind = Kind::bank_conflict;
  double excess = 0;  ///< wavefronts, sectors or lanes beyond the ideal
};

/// What is worth asking, the most first: lines of the user's with an excess. `line_of`: by site.
[[nodiscard]] std::vector<Question> questions_of(const GridTrace& trace, const std::vector<std::uint32_t>& line_of);

/// Takes it away, also from what was counted.
void take_away(const Question& question, const std::vector<std::uint32_t>& line_of, GridTrace& trace,
               Counters& counters);

[[nodiscard]] std::string word_of(Question::Kind kind);

}  // namespace gpulab::simt
