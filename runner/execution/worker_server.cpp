// The worker's end: cases in, results out.

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/device/device_kind.h"
#include "common/error.h"
#include "common/progress/launch_progress.h"
#include "common/progress/ticker.h"
#include "labs/registry.h"
#include "runner/case/measuring/in_turn.h"
#include "runner/execution/child_process.h"
#include "runner/execution/wire.h"
#include "runner/execution/worker.h"
#include "runner/execution/worker_argument.h"
#include "runner/student_file/kernel_file.h"

namespace gpulab {
namespace {

template <typename T>
const T& named(std::span<const T> items, std::string_view name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const T& item) { return item.name == name; });
  if (it == items.end()) throw usage_error("the worker does not know '" + std::string(name) + "'");
  return *it;
}

/// What a worker keeps from case to case.
struct Served {
  std::optional<Lab> of_file;   ///< of `gpulab run`; the executor has views of its texts
  std::optional<Lab> of_trial;  ///< of `gpulab check`: the same with the last trial's launches
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Served> beside{};  ///< for WireCase::beside
};

/// The file's kernel on the buffers that come with the request.
const Lab& tried(WireCase& request, Served& served) {
  served.of_trial = trial_lab(*served.of_file, std::make_shared<const Trial>(std::move(*request.trial)));
  return *served.of_trial;
}

const Lab& file_or_lab(const WireCase& request, std::span<const Lab> labs, Served& served) {
  if (!request.file && served.of_file && served.of_file->name == request.lab) return *served.of_file;
  if (!request.file) return named(labs, request.lab);
  if (!served.of_file || served.of_file->file->file != *request.file) {
    served.executor.reset();
    served.of_file = file_lab(*request.file);
  }
  return *served.of_file;
}

const Lab& lab_of(WireCase& request, std::span<const Lab> labs, Served& served) {
  const Lab& lab = file_or_lab(request, labs, served);
  return request.trial && served.of_file ? tried(request, served) : lab;
}

/// The other case has a device of its own in this process: the same GPU, with modules that may have kernels of the same
/// names. Without a result where that did not go well.
void run_both(const CaseToRun& a, WireCase& beside, std::span<const Lab> labs, Served& served,
              const std::function<std::unique_ptr<Executor>()>& start, WireReply& reply) {
  if (!served.beside) served.beside = std::make_unique<Served>();
  auto& other = *served.beside;
  const Lab& lab = lab_of(beside, labs, other);
  const Variant& variant = named(std::span<const Variant>(lab.variants), beside.variant);
  if (!other.executor) other.executor = start();
  const auto running = [](Executor& executor, const CaseToRun& one) {
    return [&executor, one](const Measuring& measuring) {
      auto options = one.options;
      options.measuring = measuring;
      return executor.run(one.lab, one.variant, one.point, options);
    };
  };
  const CaseToRun b{lab, variant, beside.point, beside.options};
  auto both = run_in_turn(running(*served.executor, a), running(*other.executor, b), a.options.measure);
  if (!both) throw Error(ExitCode::launch_failed, "the two kernels are to run one after the other");
  reply.result = std::move(both->first);
  reply.beside = std::move(both->second);
}

WireReply answer(std::string_view line, std::span<const Lab> labs, Served& served,
                 const std::function<std::unique_ptr<Executor>()>& start, const PrintSink& printed,
                 const std::function<void(const WireReply&)>& told) {
  WireReply reply;
  std::optional<Ticker> telling;
  try {
    WireCase request = decode_case(line);
    if (request.listens) request.options.printed = printed;
    const Lab& lab = lab_of(request, labs, served);
    const Variant& variant = named(std::span<const Variant>(lab.variants), request.variant);
    if (!served.executor) served.executor = start();
    if (request.watches)
      telling.emplace([&] {
        if (auto now = launch_progress.now(); !now.kernel.empty()) told({.progress = std::move(now)});
      });
    if (request.beside.empty())
      reply.result = served.executor->run(lab, variant, request.point, request.options);
    else
      run_both({lab, variant, request.point, request.options}, request.beside.front(), labs, served, start, reply);
  } catch (const Error& error) {
    reply.error = error;
  } catch (const std::bad_alloc&) {
    reply.error = Error(ExitCode::launch_failed, "out of host memory", {}, "choose a smaller size");
  } catch (const std::exception& error) {
    reply.error = Error(ExitCode::launch_failed, error.what(), "worker process");
  }
  return reply;
}

/// Lines from a socket.
class LineReader {
 public:
  explicit LineReader(int socket) : stream_(fdopen(dup(socket), "r")) {}
  ~LineReader() {
    if (stream_ != nullptr) std::fclose(stream_);
    std::free(line_);
  }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  /// False at the end.
  bool next(std::string_view& line) {
    if (stream_ == nullptr) return false;
    const ssize_t length = getline(&line_, &capacity_, stream_);
    if (length <= 0) return false;
    line = {line_, static_cast<std::size_t>(length)};
    return true;
  }

 private:
  std::FILE* stream_;
  char* line_ = nullptr;
  std::size_t capacity_ = 0;
};

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

void serve(int socket, std::span<const Lab> labs, const std::function<std::unique_ptr<Executor>()>& start) {
  LineReader requests(socket);
  Served served;
  std::mutex line;  // a whole one at a time
  const auto say = [&](const WireReply& reply) {
    const std::lock_guard lock(line);
    return send_all(socket, encode(reply) + '\n');
  };
  const auto printed = [&](std::string_view text) {
    if (!text.empty()) (void)say({.printed = std::string(text)});
  };
  const auto told = [&](const WireReply& reply) { (void)say(reply); };
  for (std::string_view request; requests.next(request);)
    if (!say(answer(request, labs, served, start, printed, told))) return;
}

std::optional<int> serve_if_worker(int argc, const char* const* argv) {
  if (argc != 4 || std::string_view(argv[1]) != worker_argument) return std::nullopt;
  const int socket = ChildProcess::socket_in_child;
  if (fcntl(socket, F_SETFD, FD_CLOEXEC) != 0) {
    std::fputs("error: a worker process is started by gpulab itself\n", stderr);
    return static_cast<int>(ExitCode::usage);
  }
  const auto device = parse_device_name(argv[2]);
  if (!device) return static_cast<int>(ExitCode::usage);
  const auto request = decode_request(argv[3]);
  // A kernel of a file needs no lab; one of a lab, all that it may be of.
  const auto labs = device->kind->faults_end_process ? all_labs() : std::vector<Lab>{};
  serve(socket, labs, [&] { return in_process(device->kind->open(request)); });
  return static_cast<int>(ExitCode::ok);
}

}  // namespace gpulab
