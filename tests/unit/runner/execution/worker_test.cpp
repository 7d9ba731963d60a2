#include "runner/execution/worker.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "common/error.h"
#include "runner/execution/wire.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

Lab toy_lab() {
  Lab lab;
  lab.name = "toy";
  lab.params = {{.name = "n", .help = {}, .fallback = std::int64_t{1}, .choices = {}}};
  lab.variants.resize(2);
  lab.variants[0].name = "good";
  lab.variants[0].summary = "the good one";
  lab.variants[1].name = "bad";
  return lab;
}

Case toy_case(std::int64_t n) {
  Case point;
  point.params.values = {{"n", n}};
  return point;
}

/// A worker whose child is a shell script that holds its socket as descriptor 3.
std::unique_ptr<Executor> scripted(const std::string& script, int timeout_ms = 20'000) {
  WorkerOptions options;
  options.timeout = std::chrono::milliseconds(timeout_ms);
  options.command = {"/bin/sh", "-c", script};
  return process_worker({}, {}, options);
}

Result run(Executor& worker) {
  const Lab lab = toy_lab();
  return worker.run(lab, lab.variants[0], toy_case(5), {});
}

std::string reply_line(CaseStatus status) {
  Result result;
  result.status = status;
  return encode(WireReply{result, std::nullopt});
}

TEST_CASE("a worker that exits, aborts or answers nonsense is a fault, and the next case gets a new one") {
  const std::vector<std::pair<std::string, std::string>> deaths = {
      {"read -r line <&3; exit 3", "the worker process exited with code 3"},
      {"read -r line <&3; kill -ABRT $$", "the worker process was killed by SIGABRT (Aborted)"},
      {"exit 0", "the worker process exited with code 0"},
      {"read -r line <&3; echo Segmentation >&3; exec sleep 1000", "the worker process answered 'Segmentation'"},
      {"read -r line <&3; echo '{}' >&3; exec sleep 1000", "the worker process answered '{}'"}};
  for (const auto& [script, message] : deaths) {
    const auto worker = scripted(script);
    for (int attempt = 0; attempt < 2; ++attempt) {
      const Result result = run(*worker);
      CHECK(result.status == CaseStatus::fault);
      CHECK(result.message == message);
      CHECK(result.variant == "good");
      CHECK(result.summary == "the good one");
      CHECK(result.params.at(0).first == "n");
      CHECK(std::get<std::int64_t>(result.params.at(0).second) == 5);
      CHECK(result.params.at(1).first == "seed");
    }
  }
}

TEST_CASE("what kernels print comes from the worker before its result does") {
  const std::string script = "read -r line <&3; echo() { printf '%s\\n' \"$1\"; }; echo '" +
                             encode(WireReply{.printed = "one\n"}) + "' >&3; echo '" +
                             encode(WireReply{.printed = "two\n"}) + "' >&3; echo '" + reply_line(CaseStatus::ok) +
                             "' >&3; cat <&3";
  std::vector<std::string> heard;
  RunOptions options;
  options.printed = [&](std::string_view text) { heard.emplace_back(text); };
  const Lab lab = toy_lab();
  CHECK(scripted(script)->run(lab, lab.variants[0], toy_case(5), options).status == CaseStatus::ok);
  CHECK(heard == std::vector<std::string>{"one\n", "two\n"});
  // It prints for ever: the time that a case may take is its whole time.
  const std::string endless =
      "read -r line <&3; while sleep 0.01; do echo '" + encode(WireReply{.printed = "on"}) + "' >&3; done";
  CHECK(scripted(endless, 200)->run(lab, lab.variants[0], toy_case(5), options).status == CaseStatus::timeout);
}

TEST_CASE("a worker that hangs is a timeout") {
  const auto worker = scripted("exec sleep 1000", 100);
  const Result result = run(*worker);
  CHECK(result.status == CaseStatus::timeout);
  CHECK(result.message == "no result within 0.1 s: the worker process was ended");
}

TEST_CASE("garbage on a worker's stdout disturbs nothing") {
  const auto worker = scripted("while read -r line <&3; do (echo garbage) 2>&1 >/dev/null; echo '" +
                               reply_line(CaseStatus::ok) + "' >&3; done");
  CHECK(run(*worker).status == CaseStatus::ok);
  CHECK(run(*worker).status == CaseStatus::ok);
}

TEST_CASE("a worker is kept after an answer, also a wrong one, and replaced after a fault") {
  for (const auto& [status, same] : std::vector<std::pair<CaseStatus, bool>>{
           {CaseStatus::ok, true}, {CaseStatus::wrong, true}, {CaseStatus::fault, false}, {CaseStatus::hung, false}}) {
    // Answers with its process id as the message.
    Result result;
    result.status = status;
    result.message = "PID";
    const std::string reply = encode(WireReply{result, std::nullopt});
    const auto at = reply.find("PID");
    const auto worker = scripted("while read -r line <&3; do printf '%s%s%s\\n' '" + reply.substr(0, at) + "' $$ '" +
                                 reply.substr(at + 3) + "' >&3; done");
    const auto first = run(*worker);
    const auto second = run(*worker);
    CHECK(first.status == status);
    CHECK((first.message == second.message) == same);
  }
}

TEST_CASE("an error in place of a result is thrown") {
  const auto line = encode(WireReply{std::nullopt, Error(ExitCode::missing, "no GPU 4", "--device gpu:4")});
  const auto worker = scripted("read -r line <&3; echo '" + line + "' >&3; exec sleep 1000");
  try {
    (void)run(*worker);
    FAIL("an error became a result");
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::missing);
    CHECK(std::string(error.what()) == "no GPU 4");
  }
}

/// Answers with the case's n as the message; throws for the variant "bad".
class EchoExecutor final : public Executor {
 public:
  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] Capabilities capabilities() const override { return {}; }
  [[nodiscard]] Result run(const Lab& lab, const Variant& variant, const Case& point, const RunOptions&) override {
    if (variant.name == "bad") throw std::runtime_error("bad was run");
    Result result;
    result.kernel = lab.name;
    result.message = std::to_string(point.n());
    return result;
  }

 private:
  DeviceInfo info_;
};

/// serve() in a thread, and our end of its socket.
class Server {
 public:
  Server() {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()) == 0);
    thread_ = std::thread([this] {
      serve(ends_[1], labs_, [this] {
        ++started_;
        return std::make_unique<EchoExecutor>();
      });
    });
  }
  ~Server() {
    close(ends_[0]);
    thread_.join();
    close(ends_[1]);
  }
  WireReply ask(const std::string& line) {
    const std::string text = line + '\n';
    REQUIRE(write(ends_[0], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    std::string answer;
    for (char c = 0; read(ends_[0], &c, 1) == 1 && c != '\n';) answer += c;
    return decode_reply(answer);
  }
  WireReply ask(const std::string& variant, std::int64_t n) {
    return ask(encode(WireCase{"toy", variant, toy_case(n), {}}));
  }
  [[nodiscard]] int started() const { return started_; }

 private:
  std::array<int, 2> ends_{};
  std::vector<Lab> labs_{toy_lab()};
  int started_ = 0;
  std::thread thread_;
};

TEST_CASE("a server answers case after case with one executor") {
  Server server;
  for (const std::int64_t n : {1, 2, 3}) {
    const auto reply = server.ask("good", n);
    REQUIRE(reply.result);
    CHECK(reply.result->kernel == "toy");
    CHECK(reply.result->message == std::to_string(n));
  }
  CHECK(server.started() == 1);
}

TEST_CASE("a file's kernel is served as a lab of its own, by one executor for each file") {
  Server server;
  KernelFile file;
  file.file = "k.ptx";
  file.entry = "k";
  const auto ask = [&] {
    WireCase request{"run", "k", toy_case(6), {}};
    request.file = file;
    return server.ask(encode(request));
  };
  REQUIRE(ask().result);
  CHECK(ask().result->kernel == "run");
  CHECK(ask().result->message == "6");
  CHECK(server.started() == 1);
  file.ptx = "changed";  // its texts are loaded on the device: another device
  CHECK(ask().result);
  CHECK(server.started() == 2);
}

TEST_CASE("a server answers what it cannot run with an error, and goes on") {
  Server server;
  CHECK(std::string(server.ask("nonsense").error->what()).find("parse error") != std::string::npos);
  CHECK(std::string(server.ask("unknown", 1).error->what()) == "the worker does not know 'unknown'");
  CHECK(server.started() == 0);
  CHECK(std::string(server.ask("bad", 1).error->what()) == "bad was run");
  CHECK(server.ask("good", 4).result->message == "4");
}

TEST_CASE("only the hidden argument makes a process a worker") {
  const std::array<const char*, 3> run = {"gpulab", "reduce", "0"};
  CHECK_FALSE(serve_if_worker(3, run.data()).has_value());
  CHECK_FALSE(serve_if_worker(1, run.data()).has_value());
}

}  // namespace
}  // namespace gpulab
