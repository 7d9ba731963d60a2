#pragma once
// What a sanitizer tool accuses a kernel of.

#include <cstdint>
#include <string>
#include <vector>

#include "common/dim3.h"

namespace gpulab {

struct FindingSite {
  std::string file;
  int line = 0;
  std::string access;  ///< "read", "write", "atomic", "barrier" …
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::string address;  ///< "in[4]", "s[35]"; empty where no memory is meant
};

/// `tool` and `severity` (error, warning, note) in compute-sanitizer's terms; `count`: how often the pair of lines met.
struct Finding {
  std::string tool, severity, message;
  std::uint64_t count = 1;
  std::vector<FindingSite> at;
};

}  // namespace gpulab
