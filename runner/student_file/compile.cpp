#include "runner/student_file/compile.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>

#include "common/error.h"
#include "common/fnv.h"
#include "common/text.h"
#include "runner/student_file/captured_run.h"
#include "runner/student_file/nvrtc.h"
#include "runner/student_file/source_file.h"
#include "runner/version.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// What the compiler calls the line that asks for an instance.
constexpr const char* instance_file = "--kernel";

/// A folder of our own, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* named = std::getenv("TMPDIR");
    const std::string place = named != nullptr && *named != '\0' ? named : "/tmp";
    std::string pattern = place + "/gpulab-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
      throw Error(ExitCode::missing, fmt::format("no folder can be made in {}: {}", place, std::strerror(errno)), {},
                  "the compiler needs one; TMPDIR names another place");
    }
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Outcome {
  bool succeeded = false;
  Compiled compiled;
};

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

/// The compiler sees absolute paths; people, reports and the cache see what the user typed: /home/me/lab/ becomes lab/.
void shorten_paths(const std::string& file, std::string& text) {
  const fs::path typed(file);
  const std::string folder = fs::absolute(typed).lexically_normal().parent_path().string() + '/';
  if (folder.size() <= 1) return;
  replace_all(text, folder, typed.has_parent_path() ? typed.parent_path().string() + '/' : "");
}

/// The paths in a PTX text are in its .file directives.
std::string with_short_paths(const std::string& file, const std::string& ptx) {
  std::string out;
  for (const auto& line : split(ptx, '\n')) {
    std::string shorter = line;
    if (line.find(".file") != std::string::npos) shorten_paths(file, shorter);
    out += shorter + '\n';
  }
  if (!out.empty()) out.pop_back();
  return out;
}

/// "compute_90" of those that `nvcc --list-gpu-arch` names in ascending order: the newest up to `wanted`, else the
/// oldest.
int nvcc_architecture(const std::string& nvcc, int wanted) {
  int best = 0;
  for (const auto& line : split(run_captured({nvcc, "--list-gpu-arch"}).output, '\n')) {
    const auto number = line.starts_with("compute_") ? parse_integer(line.substr(8)) : std::nullopt;
    if (number && (best == 0 || *number <= wanted)) best = static_cast<int>(*number);
  }
  return best == 0 ? wanted : best;
}

/// A source text that includes the user's file and names the instance: nvcc compiles an instance that is named.
std::string with_instance(const CompileRequest& request) {
  return fmt::format(
      "#include \"{}\"\n"
      "#line 1 \"{}\"\n"
      "template <auto kernel> struct GpulabInstance {{}}; template struct GpulabInstance<{}>;\n",
      fs::absolute(request.file).lexically_normal().string(), instance_file, request.instance);
}

Outcome compile_with_nvcc(const CompileRequest& request, const std::string& nvcc) {
  const TemporaryFolder folder;
  std::string source = fs::absolute(request.file).lexically_normal().string();
  if (!request.instance.empty()) {
    source = (folder.path() / "instance.cu").string();
    std::ofstream(source) << with_instance(request);
  }
  const auto ptx = (folder.path() / "out.ptx").string();
  const auto run = run_captured({nvcc, "-ptx", "-std=c++17", "-lineinfo", "-Wno-deprecated-gpu-targets",
                                 fmt::format("-arch=compute_{}", nvcc_architecture(nvcc, request.compute_capability)),
                                 "-o", ptx, source});
  Outcome outcome{run.exit_code == 0, {{}, run.output}};
  if (outcome.succeeded) outcome.compiled.ptx = read_file(ptx, nvcc);
  return outcome;
}

Outcome compile_with_nvrtc(const CompileRequest& request, const std::string& library) {
  const Nvrtc nvrtc(library);
  const auto file = fs::absolute(request.file).lexically_normal();
  std::vector<std::string> options{
      fmt::format("--gpu-architecture=compute_{}", nvrtc.architecture(request.compute_capability)), "--std=c++17",
      "--generate-line-info", "-I" + file.parent_path().string()};
  for (const auto& folder : include_folders(nvrtc.path())) options.push_back("-I" + folder);
  auto made = nvrtc.compile(request.source, file.string(), request.instance, options);
  return {made.succeeded, {std::move(made.ptx), std::move(made.log)}};
}

Error failure(const CompileRequest& request, const Compiler& compiler, const std::string& log) {
  const bool nvrtc = compiler.kind == Compiler::Kind::nvrtc;
  std::string hint = fmt::format("the messages above are {}'s", nvrtc ? "NVRTC" : "nvcc");
  const auto host = host_code(request.source);
  if (nvrtc && (!host.empty() || log.find("iostream") != std::string::npos)) {
    hint =
        "NVRTC compiles device code alone, and this file holds host code: put that between "
        "#ifndef __CUDACC_RTC__ and #endif, or install nvcc, which passes over it";
  }
  const auto first = first_error(log);
  if (!first) return usage_error(fmt::format("{} does not compile", request.file), hint, compiler.path);
  // NVRTC has names of its own for the line that asks for an instance.
  if (first->file == instance_file || first->file.starts_with("__nv")) {
    return usage_error(fmt::format("--kernel: '{}' cannot be instantiated: {}", request.instance, first->text), hint);
  }
  return usage_error(fmt::format("{} does not compile: {}", request.file, first->text), hint,
                     first->line > 0 ? fmt::format("{}:{}", first->file, first->line) : first->file);
}

/// A tool that was replaced has another size or date.
std::string identity(const std::string& tool) {
  std::error_code ignored;
  const auto file = fs::weakly_canonical(tool, ignored);
  return fmt::format("{} {} {}", file.string(), fs::file_size(file, ignored),
                     fs::last_write_time(file, ignored).time_since_epoch().count());
}

/// All that the PTX depends on.
std::uint64_t key_of(const CompileRequest& request, const Compiler& compiler) {
  return fnv1a64(fmt::format("{}\n{}\n{}\n{}\n{}\n{:x}", version(), identity(compiler.path), request.file,
                             request.instance, request.compute_capability, content_hash(request.file, request.source)));
}

/// What `ptxas -v` says of one kernel, once for each text; nothing where it refuses it.
std::string ptxas_log(const std::string& ptx, const std::string& entry, int sm, const std::string& ptxas) {
  const auto key = fnv1a64(ptx, fnv1a64(fmt::format("{}\n{}\n{}\n{}", version(), identity(ptxas), entry, sm)));
  if (const auto known = cached(key)) return known->log;
  const TemporaryFolder folder;
  const auto file = (folder.path() / "kernel.ptx").string();
  std::ofstream(file, std::ios::binary) << ptx;
  auto run = run_captured({ptxas, "-v", fmt::format("-arch=sm_{}", sm), "--entry", entry, "-o", "/dev/null", file});
  if (run.exit_code != 0) run.output.clear();
  keep(key, {{}, run.output});
  return run.output;
}

}  // namespace

Compiled compile(const CompileRequest& request, const Compiler& compiler) {
  const auto key = key_of(request, compiler);
  auto known = cached(key);
  if (!known) {
    auto outcome = compiler.kind == Compiler::Kind::nvcc ? compile_with_nvcc(request, compiler.path)
                                                         : compile_with_nvrtc(request, compiler.path);
    shorten_paths(request.file, outcome.compiled.log);
    if (!outcome.succeeded) {
      std::fputs(outcome.compiled.log.c_str(), stderr);
      throw failure(request, compiler, outcome.compiled.log);
    }
    outcome.compiled.ptx = with_short_paths(request.file, outcome.compiled.ptx);
    keep(key, outcome.compiled);
    known = std::move(outcome.compiled);
  }
  std::fputs(known->log.c_str(), stderr);
  return std::move(*known);
}

std::optional<CompileError> first_error(std::string_view log) {
  static const std::regex nvcc(R"(^(.+)\((\d+)\): (?:catastrophic |internal )?error(?: #\S+)?: (.*)$)");
  static const std::regex preprocessor(R"(^(.+?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$)");
  for (const auto& line : split(log, '\n')) {
    std::smatch found;
    if (!std::regex_match(line, found, nvcc) && !std::regex_match(line, found, preprocessor)) continue;
    return CompileError{found[1].str(), found[3].str(), static_cast<int>(parse_integer(found[2].str()).value_or(0))};
  }
  return std::nullopt;
}

std::optional<KernelResources> resources(const std::string& ptx, const std::string& entry, int sm,
                                         const std::string& ptxas) {
  const auto log = ptxas_log(ptx, entry, sm, ptxas);
  static const std::regex used(R"(Used (\d+) registers)"), shared(R"((\d+) bytes smem)"),
      stack(R"((\d+) bytes stack frame)");
  std::smatch found;
  const auto number = [&](const std::regex& what) {
    return std::regex_search(log, found, what) ? static_cast<int>(parse_integer(found[1].str()).value_or(0)) : 0;
  };
  if (number(used) == 0) return std::nullopt;
  return KernelResources{sm, number(used), number(shared), number(stack)};
}

}  // namespace gpulab
