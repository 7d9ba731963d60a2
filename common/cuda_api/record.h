#pragma once
// What the runtime tells `gpulab exec` of a program: written as JSON by the program's own process, read by ours. Both
// are of one build: there are no versions. It is a stranger's word, for the program can change whatever its process
// holds.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/counters.h"
#include "common/dim3.h"
#include "common/finding.h"
#include "common/line_counts.h"
#include "common/simt/timing/modelled_time.h"
#include "common/trace/trace_window.h"

namespace gpulab::cuda_api {

/// How the runtime is to simulate; the value of `kOptionsVariable` in the program's environment, as JSON.
struct Options {
  std::string profile = "h200";
  std::string record;  ///< the file to write; empty: none
  int threads = 0;     ///< 0: all
  std::uint64_t budget = 0, schedule = 0;
  bool counters = true, model = true;
  bool trace = false;             ///< keep each launch and copy
  bool each = false;              ///< keep the counters and the modelled time of each launch
  bool lines = false;             ///< count by source line, too
  bool repeats = true;            ///< leave out launches that would do again what an earlier one has done
  std::uint64_t host_memory = 0;  ///< that the program may take; 0: what there is
  bool old_cuda = false;          ///< symbols may be named by strings
  int gpus = 1;                   ///< that the program has, of one kind
  bool real_clock = false;        ///< the program reads the machine's clocks as they are
  std::vector<std::string> sanitize;
  std::optional<TraceWindow> steps;  ///< of this launch of the program, what warps do: a StepsRecord in `steps_file`
  std::string steps_file;
};
inline constexpr const char* kOptionsVariable = "GPULAB_EXEC";

/// Launches of one kernel.
struct KernelRecord {
  std::string name;      ///< "add(float const*, float const*, float*, int)"
  std::string cpp_name;  ///< "add"
  std::uint64_t launches = 0;
  std::uint64_t repeats = 0;    ///< of these, not run: an earlier one had done the same (Options::repeats)
  std::uint64_t uncounted = 0;  ///< run, but not counted: earlier ones had counted the same
  /// Some polled what the host writes, and ran beside it: its counters depend on how long it waited.
  bool beside_host = false;
  Dim3 grid, block;  ///< of the first
  std::uint64_t shared_bytes = 0;
  std::optional<int> registers;
  std::string caller;  ///< of the first launch
  Counters counters;   ///< of all
  bool counted = false;
  double ms = 0, least_ms = 0, most_ms = 0;  ///< of modelled time, or of what stands for it
  bool modelled = false;                     ///< all launches are
  std::optional<ModelledTime> model;         ///< of the launch that takes the most time; its ms are those of one launch
  std::string model_unavailable;
  std::vector<Finding> findings;
  std::vector<Counters> each;                           ///< of the first launches, where asked for
  std::vector<std::optional<ModelledTime>> each_model;  ///< of the same launches
  std::optional<LaunchLines> lines;  ///< of the launch that takes the most time, where asked for; without its text
};

/// A launch, a copy or a fill, for traces.
struct Activity {
  std::string what;          ///< the kernel's name, "[CUDA memcpy HtoD]"
  std::uint64_t number = 0;  ///< of the launch, from 1; 0: none
  double start_ms = 0, ms = 0;
  Dim3 grid{0, 0, 0}, block{0, 0, 0};
  std::uint64_t shared_bytes = 0, bytes = 0;
  std::optional<int> registers;
  std::uint32_t stream = 0;  ///< of its GPU's
  std::string caller{};      ///< of a launch, as FaultRecord's
  int gpu = 0;               ///< of several
};

/// Copies or fills of one kind.
struct CopyRecord {
  std::uint64_t calls = 0, bytes = 0;
  double ms = 0, least_ms = 0, most_ms = 0;
};

/// Calls of one function of a library, of one shape.
struct LibraryRecord {
  std::string name, shape;  ///< "cublasSgemm", "64 x 64 x 64"
  std::uint64_t calls = 0;
  double operations = 0;                     ///< of all calls, as `bytes`
  std::uint64_t bytes = 0;                   ///< read and written, each once a call
  double ms = 0, least_ms = 0, most_ms = 0;  ///< estimated, of all; of one
  std::string caller;                        ///< of the first, as FaultRecord's
};

struct CallRecord {
  std::uint64_t calls = 0, bytes = 0;
};

/// A place in the program that copies, allocates or frees, where asked for (Options::lines).
struct CallSite {
  std::string function, caller;  ///< "cudaMemcpy", and where as FaultRecord's
  std::string direction;         ///< of copies: "HtoD"
  std::uint64_t calls = 0, bytes = 0;
  double ms = 0, pinned_ms = 0;  ///< of copies: modelled, and what they would take with pinned memory
  std::uint64_t pageable = 0;    ///< calls with memory of the host that is not pinned
  std::uint64_t repeated = 0;    ///< calls with the addresses and bytes of the one before
  std::uint64_t needless = 0;    ///< calls that brought the device what lay there already
  /// Calls behind a launch since the one before; of allocations, behind a free, too.
  std::uint64_t behind_launch = 0;
  std::uint64_t device = 0;  ///< of the last copy: the address of the device's side
};

/// Two readings of a clock of the host's around launches that nobody waited for.
struct ClockRecord {
  std::string from, to;        ///< where the clock was read, as FaultRecord::caller
  std::string kernel, launch;  ///< the last one launched between, and where
  std::uint64_t times = 0;
  double ms = 0;  ///< modelled, of the launches between
};

constexpr std::string_view kRefused = "refused";  ///< FaultRecord::failure: of a shape that cannot be

/// A launch that failed.
struct FaultRecord {
  std::string failure;  ///< "fault", "hung", "out_of_memory", "refused"
  std::string kernel, what, where, hint;
  std::uint64_t launch = 0;  ///< the how-manieth of the program
  Dim3 grid, block;
  std::string error;  ///< "cudaErrorIllegalAddress"
  bool seen = false;  ///< the program has been told
  /// Where it was launched: "program+0x12f4", behind < who called that; where the program says lines, one.
  std::string caller;
  std::string function{};   ///< that the program called to launch, whose result it may look at; empty: <<<>>>
  std::uint64_t count = 1;  ///< of such launches, refused one after the other
};

/// A call that gave an error: once for each place in the program.
struct CallFailure {
  std::string function;           ///< "cudaMemcpy"
  std::string error, error_text;  ///< "cudaErrorInvalidValue", "invalid argument"
  std::string why, remedy;        ///< in words; empty where the function says nothing
  std::string caller;             ///< as FaultRecord's
  std::uint64_t count = 1;
  /// The same for failures of one thread that no cudaGetLastError stands between.
  std::uint64_t chain = 0;
  bool follows = false;        ///< it is what comes of an earlier one, if there was one: a pointer that is null
  bool looked = false;         ///< at the last of them, by cudaGetLastError or cudaPeekAtLastError
  bool certain = false;        ///< no program does so on purpose: memory that is not there, or not the program's
  bool launch_failed = false;  ///< the launch that an attribute was set for
};

/// What the program asked for that there is not.
struct UnsupportedRecord {
  std::string what, caller, hint;
};

struct LeakRecord {
  std::uint64_t bytes = 0;
  std::string name, caller;
};

struct Record {
  std::string gpu;
  std::vector<KernelRecord> kernels;
  std::map<std::string, CopyRecord> copies;
  std::vector<LibraryRecord> libraries;
  std::map<std::string, CallRecord> calls;
  std::vector<CallSite> sites;
  std::vector<ClockRecord> clocks;
  std::vector<Activity> activities;
  std::uint64_t activities_cut = 0;  ///< that are not kept
  std::vector<FaultRecord> faults;
  std::vector<Finding> findings;                   ///< of the host's calls
  std::vector<CallFailure> failures;               ///< in the order of the first of each
  std::map<std::string, std::string> allocations;  ///< that findings and faults name: where they were made
  std::vector<LeakRecord> leaks;
  std::uint64_t leaked_bytes = 0, leaks_cut = 0;
  std::optional<UnsupportedRecord> unsupported;
  std::vector<std::string> notes;
  std::string crash;      ///< what is known of a signal that ended the program
  bool complete = false;  ///< the program came to its end
};

struct StepsRecord;  // steps_record.h

/// As one line.
[[nodiscard]] std::string encode(const Options& options);
[[nodiscard]] std::string encode(const Record& record);
/// Throw Error (missing) for what encode() has not made.
[[nodiscard]] Options decode_options(std::string_view text);
[[nodiscard]] Record decode_record(std::string_view text);

}  // namespace gpulab::cuda_api
