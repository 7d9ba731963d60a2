#pragma once
// What `gpulab trace` reports, as data: the steps of one launch of one result, and the texts that they are lines of.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/trace/step_trace.h"
#include "labs/lab.h"
#include "runner/case/result.h"

namespace gpulab {

struct TraceView {
  DeviceInfo device;
  std::string lab;         ///< empty for a file
  std::string file;        ///< of a file; empty for labs
  std::string question{};  ///< of the lab
  const Result* result = nullptr;
  const StepTrace* steps = nullptr;
  std::string source, ptx;                                 ///< texts; source: empty where there is none at hand
  std::string source_name;                                 ///< "reduce/kernels.cu"
  std::uint64_t schedule = 0;                              ///< of --schedule
  std::vector<std::pair<std::string, std::string>> top{};  ///< links above, as html::Page::top
};

/// The texts that the steps of a rung or of a file's kernel are lines of: source, ptx, source_name.
void add_texts(const Lab& lab, const Variant& variant, TraceView& view);

}  // namespace gpulab
