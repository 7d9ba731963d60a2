#pragma once
// From what workers counted per instruction to counts per line and phase.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/line_counts.h"
#include "common/simt/decode/program.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

/// Lines, accesses, phases and where they are from. `source`: the module's CUDA text; empty: lines are those of `ptx`.
void count_lines(const Program& program, const Workers& workers, std::string_view source, std::string_view ptx,
                 LaunchLines& lines);

/// Lines of the sites, all of one file: 0 where a site is none of that file's.
struct SourceOfSites {
  std::string file;
  std::vector<std::uint32_t> lines;
  bool ptx = false;  ///< lines of the PTX: no site names one of a source
};
[[nodiscard]] SourceOfSites source_of_sites(const Program& program, bool has_source);

/// The line of each site, as count_lines has it: 0 where it is none of the file that is shown.
[[nodiscard]] std::vector<std::uint32_t> lines_of_sites(const Program& program, std::string_view source);

}  // namespace gpulab::simt
