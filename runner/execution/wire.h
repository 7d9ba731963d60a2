#pragma once
// Cases and results as one line of JSON and what bytes lie behind it (attached_bytes.h), between a process and its own
// worker (worker.h). Both ends are the same binary: there are no versions, and every field goes over. The JSON for the
// world is report/json.

#include <string>
#include <string_view>
#include <vector>

#include "common/device/device_kind.h"
#include "common/progress/launch_progress.h"
#include "labs/kernel_file.h"
#include "labs/lab.h"
#include "runner/case/result.h"
#include "runner/case/run_case.h"

namespace gpulab {

struct WireCase {
  std::string lab, variant;  ///< names in the registry
  Case point;
  RunOptions options;
  /// Of `gpulab run`: the lab is made of it. Absent: a lab of this build, or the file that was sent last.
  std::optional<KernelFile> file{};
  std::optional<Trial> trial{};    ///< launches of that file's kernel, in place of its own
  bool listens = false;            ///< wants to know what kernels print as it comes
  bool watches = false;            ///< wants to know how far launches are
  std::vector<WireCase> beside{};  ///< another, whose samples are taken in turn with this one's (in_turn.h); or none
};

/// A result, or why the worker can run nothing at all (no GPU: an Error that ends the run). Before it may come what
/// kernels print, one reply for each piece, and how far a launch is.
struct WireReply {
  std::optional<Result> result{};
  std::optional<Error> error{};
  std::optional<std::string> printed{};
  std::optional<LaunchProgress::Now> progress{};
  std::vector<std::string> texts{};  ///< decoded: what result->lines[i].text is to be a view of
  std::optional<Result> beside{};    ///< of WireCase::beside; without it the two are to be run one after the other
};

/// How the line of a reply begins that has `printed`, or `progress`.
inline constexpr std::string_view printed_reply = R"({"printed")", progress_reply = R"({"progress")";

[[nodiscard]] std::string encode(const WireCase& request);
[[nodiscard]] std::string encode(const WireReply& reply);
[[nodiscard]] std::string encode(const DeviceRequest& request);
/// Throw std::runtime_error for text that is not what encode() makes.
[[nodiscard]] WireCase decode_case(std::string_view line);
[[nodiscard]] WireReply decode_reply(std::string_view line);
[[nodiscard]] DeviceRequest decode_request(std::string_view line);

}  // namespace gpulab
