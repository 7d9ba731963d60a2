// What a session tells of itself: files that our process reads when the program has ended.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "common/cuda_api/runtime/host/clock/host_clock.h"
#include "common/cuda_api/runtime/processes/shared_files.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/steps_record.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::size_t kMostLeaks = 20;

void write_file(const std::string& name, const std::string& text) {
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(file, text.data() + done, text.size() - done);
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  close(file);
}

}  // namespace

void Session::place_allocations(const std::string& text) {
  for (const auto& [address, entry] : memory.all()) {
    const auto at = entry.caller.empty() ? std::string::npos : text.find(entry.name);
    if (at == std::string::npos) continue;
    const auto end = at + entry.name.size();
    if (end == text.size() || text[end] < '0' || text[end] > '9') record.allocations[entry.name] = entry.caller;
  }
}

void Session::write_record(bool complete) {
  if (options.record.empty() || is_copy_of_process()) return;  // what a copy has done cannot be told from the other's
  record.complete = complete;
  if (complete) tell_what_is_unprinted();
  const bool asked = record.calls.contains("cudaGetDeviceCount") || record.calls.contains("cuDeviceGetCount");
  if (complete && options.gpus == 1 && asked && launches_ == 0 && memory.changes() == 0)
    note("the program read that there is one GPU, and launched and allocated nothing: --gpus 2 gives it more");
  if (!far_memory_[2].empty())
    note(fmt::format(
        "times of kernels take another GPU's memory ({}) for their own GPU's; a GPU would reach it by its link",
        far_memory_[2]));
  if (host_clock::was_read() || record.calls.contains("cudaEventElapsedTime")) note_far_memory();
  if (host_clock::was_read())
    note(
        "the program's clocks (clock_gettime, gettimeofday, clock, chrono) go by modelled time and the host's own "
        "work; "
        "--real-clock gives the machine's");
  record.leaks.clear();
  record.leaked_bytes = record.leaks_cut = 0;
  for (const auto& [address, entry] : memory.all()) {
    if (entry.kind == MemoryEntry::Kind::registered || entry.variable) continue;
    record.leaked_bytes += entry.bytes;
    if (record.leaks.size() < kMostLeaks)
      record.leaks.push_back({entry.bytes, entry.name, entry.caller});
    else
      ++record.leaks_cut;
  }
  const bool of_several = options.record.ends_with('.');  // each process writes its own
  write_file(options.record + (of_several ? std::to_string(getpid()) : ""), encode(record));
}

void Session::write_steps(const LaunchRequest& request, const std::vector<Finding>& findings) {
  const auto steps = device().take_steps();
  if (!steps) return;
  StepsRecord kept{std::move(*steps), modules.at(request.function->module).ptx, findings};
  kept.steps.launch = options.steps->launch;
  write_file(options.steps_file, encode(std::move(kept)));
}

}  // namespace gpulab::cuda_api
