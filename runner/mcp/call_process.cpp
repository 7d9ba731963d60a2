#include "runner/mcp/call_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>

#include "common/child/child.h"
#include "common/error.h"

namespace gpulab::mcp {
namespace {

constexpr std::size_t most_document_bytes = std::size_t{64} << 20, most_printed_bytes = std::size_t{1} << 20,
                      most_message_bytes = std::size_t{256} << 10;

}  // namespace

CallProcess::CallProcess(const Invocation& invocation) {
  ChildPlan plan{.command = {"/proc/self/exe"}, .folder = invocation.source.folder};
  auto& words = plan.command;
  words.insert(words.end(), invocation.words.begin(), invocation.words.end());
  if (invocation.runs_program) {
    // In front of "--", which the words may hold.
    const auto file = "--output=" + (folder_.path() / "document.json").string();
    words.insert(words.begin() + 2, file);
  }
  std::array<std::array<int, 2>, 2> pipes{};
  for (auto& pipe : pipes) {
    if (pipe2(pipe.data(), O_CLOEXEC) == 0) continue;
    throw Error(ExitCode::missing, "no pipe can be made for a call", {}, "too many files may be open (ulimit -n)");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    streams_[i].end = pipes[i][0];
    fcntl(streams_[i].end, F_SETFL, O_NONBLOCK);
  }
  streams_[0].most = invocation.runs_program ? most_printed_bytes : most_document_bytes;
  streams_[1].most = most_message_bytes;
  try {
    process_ = start_child(plan, {.output = pipes[0][1], .error = pipes[1][1]}, "the process of a call");
  } catch (...) {
    for (const auto& pipe : pipes) close(pipe[1]);
    close_all();
    throw;
  }
  for (const auto& pipe : pipes) close(pipe[1]);
}

CallProcess::~CallProcess() {
  if (process_ > 0) (void)end_child(process_);
  close_all();
}

void CallProcess::close_all() {
  for (auto& stream : streams_) {
    if (stream.end >= 0) close(stream.end);
    stream.end = -1;
  }
}

void CallProcess::add_descriptors(std::vector<pollfd>& waiting) const {
  for (const auto& stream : streams_)
    if (stream.end >= 0) waiting.push_back({stream.end, POLLIN, 0});
}

bool CallProcess::has_ended() {
  const bool ended = gpulab::has_ended(process_);  // asked first: what it wrote is then all there
  std::array<char, 65536> chunk;
  for (auto& stream : streams_) {
    while (stream.end >= 0) {
      const auto length = read(stream.end, chunk.data(), chunk.size());
      if (length < 0 && errno == EINTR) continue;
      if (length < 0 && errno == EAGAIN) break;
      if (length <= 0) {
        close(stream.end);
        stream.end = -1;
        break;
      }
      const auto room = std::min(static_cast<std::size_t>(length), stream.most - stream.text.size());
      stream.text.append(chunk.data(), room);
      stream.cut += static_cast<std::uint64_t>(length) - room;
    }
  }
  return ended;
}

CallProcess::Outcome CallProcess::end() {
  const int status = end_child(process_);
  process_ = -1;
  close_all();
  Outcome outcome{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                  .output = std::move(streams_[0].text),
                  .error = std::move(streams_[1].text),
                  .output_cut = streams_[0].cut,
                  .error_cut = streams_[1].cut,
                  .document = {}};
  std::ifstream file(folder_.path() / "document.json", std::ios::binary);
  if (file) {
    std::ostringstream text;
    text << file.rdbuf();
    outcome.document = text.str();
  }
  return outcome;
}

}  // namespace gpulab::mcp
