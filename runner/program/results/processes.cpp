#include "runner/program/results/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;
using cuda_api::Record;

constexpr std::size_t kMostProcesses = 1000;

/// Behind the first, in the order of their numbers, which is mostly that in which they were started.
std::vector<pid_t> processes_of(const fs::path& file, pid_t first) {
  std::vector<pid_t> found;
  const std::string begin = file.filename();
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(file.parent_path(), failed)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(begin)) continue;
    pid_t number = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + begin.size(), end, number);
    if (error == std::errc{} && stop == end) found.push_back(number);
  }
  std::ranges::sort(found, {}, [&](pid_t one) { return std::pair(one != first, one); });
  if (found.size() > kMostProcesses) found.resize(kMostProcesses);
  return found;
}

template <typename T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Of `one` and `more`, which are of one kind.
void add_times(auto& one, const auto& more) {
  one.ms += more.ms;
  one.least_ms = std::min(one.least_ms, more.least_ms);
  one.most_ms = std::max(one.most_ms, more.most_ms);
}

void add_kernel(Record& all, cuda_api::KernelRecord& kernel) {
  const auto same = std::ranges::find_if(all.kernels, [&](const auto& one) {
    return one.name == kernel.name && one.grid == kernel.grid && one.block == kernel.block &&
           one.caller == kernel.caller && one.counted == kernel.counted && one.modelled == kernel.modelled;
  });
  if (same == all.kernels.end()) {
    all.kernels.push_back(std::move(kernel));
    return;
  }
  same->launches += kernel.launches;
  same->repeats += kernel.repeats;
  same->uncounted += kernel.uncounted;
  same->beside_host |= kernel.beside_host;
  same->counters += kernel.counters;
  if (kernel.most_ms > same->most_ms) {  // both are of the launch that takes the most time
    same->model = std::move(kernel.model);
    same->lines = std::move(kernel.lines);
  }
  add_times(*same, kernel);
  append(same->findings, kernel.findings);
  append(same->each, kernel.each);
  append(same->each_model, kernel.each_model);
}

/// The first of a name in each process has that name: where two were made at two places, neither is told.
void add_allocations(Record& all, const Record& other) {
  for (const auto& [name, place] : other.allocations) {
    const auto [known, fresh] = all.allocations.emplace(name, place);
    if (!fresh && known->second != place) known->second.clear();
  }
}

void add(Record& all, Record& other, std::size_t number) {
  const std::string who = fmt::format(" (in process {} of the program)", number);
  for (auto& fault : other.faults) fault.what += who;
  for (auto& finding : other.findings) finding.message += who;
  if (!other.crash.empty()) {
    Finding crash;
    crash.tool = "api";
    crash.severity = Severity::error;
    crash.message = other.crash + who;
    other.findings.push_back(std::move(crash));
  }
  for (auto& failure : other.failures) failure.chain += number << 32;  // chains are of one process
  for (auto& kernel : other.kernels) add_kernel(all, kernel);
  for (const auto& [what, copies] : other.copies) {
    const auto [known, fresh] = all.copies.emplace(what, copies);
    if (fresh) continue;
    known->second.calls += copies.calls;
    known->second.bytes += copies.bytes;
    add_times(known->second, copies);
  }
  for (const auto& [name, calls] : other.calls) {
    all.calls[name].calls += calls.calls;
    all.calls[name].bytes += calls.bytes;
  }
  append(all.libraries, other.libraries);
  append(all.sites, other.sites);
  append(all.clocks, other.clocks);
  append(all.faults, other.faults);
  append(all.findings, other.findings);
  append(all.failures, other.failures);
  append(all.leaks, other.leaks);
  all.leaked_bytes += other.leaked_bytes;
  all.leaks_cut += other.leaks_cut;
  add_allocations(all, other);
  if (!all.unsupported) all.unsupported = std::move(other.unsupported);
  if (!other.activities.empty())
    all.notes.emplace_back("traces show the process that was started, not those that it starts");
  for (auto& note : other.notes)
    if (std::ranges::find(all.notes, note) == all.notes.end()) all.notes.push_back(std::move(note));
}

}  // namespace

std::optional<Record> record_of_all(const fs::path& file, pid_t first) {
  std::optional<Record> all;
  std::size_t number = 0;
  for (const pid_t process : processes_of(file, first)) {
    Record record = cuda_api::decode_record(read_file(file.string() + std::to_string(process), "exec"));
    ++number;
    if (all)
      add(*all, record, number);
    else
      all = std::move(record);
  }
  return all;
}

}  // namespace gpulab
