#pragma once
// What a tuner tried, fastest first: the table, the picture, and what JSON has beside gpulab.run.v1.

#include <optional>
#include <string>
#include <vector>

#include "runner/case/result.h"
#include "runner/report/report.h"

namespace gpulab {

struct Tuned {
  Run run;                           ///< the whole space
  std::vector<bool> automatic_grid;  ///< of each result: its grid was nobody's choice
};

/// The time that a result is ranked by, in milliseconds: measured on a GPU, else modelled; nothing: it did not end
/// well.
[[nodiscard]] std::optional<double> tuned_ms(const Run& run, const Result& result);
/// Those without a time come last. What stands before what is as fast as it stays before it.
void sort_fastest_first(Tuned& tuned);
/// "gpulab reduce --variant warp --block 128 --n 4194304": runs the result again; of params those that `run` swept, and
/// n.
[[nodiscard]] std::string command_of(const Tuned& tuned, std::size_t index);

[[nodiscard]] std::string tuned_table(const Tuned& tuned, const Style& style);
/// gpulab.run.v1 with the whole space as its results, and "best".
[[nodiscard]] std::string tuned_json(const Tuned& tuned);
/// The space as a picture, a row for each variant and grid, a column for each block: --image FILE.svg or FILE.png.
void write_tuned(const std::string& file, const Tuned& tuned);

}  // namespace gpulab
