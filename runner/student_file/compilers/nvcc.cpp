#include "runner/student_file/compilers/nvcc.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "common/child/captured_run.h"
#include "common/child/private_folder.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/student_file/compilers/dependencies.h"
#include "runner/student_file/compilers/isolation.h"
#include "runner/student_file/compilers/messages.h"
#include "runner/student_file/compilers/source_copy.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// "compute_90" of those that `nvcc --list-gpu-arch` names in ascending order: the newest up to `wanted`, else the
/// oldest.
int known_architecture(const std::string& nvcc, int wanted) {
  int best = 0;
  for (const auto& line : split(run_captured({nvcc, "--list-gpu-arch"}).output, '\n')) {
    const auto number = line.starts_with("compute_") ? parse_integer(line.substr(8)) : std::nullopt;
    if (number && (best == 0 || *number <= wanted)) best = static_cast<int>(*number);
  }
  return best == 0 ? wanted : best;
}

/// The private folder's path stands in command lines that a shell reads.
void check_place(const fs::path& folder) {
  const auto odd = folder.string().find_first_of("$`\"'\\;&|<>*?!()[]{}#~\n\t ");
  if (odd == std::string::npos) return;
  throw Error(ExitCode::missing, fmt::format("nvcc cannot work in '{}'", folder.parent_path().string()), {},
              "set TMPDIR to a folder whose path has no blanks and none of a shell's characters");
}

/// What nvcc has kept of the preprocessor's work.
std::string kept_text(const fs::path& folder) {
  std::error_code failed;
  for (const auto& file : fs::directory_iterator(folder, failed))
    if (file.path().string().ends_with(".cpp1.ii")) return read_file(file.path().string(), "nvcc");
  return {};
}

/// One nvcc, with all that its calls share.
class NvccCall {
 public:
  NvccCall(const CompileRequest& request, const std::string& nvcc)
      : request_(request), nvcc_(nvcc), copy_(request, folder_.path()) {
    check_place(folder_.path());
  }

  CompileOutcome compile() {
    check_what_it_reads();
    auto run = call(request_.architecture());
    // It says so at once where it does not know the architecture.
    if (run.exit_code != 0 && run.output.find("Unsupported gpu architecture") != std::string::npos)
      run = call(known_architecture(nvcc_, request_.architecture()));
    CompileOutcome outcome{run.exit_code == 0, {{}, copy_.messages(run.output)}, {}, limit_of(run)};
    outcome.killed = !outcome.succeeded && outcome.limit.empty() && is_killed(run);
    outcome.preprocessed = preprocessed(kept_text(folder_.path()));
    if (outcome.succeeded) outcome.compiled.ptx = copy_.ptx(read_file((folder_.path() / "out.ptx").string(), nvcc_));
    return outcome;
  }

  std::optional<Preprocessed> preprocess() {
    const auto run = call(request_.architecture(), "-E", "preprocessed.txt");
    if (run.exit_code != 0) return std::nullopt;
    return preprocessed(read_file((folder_.path() / "preprocessed.txt").string(), nvcc_));
  }

 private:
  [[nodiscard]] std::vector<std::string> readable() const {
    std::vector<std::string> all;
    if (!copy_.own_folder().empty()) all.push_back(copy_.own_folder());
    for (const auto& place : request_.options.places) all.push_back(place.path);
    return all;
  }

  /// The files as they lie in the user's folders; the copy is none of them.
  [[nodiscard]] Preprocessed preprocessed(std::string text) const {
    const auto folder = fs::canonical(folder_.path()).string() + '/';
    const auto neighbours = folder + SourceCopy::link_name + '/';
    std::vector<std::string> files;
    for (auto& file : files_read(text, folder)) {
      if (file.starts_with(neighbours))
        files.push_back(copy_.own_folder() + '/' + file.substr(neighbours.size()));
      else if (!file.starts_with(folder))
        files.push_back(std::move(file));
    }
    return {std::move(text), std::move(files)};
  }

  CapturedRun call(int architecture, const std::string& what = "-ptx", const std::string& out = "out.ptx") {
    std::vector<std::string> command{nvcc_, what, "-Wno-deprecated-gpu-targets",
                                     fmt::format("-arch=compute_{}", architecture)};
    for (const auto& folder : copy_.neighbours())
      command.insert(command.end(), {"-Xcompiler", fmt::format("-iquote,{}", folder)});
    for (auto& word : request_.options.words()) command.push_back(std::move(word));
    if (what == "-ptx") command.emplace_back("--keep");
    command.insert(command.end(), {"-o", out, copy_.file()});
    return run_captured(compiler_plan(request_.isolation, command, nvcc_, folder_.path(), readable()));
  }

  /// Without Landlock nothing stops the compiler from reading what it likes: what it would read is looked at first.
  void check_what_it_reads() {
    if (!request_.isolation.on || isolation_support().landlock > 0) return;
    const auto made = preprocess();
    if (!made) return;  // the compiler will say why
    auto allowed = readable();
    for (auto& folder : toolchain_folders(nvcc_)) allowed.push_back(std::move(folder));
    check_dependencies(request_.file, made->files, allowed);
  }

  [[nodiscard]] static std::string limit_of(const CapturedRun& run) {
    if (run.limit == CapturedRun::Limit::idle) return "the time that a compiler may wait for a file";
    if (run.limit == CapturedRun::Limit::wall) return "the time that a compiler may take";
    if (run.signal == SIGXCPU) return limit_in("CPU time limit exceeded");
    return run.exit_code == 0 ? "" : limit_in(run.output);
  }

  /// Behind an error of the file's own that sentence may be the file's, too.
  [[nodiscard]] static bool is_killed(const CapturedRun& run) {
    return run.signal == SIGKILL || (was_killed(run.output) && !first_error(run.output));
  }

  const CompileRequest& request_;
  const std::string& nvcc_;
  PrivateFolder folder_;
  SourceCopy copy_;
};

}  // namespace

std::optional<Preprocessed> preprocess_with_nvcc(const CompileRequest& request, const std::string& nvcc) {
  return NvccCall(request, nvcc).preprocess();
}

CompileOutcome compile_with_nvcc(const CompileRequest& request, const std::string& nvcc) {
  return NvccCall(request, nvcc).compile();
}

}  // namespace gpulab
