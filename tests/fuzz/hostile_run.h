#pragma once
// Any PTX text, decoded and run on the simulator: what strangers' files do to it.

#include <cstdint>
#include <string>
#include <string_view>

namespace gpulab::tests {

/// What became of a text.
enum class Outcome : std::uint8_t { refused, failed, ran };

/// Loads the text, launches each of its first four kernels (two blocks of 64 threads; pointers lead to 4 KiB, all other
/// parameters are small), and asks for all that a report shows. `choice` decides what watches: which tools, counters,
/// lines, the schedule. Whatever comes out is an answer, but for a crash, a hang, or an exception that is no Error.
/// `said`: takes the errors, a line each.
Outcome run_hostile(std::string_view ptx, std::uint64_t choice, std::string* said = nullptr);

}  // namespace gpulab::tests
