#pragma once
// The parts of a run's page, as HTML. Each is empty where the run has nothing for it.

#include <string>

#include "runner/case/result.h"

namespace gpulab::pages {

/// A ladder beyond this many rows is folded, and what needs a column for each result is left out.
inline constexpr std::size_t most_side_by_side = 24;

/// Results side by side, their times as bars; `linked` to the stories on the same page.
[[nodiscard]] std::string ladder_section(const Run& run, bool linked = true);
/// Rung by rung: what it gains and loses, and against which.
[[nodiscard]] std::string stories_section(const Run& run);
/// What a sweep's numbers do over its parameter, as curves.
[[nodiscard]] std::string sweep_section(const Run& run);
/// Each rung under the profile's ceilings: instructions over bytes of memory.
[[nodiscard]] std::string roofline_section(const Run& run);
/// Which part of the GPU works in which share of the modelled time.
[[nodiscard]] std::string busy_section(const Run& run);
/// How many blocks each resource of an SM has room for.
[[nodiscard]] std::string occupancy_section(const Run& run);
[[nodiscard]] std::string counters_section(const Run& run);
/// What the numbers of the page are, and are not.
[[nodiscard]] std::string notes_section(const Run& run);

/// All that is known of one result but its counters.
[[nodiscard]] std::string result_facts(const Run& run, const Result& result);
/// Messages, mismatches, findings, what the lab says, what was drawn and printed.
[[nodiscard]] std::string result_words(const Result& result);

/// "ok", "wrong" … as a badge.
[[nodiscard]] std::string badge(const Result& result);
/// The id of a variant's story, to link to.
[[nodiscard]] std::string story_id(const std::string& variant);

/// All sections of a run below its heading.
[[nodiscard]] std::string run_sections(const Run& run);

}  // namespace gpulab::pages
