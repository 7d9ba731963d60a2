#include "runner/program/results/judged_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace gpulab {
namespace {

using cuda_api::CallFailure;

/// Of a GPU, perhaps: here all is ready.
bool is_not_ready(const std::string& error) { return error == "cudaErrorNotReady" || error == "CUDA_ERROR_NOT_READY"; }

/// Parts of the names of functions that a program may try, and go on as well without.
constexpr std::array may_be_tried{"PeerAccess",     "CacheConfig",    "SharedMemConfig", "SetLimit", "GetLimit",
                                  "HostRegister",   "HostUnregister", "MemAdvise",       "Prefetch", "Destroy",
                                  "SetDeviceFlags", "SetDevice",      "FuncSetAttribute"};

Severity severity_of(const CallFailure& failure) {
  if (failure.launch_failed) return Severity::error;
  if (is_not_ready(failure.error)) return Severity::warning;
  const bool tried = std::ranges::any_of(
      may_be_tried, [&](const char* part) { return failure.function.find(part) != std::string::npos; });
  const bool frees = failure.function.starts_with("cudaFree") || failure.function.starts_with("cuMemFree");
  return tried || (frees && !failure.certain) ? Severity::warning : Severity::error;
}

/// "main.cu:12", and no address.
bool is_line(const std::string& place) {
  const auto colon = place.rfind(':');
  return colon != std::string::npos && colon + 1 < place.size() &&
         std::all_of(place.begin() + static_cast<std::ptrdiff_t>(colon) + 1, place.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

std::string message_of(const CallFailure& failure, const char* who_knows, const std::string& remedy) {
  return fmt::format("{}: {} (called by {}; {}, {}){}{}", failure.function,
                     failure.why.empty() ? failure.error_text : failure.why, failure.caller, failure.error, who_knows,
                     remedy.empty() ? "" : "; ", remedy);
}

/// Of what a program may try, and of memory that is not there, it needs no word: it looked.
bool is_worth_a_note(const CallFailure& failure) {
  if (is_not_ready(failure.error)) return true;
  return !failure.why.empty() && severity_of(failure) == Severity::error &&
         failure.error != "cudaErrorMemoryAllocation" && failure.error != "CUDA_ERROR_OUT_OF_MEMORY";
}

}  // namespace

void judge_calls(cuda_api::Record& record, const std::optional<DroppedResults>& dropped) {
  const auto is_dropped = [&](const std::string& function, const std::string& place) {
    return dropped && dropped->holds(function, place);
  };
  for (auto& fault : record.faults)
    if (fault.failure == cuda_api::kRefused && !fault.function.empty() && !is_dropped(fault.function, fault.caller))
      fault.seen = true;
  std::set<std::uint64_t> told;  // chains: of what comes of their first error nothing more is said
  for (const auto& failure : record.failures) {
    if (failure.follows && told.contains(failure.chain)) continue;
    Finding finding;
    finding.tool = "api";
    finding.count = failure.count;
    const bool is_known = dropped && is_line(failure.caller);
    if (!failure.looked && is_dropped(failure.function, failure.caller)) {
      finding.severity = severity_of(failure);
      const auto check = fmt::format("check what {} returns", failure.function);
      finding.message =
          message_of(failure, "which the program did not look at", failure.remedy.empty() ? check : failure.remedy);
      if (finding.severity == Severity::error) told.insert(failure.chain);
    } else if (!is_known && failure.certain && !failure.looked) {
      finding.message = message_of(failure, "which the call returned", failure.remedy);
      told.insert(failure.chain);
    } else if (is_worth_a_note(failure)) {
      finding.severity = Severity::note;
      finding.message = message_of(failure, failure.looked ? "which the program was told" : "which the call returned",
                                   failure.remedy);
    } else {
      continue;
    }
    record.findings.push_back(std::move(finding));
  }
}

}  // namespace gpulab
