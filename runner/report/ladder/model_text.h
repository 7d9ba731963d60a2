#pragma once
// What a report says of modelled times: never that they are measured.

#include <string>
#include <vector>

#include "runner/case/result.h"

namespace gpulab {

/// Of one result: "7.56 µs on h200, bound: …", or why there is none; empty where nobody asked.
[[nodiscard]] std::string modelled_text(const Result& result);

/// Share of the time, 0 to 1, in which what bounds it works; 0 where it is latency or the launch that does.
[[nodiscard]] double bound_share(const ModelledTime& model);

/// Below a ladder: what its modelled times are; empty where it has none.
[[nodiscard]] std::string about_modelled(const Run& run);

/// Below a ladder: which rungs lack a modelled time, a sentence for each reason; empty where nobody asked.
[[nodiscard]] std::string why_unmodelled(const Run& run);

}  // namespace gpulab
