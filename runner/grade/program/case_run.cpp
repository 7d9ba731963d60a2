#include "runner/grade/program/case_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>

#include "common/child/child.h"
#include "common/child/group_time.h"
#include "common/child/interrupt.h"
#include "common/child/private_folder.h"
#include "common/error.h"
#include "runner/program/process/program_limits.h"
#include "runner/program/run_program.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t most_record = std::uint64_t{32} << 20, most_file = std::uint64_t{64} << 20,
                        most_written = std::uint64_t{256} << 20, most_errors = 16 << 10,
                        beside_data = std::uint64_t{512} << 20;  ///< of memory: the simulator, the program's code
constexpr std::size_t most_processes = 64, most_threads = 512;
constexpr int most_last_reads = 64;
constexpr std::chrono::milliseconds look{50}, longest_idle{5'000};

/// An end of a pipe, or a file.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void take(int number) {
    close();
    number_ = number;
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

struct Pipe {
  Descriptor ours, theirs;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(ExitCode::missing, "no pipe can be made for a program");
    ours.take(ends[0]);
    theirs.take(ends[1]);
  }
};

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  if (!file)
    throw Error(ExitCode::missing, fmt::format("{} cannot be written", path.string()), {}, "is the disk full?");
}

ChildPlan plan_for(const CaseRequest& request, const fs::path& own, const fs::path& work) {
  const auto lent = lend_libraries(own, request.needs);
  auto options = request.options;
  options.record = own / "record.json";
  options.threads = 1;  // others are graded beside
  options.host_memory = request.memory;
  ChildPlan plan{.command = {request.program}};
  plan.command.insert(plan.command.end(), request.arguments.begin(), request.arguments.end());
  plan.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=" + work.string(),
                      "TMPDIR=" + own.string(), fmt::format("{}={}", cuda_api::kOptionsVariable, encode(options))};
  plan.environment->insert(plan.environment->end(), lent.environment.begin(), lent.environment.end());
  plan.folder = work;
  plan.limits.cpu = request.cpu;
  plan.limits.file_bytes = most_file;
#if !defined(__SANITIZE_ADDRESS__)  // its shadow is most of the address space
  plan.limits.data_bytes = request.memory + beside_data;
#endif
  if (!request.isolated) return plan;
  plan.confinement.emplace();
  plan.confinement->alone = true;
  auto& readable = plan.confinement->readable;
  readable = places_of_programs();
  readable.insert(readable.end(), lent.readable.begin(), lent.readable.end());
  readable.insert(readable.end(), request.readable.begin(), request.readable.end());
  readable.push_back(fs::path(request.program).parent_path());
  plan.confinement->writable = {own, work};
  return plan;
}

/// Listens to a program until it has ended, or has taken more than it may.
class Listener {
 public:
  Listener(const CaseRequest& request, pid_t child, int gate, Pipe& output, Pipe& errors, CaseRun& run)
      : request_(request),
        child_(child),
        output_(output),
        errors_(errors),
        run_(run),
        watch_(child, limits(request), gate) {}

  void listen() {
    while (!interrupted()) {
      const bool ended = has_ended(child_);
      // What is in the pipes when it has ended is its last word; processes that it left behind may write on for ever.
      for (int reads = ended ? most_last_reads : 1; reads > 0; --reads) {
        if (!read_some(ended ? 0 : static_cast<int>(look.count()))) break;
        if (run_.output.size() > request_.most_output) return end(CaseRun::End::output);
      }
      if (ended || limits_are_met()) return;
    }
  }

 private:
  static ProgramLimits limits(const CaseRequest& request) {
    return {.host_memory = request.memory,
            .written_bytes = most_written,
            .processes = most_processes,
            .threads = most_threads,
            .names_options = false};
  }

  void end(CaseRun::End how) { run_.end = how; }

  bool limits_are_met() {
    if (run_.limit = watch_.met(); !run_.limit.empty()) {
      end(CaseRun::End::limit);
      return true;
    }
    const auto now = Clock::now();
    if (now - start_ > request_.wall) end(CaseRun::End::wall);
    if (now < next_) return run_.end != CaseRun::End::itself;
    const auto idle = idle_.look();
    const auto took = Clock::now() - now;
    next_ = now + std::max<Clock::duration>(std::chrono::milliseconds(200), 50 * took);
    if (idle > longest_idle) end(CaseRun::End::idle);
    if (idle_.ticks() >= static_cast<std::uint64_t>(request_.cpu.count() * sysconf(_SC_CLK_TCK)))
      end(CaseRun::End::cpu);
    return run_.end != CaseRun::End::itself;
  }

  /// False where nothing came within `patience`.
  bool read_some(int patience) {
    std::array<pollfd, 3> waiting{pollfd{output_.ours.number(), POLLIN, 0}, pollfd{errors_.ours.number(), POLLIN, 0},
                                  pollfd{watch_.asked(), POLLIN, 0}};
    if (output_.ours.number() < 0 && errors_.ours.number() < 0) {
      if (patience > 0) usleep(1000);  // it has closed both, and goes on
      return false;
    }
    if (poll(waiting.data(), waiting.size(), patience) <= 0) return false;
    bool any = false;
    for (const bool is_error : {false, true}) {
      if ((waiting.at(is_error ? 1 : 0).revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      auto& pipe = is_error ? errors_ : output_;
      const ssize_t length = read(pipe.ours.number(), chunk_.data(), chunk_.size());
      if (length < 0 && errno == EINTR) continue;
      if (length <= 0) {
        pipe.ours.close();
        continue;
      }
      any = true;
      auto& into = is_error ? run_.errors : run_.output;
      const auto most = is_error ? most_errors : request_.most_output + 1;
      into.append(chunk_.data(),
                  std::min<std::size_t>(static_cast<std::size_t>(length), most - std::min(most, into.size())));
    }
    return any;
  }

  const CaseRequest& request_;
  pid_t child_;
  Pipe &output_, &errors_;
  CaseRun& run_;
  LimitsWatch watch_;
  Clock::time_point start_ = Clock::now(), next_ = start_;
  IdleTime idle_{child_};
  std::array<char, 65536> chunk_{};
};

std::optional<cuda_api::Record> record_in(int folder) {
  bool too_long = false;
  const auto text = regular_file(folder, "record.json", most_record, too_long);
  if (!text) return std::nullopt;
  try {
    return cuda_api::decode_record(*text);
  } catch (const std::exception&) {  // the program wrote it, or wrote into it
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> regular_file(int folder, const std::string& name, std::uint64_t most, bool& too_long) {
  const Descriptor file(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string bytes;
  std::array<char, 65536> chunk{};
  for (ssize_t length = 0; (length = read(file.number(), chunk.data(), chunk.size())) != 0;) {
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return std::nullopt;
    bytes.append(chunk.data(), static_cast<std::size_t>(length));
    if (bytes.size() > most) {
      too_long = true;
      return std::nullopt;
    }
  }
  return bytes;
}

CaseRun run_case(const CaseRequest& request) {
  const PrivateFolder folder;
  const auto root = fs::canonical(folder.path());
  const auto own = root / "own", work = root / "work", input = root / "input";
  fs::create_directory(own);
  fs::create_directory(work);
  // What was opened before it ran is what it was: it may put links in the place of its folders.
  const Descriptor own_folder(open(own.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      work_folder(open(work.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const auto& [name, bytes] : request.files) write_file(work / name, bytes);
  Descriptor standard_input;
  if (!request.input.empty()) {
    write_file(input, request.input);
    standard_input.take(open(input.c_str(), O_RDONLY | O_CLOEXEC));
  }
  Pipe output, errors;
  CaseRun run;
  int gate = -1;
  const pid_t child =
      start_child(plan_for(request, own, work),
                  {.input = standard_input.number(), .output = output.theirs.number(), .error = errors.theirs.number()},
                  "the program", &gate);
  output.theirs.close();
  errors.theirs.close();
  Listener(request, child, gate, output, errors, run).listen();
  const int status = end_child(child);
  if (interrupted()) throw Error(ExitCode::interrupted, "interrupted");
  run.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  run.exit_code = WIFSIGNALED(status) ? 128 + run.signal : WEXITSTATUS(status);
  if (run.end == CaseRun::End::itself && run.signal == SIGXCPU) run.end = CaseRun::End::cpu;
  if (!request.result.empty())
    run.result = regular_file(work_folder.number(), request.result, request.most_output, run.result_too_long);
  run.record = record_in(own_folder.number());
  return run;
}

}  // namespace gpulab
