#include "runner/program/results/watched_build.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "common/child/child.h"
#include "common/child/private_folder.h"
#include "common/error.h"
#include "runner/program/included_texts.h"
#include "runner/program/old_cuda/old_cuda.h"
#include "runner/program/old_cuda/old_objects.h"
#include "runner/program/results/build_advice.h"
#include "runner/program/results/dropped_results.h"
#include "runner/program/results/nvcc_messages.h"
#include "runner/program/results/watched_functions.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

bool is_source(const std::string& word) {
  const auto kind = fs::path(word).extension();
  return kind == ".cu" || kind == ".cpp" || kind == ".cc" || kind == ".cxx" || kind == ".c";
}

/// What the child writes into the pipe, as it comes, line by line. Returns the last of what is shown.
std::string show(int pipe, NvccMessages& messages) {
  constexpr std::size_t most_kept = std::size_t{64} << 10;
  std::string shown;
  const auto tell = [&](const std::string& text) {
    std::fputs(text.c_str(), stderr);
    shown += text;
    if (shown.size() > 2 * most_kept) shown.erase(0, shown.size() - most_kept);
  };
  std::array<char, 4096> bytes{};
  std::string line;
  for (;;) {
    const ssize_t count = read(pipe, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    for (const char c : std::string_view(bytes.data(), static_cast<std::size_t>(count))) {
      line += c;
      if (c != '\n') continue;
      tell(messages.take(line));
      line.clear();
    }
  }
  if (!line.empty()) tell(messages.take(line));
  tell(messages.rest());
  return shown;
}

int run(const std::vector<std::string>& words, NvccMessages& messages, bool old_cuda) {
  int ends[2];
  if (pipe(ends) != 0) throw Error(ExitCode::missing, "no pipe for what nvcc says");
  ChildPlan plan{.command = words};
  const pid_t child = start_child(plan, {STDIN_FILENO, STDOUT_FILENO, ends[1], -1}, "nvcc");
  close(ends[1]);
  const std::string said = show(ends[0], messages);
  close(ends[0]);
  int status = 0;
  while (!has_ended(child)) usleep(1000);
  status = end_child(child);
  if (status != 0) std::fputs(advice_on_build(said, words, old_cuda).c_str(), stderr);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::vector<std::string> made_by(const std::vector<std::string>& words) {
  std::string folder;
  bool links = true, device_alone = false;
  std::vector<std::string> sources;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto& word = words[i];
    const bool has_next = i + 1 < words.size();
    for (const std::string_view name : {"-o", "--output-file"}) {
      if (word == name && has_next) return {words[i + 1]};
      if (word.starts_with(std::string(name) + "=")) return {word.substr(name.size() + 1)};
    }
    if ((word == "-odir" || word == "--output-directory") && has_next) folder = words[i + 1];
    for (const char* one : {"-c", "--compile", "-dc", "--device-c", "-dw", "--device-w"}) links &= word != one;
    for (const char* one : {"-ptx", "--ptx", "-cubin", "--cubin", "-fatbin", "--fatbin", "-lib", "--lib", "-dlink"})
      device_alone |= word == one;
    if (is_source(word)) sources.push_back(word);
  }
  if (device_alone) return {};
  if (links) return {"a.out"};
  std::vector<std::string> objects;
  for (const auto& source : sources) objects.push_back((fs::path(folder) / fs::path(source).stem()).string() + ".o");
  return objects;
}

int build_unwatched(const std::vector<std::string>& words) {
  const pid_t child =
      start_child(ChildPlan{.command = words}, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, -1}, "nvcc");
  while (!has_ended(child)) usleep(1000);
  const int status = end_child(child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int build_watched(const std::vector<std::string>& given, const WatchedBuild& how) {
  const PrivateFolder folder;
  auto words = with_old_objects(how.old_cuda ? old_cuda_options(given) : given, folder.path());
  const auto texts = how.old_cuda ? included_texts(words) : std::vector<SourceText>();
  const auto old = how.old_cuda ? old_cuda_words(folder.path(), texts) : std::vector<std::string>();
  auto watched = words;
  if (how.watched)
    for (auto& word : watching_words(folder.path(), words)) watched.push_back(std::move(word));
  watched.insert(watched.end(), old.begin(), old.end());
  words.insert(words.end(), old.begin(), old.end());
  NvccMessages messages;
  const int code = run(watched, messages, how.old_cuda);
  if (code != 0 && messages.is_lost()) {  // a toolkit that the header does not fit
    NvccMessages others;
    return run(words, others, how.old_cuda);
  }
  bool compiles = false;
  for (const auto& word : words) compiles |= is_source(word);
  if (code != 0 || !compiles) return code;
  std::fputs((notes_on_build(words) + old_cuda_notes(texts)).c_str(), stderr);
  if (const auto list = list_of_files(words); fs::is_regular_file(list)) {
    const auto kept = without_header(read_file(list, "nvcc"));
    std::ofstream(list) << kept;
  }
  for (const auto& made : made_by(words)) keep_dropped(made, messages.dropped());
  return code;
}

}  // namespace gpulab
