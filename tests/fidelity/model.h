#pragma once
// What a case must do and count, worked out thread by thread from its steps and the definitions of metrics.md, by
// brute force: nothing here is shared with the simulator.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/fidelity/suite.h"

namespace gpulab::fidelity {

struct Expected {
  std::map<std::string, std::uint64_t> counters;  ///< by metrics.md's names, those that derive from addresses
  std::vector<std::vector<std::byte>> buffers;    ///< in the order of enum Buffer
};
[[nodiscard]] Expected expected(const Case& one);

}  // namespace gpulab::fidelity
