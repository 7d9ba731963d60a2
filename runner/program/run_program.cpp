#include "runner/program/run_program.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "common/child/child.h"
#include "common/child/interrupt.h"
#include "common/child/private_folder.h"
#include "common/cuda_api/steps_record.h"
#include "common/embedded.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/program/host_lines.h"
#include "runner/program/lent_libraries.h"
#include "runner/program/process/environment.h"
#include "runner/program/results/dropped_results.h"
#include "runner/program/results/judged_calls.h"
#include "runner/program/results/processes.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> readable_places(const ProgramRequest& request, const fs::path& own) {
  auto places = places_of_programs();
  places.emplace_back("/dev/tty");
  places.push_back(own);
  std::error_code failed;
  places.push_back(fs::canonical(request.program, failed).parent_path());
  // Files that the user names in its arguments, and what lies beside them.
  for (const auto& argument : request.arguments) {
    const auto path = fs::canonical(argument, failed);
    if (!failed && argument.find('/') != std::string::npos)
      places.push_back(fs::is_directory(path) ? path.string() : path.parent_path().string());
  }
  // A toolkit's own libraries, where the program was linked with one.
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH"))
    for (const auto& folder : split(libraries, ':'))
      if (!folder.empty()) places.push_back(folder);
  return places;
}

fs::path steps_file(const fs::path& record) { return record.string() + ".steps"; }

ChildPlan plan_for(const ProgramRequest& request, const fs::path& own, const fs::path& record,
                   const LentLibraries& lent) {
  ChildPlan plan{.command = {fs::absolute(request.program).string()}};
  plan.command.insert(plan.command.end(), request.arguments.begin(), request.arguments.end());
  plan.environment = environment_of_program(environ, request.given_back);
  auto options = request.options;
  options.record = record.string() + ".";  // each process writes its own
  if (options.steps) options.steps_file = steps_file(record);
  plan.environment->push_back(fmt::format("TMPDIR={}", own.string()));
  for (const auto& one : lent.environment) {  // in the place of what had that name: PATH, PYTHONPATH
    const auto name = one.substr(0, one.find('=') + 1);
    std::erase_if(*plan.environment, [&](const std::string& before) { return before.starts_with(name); });
    plan.environment->push_back(one);
  }
  plan.environment->push_back(fmt::format("{}={}", cuda_api::kOptionsVariable, encode(options)));
  if (!request.isolated) return plan;
  plan.confinement.emplace();
  plan.confinement->readable = readable_places(request, own);
  for (const auto* places : {&lent.readable, &request.readable})
    plan.confinement->readable.insert(plan.confinement->readable.end(), places->begin(), places->end());
  plan.confinement->writable = {own, fs::current_path()};
  plan.confinement->pairs = true;
  return plan;
}

/// The terminal is the program's while it runs: it may read from it, and Ctrl-C is for it.
class Terminal {
 public:
  explicit Terminal(pid_t group) : ours_(isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDIN_FILENO) == getpgrp()) {
    if (!ours_) return;
    before_ = std::signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(STDIN_FILENO, group);
    kill(-group, SIGCONT);  // it may have asked before it was its
  }
  ~Terminal() {
    if (!ours_) return;
    tcsetpgrp(STDIN_FILENO, getpgrp());
    std::signal(SIGTTOU, before_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

 private:
  bool ours_;
  void (*before_)(int) = SIG_DFL;
};

/// Until the program has ended; who ends us ends it, too: it is told, and may say within `grace` what has run so far.
/// `met` is the limit that ended it.
int wait_for(const ChildPlan& plan, const std::string& name, const ProgramLimits& limits, std::string& met,
             pid_t& child) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds grace{500};
  constexpr int look_ms = 50;  // a signal between two looks waits so long
  int gate = -1;
  child = start_child(plan, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, -1}, name, &gate);
  const Terminal terminal(child);
  const int process = static_cast<int>(syscall(SYS_pidfd_open, child, 0));  // -1 on old systems: looked at each time
  std::optional<Clock::time_point> told;
  LimitsWatch watch(child, limits, gate);
  while (!has_ended(child)) {
    if (met.empty()) met = watch.met();
    if ((interrupted() || !met.empty()) && !told) {
      kill(child, SIGTERM);
      told = Clock::now();
    }
    if (told && Clock::now() - *told > grace) break;
    std::array<pollfd, 2> waiting{pollfd{process, POLLIN, 0}, pollfd{met.empty() ? watch.asked() : -1, POLLIN, 0}};
    poll(waiting.data(), waiting.size(), look_ms);
  }
  if (process >= 0) close(process);
  return end_child(child);
}

std::shared_ptr<cuda_api::StepsRecord> read_steps(const fs::path& file) {
  constexpr std::uintmax_t most_bytes = std::uintmax_t{256} << 20;  // twice what a million steps take
  std::error_code missing;
  const auto size = fs::file_size(file, missing);
  if (missing) return nullptr;
  if (size > most_bytes)
    throw Error(ExitCode::missing,
                fmt::format("the steps of the launch take {} bytes; {} are the most", size, most_bytes), {},
                "--events keeps fewer");
  return std::make_shared<cuda_api::StepsRecord>(cuda_api::decode_steps(read_file(file.string(), "exec")));
}

bool is_error(const Finding& finding) { return finding.severity == Severity::error; }

bool has_error(const cuda_api::Record& record) {
  if (std::ranges::any_of(record.findings, is_error)) return true;
  return std::ranges::any_of(record.kernels,
                             [](const auto& kernel) { return std::ranges::any_of(kernel.findings, is_error); });
}

/// What became of it, and what we end with.
void judge(ProgramRun& run) {
  const auto& record = run.record;
  const bool hung = std::ranges::any_of(record.faults, [](const auto& f) { return f.failure == "hung"; });
  run.code = run.exit_code;
  if (record.unsupported) {
    run.status = ProgramStatus::unsupported;
    run.code = static_cast<int>(ExitCode::missing);
  } else if (!std::ranges::all_of(record.faults, [](const auto& f) {
               return f.failure == cuda_api::kRefused && f.seen;  // a program may try what it can launch
             })) {
    run.status = hung ? ProgramStatus::hung : ProgramStatus::fault;
    if (hung || run.exit_code == 0) run.code = static_cast<int>(ExitCode::launch_failed);
  } else if (has_error(record)) {
    run.status = ProgramStatus::finding;
    if (run.exit_code == 0) run.code = static_cast<int>(ExitCode::wrong);
  } else if (run.signal != 0) {
    run.status = ProgramStatus::fault;
  }
  if (run.interrupted) run.code = static_cast<int>(ExitCode::interrupted);
}

/// Under memcheck what was never freed is a finding; without, a note at the end.
void find_leaks(ProgramRun& run, const std::vector<std::string>& tools) {
  const auto& record = run.record;
  // Behind a fault cudaFree fails, as on a GPU: what it did not free is no leak of the program's.
  const bool lost = std::ranges::any_of(record.faults, [](const auto& f) { return f.failure != cuda_api::kRefused; });
  if (!record.complete || lost || std::ranges::find(tools, "memcheck") == tools.end()) return;
  for (const auto& leak : record.leaks) {
    Finding finding;
    finding.tool = "leakcheck";
    finding.severity = Severity::warning;
    finding.message = fmt::format("{}, {} bytes, is never freed (called by {})", leak.name, leak.bytes, leak.caller);
    run.record.findings.push_back(std::move(finding));
  }
}

}  // namespace

std::vector<std::string> places_of_programs() {
  auto places = system_programs();
  for (const char* path : {"/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/ld.so.conf",
                           "/etc/fonts", "/usr/share", "/dev/random", "/dev/zero", "/proc/meminfo", "/proc/cpuinfo",
                           "/proc/stat", "/sys/devices/system/cpu", "/sys/fs/cgroup"})
    places.emplace_back(path);
  return places;
}

ProgramRun run_program(const ProgramRequest& request) {
  const PrivateFolder folder;
  const auto own = fs::canonical(folder.path());
  if (own.string().find_first_of(" :") != std::string::npos)
    throw Error(ExitCode::missing, fmt::format("the loader cannot work with '{}'", own.string()), {},
                "set TMPDIR to a folder whose path has no blanks and no colons");
  const auto lent = lend_libraries(own, request.needs);
  const auto record = own / "record.json";
  std::string met;
  pid_t process = -1;
  const int status = wait_for(plan_for(request, own, record, lent), request.name, request.limits, met, process);
  ProgramRun run;
  run.program = request.name;
  run.arguments = request.arguments;
  run.profile = profile_carried(request.options.profile).id;
  run.isolated = request.isolated;
  run.sanitized = !request.options.sanitize.empty();
  run.explained = request.options.lines;
  run.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  run.exit_code = WIFSIGNALED(status) ? 128 + run.signal : WEXITSTATUS(status);
  run.interrupted = interrupted();
  if (auto told = record_of_all(record.string() + ".", process)) run.record = std::move(*told);
  if (request.needs.interpreter) {  // what Python has not collected when it ends is nobody's mistake
    run.record.leaks.clear();
    run.record.leaked_bytes = run.record.leaks_cut = 0;
  }
  if (!met.empty()) run.record.crash = met;
  if (request.options.steps && !run.interrupted) run.steps = read_steps(steps_file(record));
  name_host_lines(run.record, request.program, request.isolated);
  if (!run.record.faults.empty() || !run.record.failures.empty())
    judge_calls(run.record, DroppedResults::of_program(read_file(request.program, "exec")));
  find_leaks(run, request.options.sanitize);
  judge(run);
  return run;
}

}  // namespace gpulab
