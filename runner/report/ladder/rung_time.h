#pragma once
// A rung's time beside that of the rung that it is built on: measured ones, else modelled ones, and how sure the model
// is of which is the faster one.

#include <string>

#include "runner/case/result.h"

namespace gpulab {

/// Modelled times nearer than this are called the same: of such pairs four of five measured ones lie within 1.15 times.
constexpr double kAboutTheSame = 1.05;
/// Nearer than this they come with "probably": of pairs from kAboutTheSame on, a GPU has six of seven in this order, of
/// those further apart 98 of 100 (tests/timing/README.md).
constexpr double kToldApart = 1.15;

/// The same of a GPU that nobody has compared the model with.
constexpr double kEstimatesToldApart = 1.5;
/// What is busy for less of the time bounds nothing alone.
constexpr double kSaturated = 0.6;

/// Timed on a GPU: the only time that is measured.
[[nodiscard]] bool is_measured(const Result& result);

/// "against hillis_steele: from 61.2 µs to 52 µs, as modelled (1.18 times as fast); bound by issue (busy 68% of the
/// time), as before". Empty where the times of both are not known in the same way.
[[nodiscard]] std::string time_change(const Result& now, const Result& before);
/// "dram_bandwidth (busy 90% of the time)", "latency (warps spend 62% of their time waiting for global memory)".
[[nodiscard]] std::string bound_text(const ModelledTime& model);
/// "against naive_col: from 20.2 µs to 32 µs, as modelled (1.58 times as long)".
[[nodiscard]] std::string time_beside(const Result& now, const Result& other);
/// For rungs whose counters are alike: "in the machine code, as modelled, shared memory is busy for 36.3 µs, before
/// for 23.5 µs", the unit of which this changes most; empty where none changes by 1.15 times.
[[nodiscard]] std::string busy_change(const Result& now, const Result& before);

}  // namespace gpulab
