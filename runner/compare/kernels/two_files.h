#pragma once
// Two kernels of users' own files, launched alike on the same arguments.

#include <array>
#include <string>
#include <vector>

#include "runner/case/measuring/measure.h"
#include "runner/compare/kernels/ran_pairs.h"
#include "runner/options/option.h"

namespace gpulab {

struct TwoFiles {
  std::array<std::string, 2> files{}, kernels{};  ///< kernels: empty where the file has one
  Given given{};                                  ///< options of files and of the launch; {n} in them is a size
  std::vector<std::int64_t> sizes{};              ///< empty: nothing is swept
  MachineOptions machine{};
  MeasureOptions measure{};
};

/// Throws Error as `gpulab run` does; usage_error where both are not given the same inputs.
[[nodiscard]] RanPairs run_two_files(const TwoFiles& request);

/// "x:f32[{n}]=random" with a size in place of {n}; of the options that may have one.
[[nodiscard]] Given with_size(Given given, std::int64_t size);
/// Does any of them have one?
[[nodiscard]] bool has_size(const Given& given);

}  // namespace gpulab
