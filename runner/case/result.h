#pragma once
// The record of one case: the only thing that reports see. Mirrors gpulab.run.v1; absent knowledge is absent.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/commentary.h"
#include "common/counters.h"
#include "common/device/device.h"
#include "common/dim3.h"
#include "common/enum_text.h"
#include "common/finding.h"
#include "common/line_counts.h"
#include "common/occupancy.h"
#include "common/simt/timing/modelled_time.h"

namespace gpulab {

struct Mismatch {
  std::uint64_t index = 0;
  std::variant<std::int64_t, std::uint64_t, double> got, expected;
};

enum class VerificationStatus : std::uint8_t { not_run, passed, failed };
constexpr std::array<std::string_view, 3> words_of(VerificationStatus) { return {"not_run", "passed", "failed"}; }

struct Verification {
  VerificationStatus status = VerificationStatus::not_run;
  double max_abs_error = 0, max_rel_error = 0, tolerance = 0;
  std::uint64_t mismatch_count = 0;
  std::vector<Mismatch> mismatches;  ///< the first few
  std::string note;
};

/// none: nothing was timed, as on the simulator; cpu_wall: of a variant that runs on the host.
enum class TimeSource : std::uint8_t { none, cuda_events, cpu_wall };
constexpr std::array<std::string_view, 3> words_of(TimeSource) { return {"none", "cuda_events", "cpu_wall"}; }
/// Of the L2 cache before each sample: flushed, or as the sample before left it.
enum class CacheState : std::uint8_t { cold, warm };
constexpr std::array<std::string_view, 2> words_of(CacheState) { return {"cold", "warm"}; }

/// Why sampling ended. count: as many as were asked for; noise: quiet enough; entropy: further samples bring nothing
/// new; patience: neither, but it has taken long.
enum class StoppedBy : std::uint8_t { count, noise, entropy, patience };
constexpr std::array<std::string_view, 4> words_of(StoppedBy) { return {"count", "noise", "entropy", "patience"}; }

/// Samples that were taken again.
struct Discarded {
  std::string reason;  ///< "power cap", "low clock"
  int samples = 0;
};

struct Timing {
  TimeSource source = TimeSource::none;
  std::optional<CacheState> mode{};  ///< of a GPU's samples
  int samples = 0;
  double min_ms = 0, q1_ms = 0, median_ms = 0, q3_ms = 0, mean_ms = 0, stddev_ms = 0;
  // Of a GPU's samples.
  std::vector<double> samples_ms{};  ///< all of them, in the order in which they were taken
  bool in_turn = false;              ///< with those of the other of two kernels (measuring/in_turn.h)
  std::vector<double> sm_mhz{};      ///< the SMs' clock beside each; empty where it could not be read
  std::optional<StoppedBy> stopped_by{};
  std::vector<Discarded> discarded{};
  std::string throttled{};          ///< why the clock was held back beside some that were kept; empty: beside none
  std::string throttling_unseen{};  ///< why nobody knows; empty: it was looked for
};

struct LaunchFacts {
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::optional<std::uint64_t> static_shared_bytes, local_bytes;
  std::optional<int> registers_per_thread;
  int launches = 1;  ///< kernels launched by one run of the variant
  /// Where ptxas no longer knows the architecture: registers on the nearest one that it knows (75 for 7.5).
  std::optional<int> estimated_registers{}, estimated_for{};
};

/// How a counter or metric stands against another rung of the ladder.
struct RungChange {
  std::string counter;  ///< flat name
  std::string than;     ///< the variant that it is compared with
  double before = 0, now = 0;
  std::string unit;              ///< "ratio", "" for counts, a metric's own
  bool gain = true;              ///< else it costs
  std::optional<double> each{};  ///< now, per request, of what requests cost
};

/// Elements of a buffer that were asked for by name: from the first on.
struct BufferSlice {
  std::uint64_t from = 0;
  std::vector<decltype(Mismatch::got)> values;
};

/// What a buffer held after a kernel of the user's own file.
struct BufferFacts {
  std::string name, type;  ///< "f32"
  std::uint64_t count = 0;
  std::vector<decltype(Mismatch::got)> first;  ///< values, a few
  std::string fnv1a64;                         ///< of its bytes, 16 hex digits
  std::vector<BufferSlice> slices;             ///< of --show, in the order given
};

/// What became of a case. wrong: its answer; finding: a tool's, of an answer that is right; skipped: it cannot run
/// here.
enum class CaseStatus : std::uint8_t { ok, wrong, finding, fault, hung, timeout, skipped, interrupted, error };
constexpr std::array<std::string_view, 9> words_of(CaseStatus) {
  return {"ok", "wrong", "finding", "fault", "hung", "timeout", "skipped", "interrupted", "error"};
}

struct Result {
  std::string variant, kernel;
  CaseStatus status = CaseStatus::ok;
  std::string message;
  bool racy = false;                                       ///< the variant races on purpose: its answer may be wrong
  bool needs_clock = false;                                ///< its point is time, and the device has none of its own
  std::string summary;                                     ///< the variant's one line, for the table
  std::vector<std::pair<std::string, ParamValue>> params;  ///< declaration order, then seed
  std::optional<LaunchFacts> launch;
  std::optional<Occupancy> occupancy;
  std::optional<Spread> spread;  ///< over the GPU's SMs
  std::optional<Verification> verification;
  std::optional<Timing> timing;
  std::optional<double> simulation_ms;  ///< what simulating took on this machine, which is no GPU's time
  std::optional<ModelledTime> model;    ///< how long it would take on the GPU that the simulator models
  std::string model_unavailable;        ///< why there is none, where somebody asked
  std::vector<Metric> metrics;
  std::vector<std::string> notes;  ///< what the lab says of the case, as Commentary::lines
  std::optional<Curve> curve;
  std::optional<Picture> picture;
  std::string built_on;             ///< the rung of the same run that it is compared with; empty: none
  std::string would_build_on;       ///< the one that did not run, and so is no built_on
  std::vector<RungChange> changes;  ///< against that one, or another; of runs of several variants
  std::optional<Counters> counters;
  /// Where counters come from a smaller case simulated beside a GPU: its parameters. Empty: from this case.
  std::vector<std::pair<std::string, ParamValue>> counters_params;
  std::vector<Finding> findings;
  std::string output;                ///< what the kernel printed, as much as is kept
  std::uint64_t output_cut = 0;      ///< bytes that it printed beyond that
  std::uint64_t work = 0;            ///< warp instructions of launches that ended, on the simulator
  std::vector<LaunchLines> lines;    ///< of `gpulab explain`: each launch by source line
  std::shared_ptr<StepTrace> steps;  ///< of `gpulab trace`: one launch, step by step
  std::vector<BufferFacts> buffers;  ///< of `gpulab run`
  /// Of a trial: what each buffer holds afterwards.
  std::vector<std::pair<std::string, std::vector<std::byte>>> contents;
};

/// The size from which on a variant is faster than the host's.
struct BreakEven {
  enum class Where : std::uint8_t { below, between, above };
  std::string variant, param;
  std::int64_t below = 0, above = 0;  ///< neighbours of the sweep that it lies between
  std::optional<double> at;           ///< where between them
  Where where = Where::between;       ///< else: below or above all that was measured
};

/// A whole run: the header of gpulab.run.v1 and its results.
struct Run {
  DeviceInfo device;
  std::string lab;
  std::vector<Result> results;
  std::string file{};                  ///< of `gpulab run`; empty for labs
  std::string toolkit{};               ///< that compiled it, "13.0"; empty: this build's, or unknown
  std::string baseline{};              ///< the variant that speed-ups refer to; empty: none
  std::vector<std::string> subject{};  ///< as Lab::subject
  std::vector<std::string> metrics{};  ///< that the reader asked for (--metrics), by our names; empty: all
  std::vector<BreakEven> break_evens{};
};

}  // namespace gpulab
