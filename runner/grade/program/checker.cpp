#include "runner/grade/program/checker.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/text.h"
#include "runner/export/export_text.h"
#include "runner/grade/program/case_run.h"
#include "runner/program/build_program.h"
#include "runner/program/python_program.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_sentence = 300;
constexpr std::uint64_t most_memory = std::uint64_t{512} << 20, most_said = 64 << 10;

std::string first_line(const std::string& text) {
  auto line = text.substr(0, text.find('\n'));
  while (line.ends_with('\r') || line.ends_with(' ')) line.pop_back();
  return cut(line, most_sentence);
}

std::string ending(const CaseRun& run) {
  switch (run.end) {
    case CaseRun::End::cpu:
    case CaseRun::End::idle:
    case CaseRun::End::wall:
      return "came to no end within 10 s";
    case CaseRun::End::output:
      return "printed more than 64 KiB";
    case CaseRun::End::limit:
      return run.limit;
    case CaseRun::End::itself:
      break;
  }
  if (run.signal != 0) return fmt::format("was ended by signal {}", run.signal);
  if (run.exit_code == 1) return "says wrong, and not why: the first line that it prints is its sentence";
  return fmt::format("ended with exit code {}: 0 is right, 1 is wrong", run.exit_code);
}

}  // namespace

Checker prepare_checker(const std::string& path, const std::string& folder, bool isolated) {
  Checker made;
  try {
    const auto name = fs::path(path).filename().string();
    const auto copy = fs::path(folder) / name;
    std::ofstream(copy, std::ios::binary) << read_source(path, "assignment");
    if (is_python(name)) {
      const auto python = find_python();
      made.program = python.interpreter;
      made.script = copy;
      made.readable = python.readable;
      made.readable.push_back(folder);
      return made;
    }
    const auto before = fs::current_path();
    fs::current_path(folder);
    std::string messages;
    BuildRequest build{.files = {name}, .options = {"-std=c++17"}};
    build.isolated = isolated;
    build.alone = true;
    build.messages = &messages;
    const auto program = fs::path(folder) / "checker";
    const bool is_built = build_program(build, program);
    fs::current_path(before);
    if (!is_built) made.trouble = fmt::format("the checker {} does not compile: {}", name, cut(messages, 2000));
    made.program = program;
  } catch (const Error& error) {
    made.trouble = fmt::format("the checker {}: {}", path, error.what());
  }
  return made;
}

CheckerAnswer ask(const Checker& checker, const LoadedCase& one, const std::string& output, bool isolated) {
  if (!checker.trouble.empty()) return {{}, checker.trouble};
  CaseRequest request{.program = checker.program, .readable = checker.readable, .files = one.files};
  if (!checker.script.empty()) request.arguments = {"-B", checker.script};
  for (const char* name : {"output", "expected", "input"}) {
    request.arguments.emplace_back(name);
    std::erase_if(request.files, [&](const auto& file) { return file.first == name; });
  }
  request.files.emplace_back("output", output);
  request.files.emplace_back("expected", one.expected);
  request.files.emplace_back("input", one.input);
  request.memory = most_memory;
  request.most_output = most_said;
  request.isolated = isolated;
  const auto run = run_case(request);
  const auto sentence = first_line(run.output);
  if (run.end == CaseRun::End::itself && run.signal == 0) {
    if (run.exit_code == 0) return {};
    if (run.exit_code == 1 && !sentence.empty()) return {sentence, {}};
  }
  return {{}, "the checker " + ending(run)};
}

}  // namespace gpulab
