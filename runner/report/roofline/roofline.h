#pragma once
// Kernels under what a GPU can do at most: gpulab.roofline.v1, as data.

#include <algorithm>
#include <string>
#include <vector>

#include "common/error.h"
#include "runner/report/report.h"

namespace gpulab {

/// What a GPU does at most of one thing.
struct Ceiling {
  std::string
      name;  ///< "memory", "memory copy", "L2", "shared", "issue", "fp32", "fp64", "fp16", "tensor bf16", "launch"
  std::string unit;  ///< "GB/s", "GFLOP/s", "Ginstr/s"; "us" of "launch"
  double value = 0;
  std::string from{};  ///< "measured: reads 512 MiB …", "modelled: …"
};

/// How much of a ceiling a kernel takes.
struct CeilingShare {
  std::string ceiling;
  double share = 0;
  std::string why{};  ///< how it can be above 1, which nothing explains; empty: it is not
};

/// What does not bound a kernel, so that there is no share of it, and why: memory of what lies in L2.
struct NoCeiling {
  std::string ceiling, why;
};

struct RooflineRow {
  std::string name{};     ///< what tells it from the others: "warp", "warp, block 128"
  std::string missing{};  ///< why it is not in the picture; empty: it is
  double ms = 0;
  double operations = 0, bytes = 0;    ///< of one run
  std::string roof{};                  ///< the flat ceiling that it stands under
  std::vector<CeilingShare> shares{};  ///< largest first
  std::vector<NoCeiling> not_bound_by{};

  [[nodiscard]] double intensity() const { return operations / bytes; }
  [[nodiscard]] double per_second() const { return operations / ms * 1e3; }
  [[nodiscard]] bool is_bound_by(std::string_view name) const {
    return std::ranges::find(not_bound_by, name, &NoCeiling::ceiling) == not_bound_by.end();
  }
};

struct Roofline {
  std::string of{};              ///< "reduce, n 4194304": what all rows have in common
  std::string gpu{};             ///< "NVIDIA H200"
  bool measured = false;         ///< else modelled, times and ceilings
  bool validated = true;         ///< of modelled ones: compared with this GPU
  bool of_instructions = false;  ///< operations are warp instructions; else those that the lab declares
  std::string bytes{};           ///< what they are
  std::vector<Ceiling> ceilings{};
  std::vector<RooflineRow> rows{};
  std::vector<std::string> notes{};

  [[nodiscard]] const Ceiling* ceiling(std::string_view name) const {
    for (const auto& one : ceilings)
      if (one.name == name) return &one;
    return nullptr;
  }
  /// Operations a second that the memory's slope (L2's, where memory does not bound the row) and the row's flat roof
  /// let through at that intensity.
  [[nodiscard]] double roof_over(const RooflineRow& row) const;
  [[nodiscard]] std::string operation() const { return of_instructions ? "warp instruction" : "operation"; }
  [[nodiscard]] std::string rate_unit() const { return of_instructions ? "warp instr./s" : "FLOP/s"; }
};

/// Slope and flat roofs have these units.
constexpr double kGiga = 1e9;

[[nodiscard]] std::string roofline_table(const Roofline& roofline, const Style& style);
[[nodiscard]] std::string roofline_json(const Roofline& roofline);
[[nodiscard]] std::string roofline_page(const Roofline& roofline);
[[nodiscard]] std::string roofline_svg(const Roofline& roofline, bool headed = true);
/// Writes --image FILE.svg or FILE.png. Throws usage_error where it cannot.
void write_roofline(const std::string& file, const Roofline& roofline);

/// "12.3 T", "850 G", "0.25": three digits and a prefix.
[[nodiscard]] std::string si_text(double value);

}  // namespace gpulab
