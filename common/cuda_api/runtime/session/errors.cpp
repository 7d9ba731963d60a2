// What went wrong: launches that failed or cannot be, findings of the host's calls, what there is not.

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "common/cuda_api/runtime/failures/driver_words.h"
#include "common/cuda_api/runtime/host/host_pointers.h"
#include "common/cuda_api/runtime/host/remedies.h"
#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {

cudaError_t Session::error_of(const LaunchError& error) {
  const std::string_view what = error.what();
  if (error.kind == LaunchFailure::hung) return cudaErrorLaunchTimeout;
  if (error.kind == LaunchFailure::out_of_memory) return cudaErrorMemoryAllocation;
  if (what.starts_with("assertion ")) return cudaErrorAssert;
  if (what.starts_with("misaligned ")) return cudaErrorMisalignedAddress;
  if (what.starts_with("illegal tensor copy")) return cudaErrorIllegalInstruction;
  if (what.find(" the shared memory of ") != std::string_view::npos) return cudaErrorLaunchFailure;  // a sibling's
  if (what.starts_with("out-of-bounds ") || what.starts_with("stack overflow: ")) return cudaErrorIllegalAddress;
  return cudaErrorLaunchFailure;
}

cudaError_t Session::surface() {
  if (pending_ == cudaSuccess) return sticky_;
  sticky_ = std::exchange(pending_, cudaSuccess);
  for (auto& fault : record.faults) fault.seen |= fault.failure != kRefused;
  return sticky_;
}

void Session::looked() {
  Failures::looked(record);
  for (auto& fault : record.faults) fault.seen |= fault.failure == kRefused;
}

Finding* Session::new_finding(const std::string& key) {
  const auto [known, fresh] = findings_.emplace(key, record.findings.size());
  if (!fresh) {
    ++record.findings[known->second].count;
    return nullptr;
  }
  if (record.findings.size() >= kMostFindings) {
    findings_.erase(known);
    return nullptr;
  }
  return &record.findings.emplace_back();
}

void Session::find(const std::string& message, Severity severity, void* caller, const char* tool) {
  Finding* const finding = new_finding(message);
  if (finding == nullptr) return;
  finding->tool = tool;
  finding->severity = severity;
  finding->message = caller == nullptr ? message : fmt::format("{} (called by {})", message, place_in_program(caller));
}

void Session::brought(const char* function, std::uint64_t to, std::size_t bytes, void* caller) {
  const MemoryEntry* entry = initcheck_ ? memory.holding(to) : nullptr;
  if (entry != nullptr) partial_copies.add(*entry, function, bytes, [&] { return place_in_program(caller); });
}

void Session::taken(const char* function, std::uint64_t from, const Rows& rows, void* caller) {
  if (!initcheck_ || !record.faults.empty()) return;  // what a launch would have written that failed is not told twice
  const MemoryEntry* entry = memory.holding(from);
  const WritingLaunch* launch = entry == nullptr ? nullptr : writing.of(*entry);
  if (launch == nullptr) return;
  const std::uint64_t offset = from - entry->address;
  std::vector<Stretch> unwritten;  // as if the rows lay without gaps
  for (std::size_t row = 0; row < rows.count && unwritten.size() < kMostGaps; ++row)
    for (const auto& range : device().never_written(from + row * rows.pitch_from, rows.bytes)) {
      const Stretch gap{offset + row * rows.bytes + range.offset, range.bytes};
      if (!unwritten.empty() && unwritten.back().end() == gap.offset)
        unwritten.back().bytes += gap.bytes;
      else
        unwritten.push_back(gap);
    }
  const auto result = unwritten_result({function, entry->name, {offset, rows.bytes * rows.count}, unwritten}, *launch);
  if (!result) return;
  find(result->message, result->severity, caller, "initcheck");
}

void Session::find_unordered(const std::string& pair, const std::string& message, Severity severity) {
  Finding* const finding = new_finding("unordered\n" + pair);
  if (finding == nullptr) return;
  finding->tool = "streamcheck";
  finding->severity = severity;
  finding->message = message;
  place_allocations(message);
}

void Session::asks_for_gpu(int gpu) {
  constexpr int most = 8;
  if (gpu < most)
    note(fmt::format("the program asks for device {} and has {}: --gpus {} gives it more", gpu,
                     options.gpus == 1 ? "one GPU" : fmt::format("{} GPUs", options.gpus), gpu + 1));
}

void Session::note(const std::string& text) {
  if (std::ranges::find(record.notes, text) == record.notes.end() && record.notes.size() < kMostFindings)
    record.notes.push_back(text);
}

void Session::refuse(const std::string& what, void* caller, const std::string& hint) {
  print();
  std::fflush(nullptr);
  record.unsupported = UnsupportedRecord{what, place_in_program(caller), hint};
  write_record(false);
  if (options.record.empty())
    fmt::print(stderr, "gpulab: unsupported: {}, called by {}\n", what, record.unsupported->caller);
  _exit(static_cast<int>(ExitCode::missing));
}

void Session::hang(const std::string& function, const std::string& what, const std::string& hint, void* caller) {
  print();
  std::fflush(nullptr);
  FaultRecord& fault = record.faults.emplace_back();
  fault.failure = to_text(LaunchFailure::hung);
  fault.kernel = function;
  fault.what = what;
  fault.hint = hint;
  fault.caller = place_in_program(caller);
  write_record(false);
  if (options.record.empty()) fmt::print(stderr, "gpulab: {} hangs: {}\n", function, what);
  _exit(static_cast<int>(ExitCode::launch_failed));
}

void Session::refuse(const Error& error, void* caller) {
  std::string what = error.what();
  if (!error.where.empty()) what += fmt::format(" ({})", error.where);
  refuse(what, caller, error.hint);
}

cudaError_t Session::refuse_launch(const Refusal& refusal, const LoadedFunction& kernel, const LaunchRequest& request) {
  failures.is_told();
  if (request.shared_bytes > 0) failures.attribute_was_needed(record);
  const auto same = [&](const FaultRecord& fault) {
    return fault.failure == kRefused && fault.kernel == kernel.name && !fault.seen;
  };
  const auto known = std::ranges::find_if(record.faults, same);
  if (known != record.faults.end()) ++known->count;
  if (known != record.faults.end() || record.faults.size() >= kMostFindings) return refusal.error;
  FaultRecord& fault = record.faults.emplace_back();
  fault.failure = kRefused;
  fault.kernel = kernel.name;
  fault.what = "a launch that cannot be: " + refusal.why + "; the kernel did not run";
  fault.hint = (refusal.remedy.empty() ? "" : refusal.remedy + "; ") +
               (request.called == nullptr ? "check cudaGetLastError() behind each launch"
                                          : fmt::format("check what {} returns", request.called));
  if (request.called != nullptr) fault.function = request.called;
  fault.launch = launches_ + 1;
  fault.grid = request.grid;
  fault.block = request.block;
  fault.error = error_name(request.called, refusal.error);
  fault.caller = place_in_program(request.caller);
  return refusal.error;
}

void Session::fail(const LaunchError& error, const LaunchRequest& request, const LoadedFunction& kernel) {
  pending_ = error_of(error);
  FaultRecord& fault = record.faults.emplace_back();
  fault.failure = to_text(error.kind);
  fault.kernel = kernel.name;
  fault.what = error.what();
  fault.where = error.where;
  fault.hint = error.hint;
  const auto is_shared = [](const auto& one) { return one.second.host_may_touch(); };
  const bool hung = error.kind == LaunchFailure::hung;
  if (hung && request.beside)
    fault.hint += "; nobody is left to write what it polls: all threads of the program wait for it, or have ended";
  else if (hung && std::ranges::any_of(memory.all(), is_shared))
    fault.hint += "; what the host writes while a kernel runs is seen by volatile reads and atomics alone";
  if (hung && !request.beside && request.stream != nullptr && !may_run_beside(kernel, request))
    fault.hint += "; a kernel that waits for one of another stream never ends here, where launches run one by one";
  fault.launch = launches_;
  fault.grid = request.grid;
  fault.block = request.block;
  fault.error = error_name(request.called, pending_);
  // racecheck may look through thousands of hand-overs for one access: such a launch ends, of a smaller problem.
  const bool used_up = error.kind == LaunchFailure::hung && fault.what.find(" warp instructions") != std::string::npos;
  if (used_up && !options.sanitize.empty())
    fault.hint += "; what --sanitize looks up counts, too: fewer tools or a smaller problem take less";
  const std::uint64_t address = address_in(fault.what);
  const auto pointer = host_pointer(*this, address, request, kernel);
  fault.what = with_owner(std::move(fault.what), pointer);
  if (!pointer.hint.empty())
    fault.hint = pointer.hint;
  else if (const MemoryEntry* freed = memory.freed(address))
    fault.hint = fmt::format("'{}' was allocated at {} and freed at {}", freed->name, freed->caller, freed->freed_by);
  else if (auto remedy = remedy_for(*this, fault, request, kernel); !remedy.empty())
    fault.hint = std::move(remedy);
  else
    place_allocations(fault.what);
  fault.caller = place_in_program(request.caller);
}

}  // namespace gpulab::cuda_api
