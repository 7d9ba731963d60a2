#pragma once
// What mends a race: one remedy, chosen by what the witnesses have in common and by the code between the two lines.
// Where that does not tell, the advice is the general one, which fits all that may be.

#include <span>
#include <string>

#include "common/simt/observers/accusations.h"

namespace gpulab::simt {

/// `witnesses`: all accusations of one pair of lines; `reach`: how far apart their threads are, at least. "put
/// __syncthreads() between them".
[[nodiscard]] std::string race_advice(const LaunchState& launch, std::span<const Accusation* const> witnesses,
                                      Reach reach);

/// The whole message; `at`: the places as they are told. Accusation::in_words.
[[nodiscard]] std::string race_in_words(const LaunchState& launch, std::span<const Accusation* const> witnesses,
                                        Reach reach, const std::vector<FindingSite>& at);

}  // namespace gpulab::simt
