#pragma once
// What a step that accesses memory does, and what it costs: how many wavefronts or sectors, as the counters have it,
// and why so many.

#include "common/simt/observers/trace/wording.h"

namespace gpulab::simt {

[[nodiscard]] Sentence access_sentence(const StepFacts& step, const SiteFacts& facts);

}  // namespace gpulab::simt
