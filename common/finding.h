#pragma once
// What a sanitizer tool accuses a kernel of.

#include <cstdint>
#include <string>
#include <vector>

#include "common/dim3.h"
#include "common/enum_text.h"

namespace gpulab {

struct FindingSite {
  std::string file;
  int line = 0;
  std::string access;  ///< "read", "write", "atomic", "barrier" …
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::string address;  ///< "in[4]", "s[35]"; empty where no memory is meant
};

enum class Severity : std::uint8_t { error, warning, note };
constexpr std::array<std::string_view, 3> words_of(Severity) { return {"error", "warning", "note"}; }

/// `tool` and `severity` in compute-sanitizer's terms; `count`: how often the pair of lines met.
struct Finding {
  std::string tool;
  Severity severity = Severity::error;
  std::string message;
  std::uint64_t count = 1;
  std::vector<FindingSite> at;
};

}  // namespace gpulab
