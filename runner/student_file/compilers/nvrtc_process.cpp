#include "runner/student_file/compilers/nvrtc_process.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "common/child/captured_run.h"
#include "common/child/private_folder.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/student_file/compilers/isolation.h"
#include "runner/student_file/compilers/messages.h"
#include "runner/student_file/compilers/source_copy.h"
#include "runner/student_file/nvrtc.h"
#include "runner/student_file/source_file.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// `gpulab --compile-with-nvrtc`: hidden.
constexpr const char* process_argument = "--compile-with-nvrtc";

#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t most_memory = 0;  // its shadow is most of the address space
#else
constexpr std::uint64_t most_memory = std::uint64_t{3} << 29;  // the library alone takes a third of it
#endif

void write_file(const char* name, const std::string& text) { std::ofstream(name, std::ios::binary) << text; }

Json texts(const std::vector<std::string>& all) {
  Json made = Json::array();
  // Bytes, not text: a path or a source need not be UTF-8.
  for (const auto& text : all) made.push_back(std::vector<std::uint8_t>(text.begin(), text.end()));
  return made;
}

std::string text_of(const Json& json) {
  const auto bytes = json.get<std::vector<std::uint8_t>>();
  return {bytes.begin(), bytes.end()};
}

/// What the library would do at our end is in vain, and a search for leaks (ASan) would read /proc, which is not there.
[[noreturn]] void end(int code) {
  std::fflush(nullptr);
  std::_Exit(code);
}

/// In the child: reads the request, writes PTX and messages. Returns an exit code: 1 where it does not compile.
int compile_here() {
  std::ifstream file("request.json");
  const auto request = Json::parse(file);
  const Nvrtc nvrtc(text_of(request.at("texts").at(0)));
  std::vector<std::string> options{
      fmt::format("--gpu-architecture=compute_{}", nvrtc.architecture(request.at("architecture")))};
  for (const auto& option : request.at("options")) options.push_back(text_of(option));
  const auto made = nvrtc.compile(text_of(request.at("texts").at(1)), text_of(request.at("texts").at(2)),
                                  text_of(request.at("texts").at(3)), options);
  write_file("log.txt", made.log);
  if (made.succeeded) write_file("out.ptx", made.ptx);
  return made.succeeded ? 0 : 1;
}

/// NVRTC names no file that it reads. Where there is no Landlock, what it would read is taken from the text: what the
/// text does not show is refused.
void check_includes(const CompileRequest& request) {
  if (!request.isolation.on || isolation_support().landlock > 0) return;
  for (const auto& line : split(code_only(request.source), '\n')) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    if (line.find("include", hash) == std::string::npos) continue;
    const auto open = line.find_first_of("<\"", hash);
    if (open != std::string::npos && line.compare(open + 1, 1, "/") != 0 && line.find("..", open) == std::string::npos)
      continue;
    throw usage_error(fmt::format("{} may include what is not below its own folder: {}", request.file, line),
                      "this system has no Landlock; --no-isolation lets it read whatever you can");
  }
}

}  // namespace

CompileOutcome compile_with_nvrtc(const CompileRequest& request, const std::string& library) {
  check_includes(request);
  const Nvrtc nvrtc(library);  // throws where it is none, and knows where the loader found it
  const PrivateFolder folder;
  const auto file = fs::absolute(request.file).lexically_normal();
  const auto headers = include_folders(nvrtc.path());
  std::vector<std::string> options, readable{nvrtc.path(), fs::path(nvrtc.path()).parent_path()};
  std::error_code failed;
  readable.push_back(fs::read_symlink("/proc/self/exe", failed));
  if (!request.isolation.alone) {
    options.push_back("-I" + file.parent_path().string());
    readable.push_back(file.parent_path());
  }
  for (auto& word : request.options.words()) {
    replace_all(word, "--system-include=", "--include-path=");  // which NVRTC does not have
    options.push_back(std::move(word));
  }
  for (const auto& place : request.options.places) readable.push_back(place.path);
  for (const auto& header : headers) options.push_back("-I" + header);
  readable.insert(readable.end(), headers.begin(), headers.end());
  const Json asked{{"texts", texts({nvrtc.path(), request.source, file.string(), request.instance})},
                   {"options", texts(options)},
                   {"architecture", request.architecture()}};
  std::ofstream(folder.path() / "request.json") << asked.dump();
  auto plan =
      compiler_plan(request.isolation, {"/proc/self/exe", process_argument}, nvrtc.path(), folder.path(), readable);
  plan.limits.memory_bytes = most_memory;
  const auto run = run_captured(plan);
  CompileOutcome outcome;
  outcome.succeeded = run.exit_code == 0;
  std::error_code missing;
  if (fs::exists(folder.path() / "log.txt", missing))
    outcome.compiled.log = read_file((folder.path() / "log.txt").string(), library);
  outcome.compiled.log += run.output;
  if (outcome.succeeded) outcome.compiled.ptx = read_file((folder.path() / "out.ptx").string(), library);
  outcome.killed = run.signal == SIGKILL && run.limit == CapturedRun::Limit::none;
  if (run.signal == SIGXCPU)
    outcome.limit = "the CPU time that a compiler may take";
  else if (run.limit != CapturedRun::Limit::none)
    outcome.limit = "the time that a compiler may take";
  else if (run.signal != 0)
    outcome.limit = "what NVRTC stands: it crashed";
  else if (!outcome.succeeded)
    outcome.limit = limit_in(run.output);
  // NVRTC has absolute paths; people, reports and the cache see what the user typed: /home/me/lab/ becomes lab/.
  const auto own = file.parent_path().string() + '/';
  const fs::path typed(request.file);
  const auto shown = typed.has_parent_path() ? typed.parent_path().string() + '/' : "";
  replace_all(outcome.compiled.log, own, shown);
  outcome.compiled.log = without_controls(outcome.compiled.log);
  std::string ptx;
  for (const auto& line : split(outcome.compiled.ptx, '\n')) {
    std::string shorter = line;
    if (line.find(".file") != std::string::npos) replace_all(shorter, own, shown);
    ptx += shorter + '\n';
  }
  if (!ptx.empty()) ptx.pop_back();
  outcome.compiled.ptx = std::move(ptx);
  return outcome;
}

void compile_if_nvrtc_process(int argc, const char* const* argv) {
  if (argc != 2 || std::string_view(argv[1]) != process_argument) return;
  try {
    end(compile_here());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "NVRTC: %s\n", error.what());
    end(3);
  }
}

}  // namespace gpulab
