#pragma once
// What a recorder has to know of a PTX instruction: worked out once for each of a program's sites.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/decode/program.h"
#include "common/simt/observers/locator.h"
#include "common/trace/step_trace.h"

namespace gpulab::simt {

/// A register whose value can be read from a warp.
struct ReadableRegister {
  std::uint16_t at = kNoOperand;  ///< slot or predicate; kNoOperand: nobody reads it later, it has no place
  bool wide = false, predicate = false;
};

struct SiteFacts {
  StepSite shown;
  std::vector<ReadableRegister> results;  ///< in the order of shown.results
  std::vector<bool> stored_wide;          ///< of shown.stored: 64-bit slots
  MemoryUse use;
  std::uint32_t leader = 0;                                                  ///< whose counts hold for it
  std::uint32_t taken = kNoSite, fall_through = kNoSite, meeting = kNoSite;  ///< of a branch: sites
  std::vector<std::string> operands;  ///< as the PTX text writes them: "%r5", "[%rd4+8]"
  bool known = false;                 ///< a PTX instruction that runs
};

/// `lines`: of the source, by site (lines_of_sites).
[[nodiscard]] std::vector<SiteFacts> facts_of_sites(const Program& program, const std::vector<std::uint32_t>& lines);

}  // namespace gpulab::simt
