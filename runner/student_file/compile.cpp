#include "runner/student_file/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "common/child/killed.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/student_file/compilers/advice.h"
#include "runner/student_file/compilers/dependencies.h"
#include "runner/student_file/compilers/messages.h"
#include "runner/student_file/compilers/nvcc.h"
#include "runner/student_file/compilers/nvrtc_process.h"
#include "runner/student_file/compilers/sha256.h"
#include "runner/student_file/compilers/source_copy.h"
#include "runner/student_file/host_code.h"
#include "runner/student_file/second_attempt.h"
#include "runner/student_file/source_file.h"
#include "runner/version.h"

namespace gpulab {
namespace {

Error failure(const CompileRequest& request, const Compiler& compiler, const CompileOutcome& outcome) {
  const auto& log = outcome.compiled.log;
  if (!outcome.limit.empty())
    return usage_error(fmt::format("{} does not compile: it goes beyond {}", request.file, outcome.limit),
                       "--compile-limit SECONDS gives it more time", compiler.path);
  const bool nvrtc = compiler.kind == Compiler::Kind::nvrtc;
  std::string hint = fmt::format("the messages above are {}'s", nvrtc ? "NVRTC" : "nvcc");
  const auto host = host_code(request.source);
  if (nvrtc && (!host.empty() || log.find("iostream") != std::string::npos)) {
    hint =
        "NVRTC compiles device code alone, and this file holds host code: put that between "
        "#ifndef __CUDACC_RTC__ and #endif, or install nvcc, which passes over it";
  }
  auto first = first_error(log);
  if (!first) first = unplaced_error(log);
  if (!first) return usage_error(fmt::format("{} does not compile", request.file), hint, compiler.path);
  if (request.isolation.on && first->text.find("Permission denied") != std::string::npos)
    hint = "a file sees its own folder, the toolkit and what -I adds; --no-isolation lets it read whatever you can";
  if (const auto advice = advice_on(*first, request.source); !advice.empty()) first->text += "; " + advice;
  // NVRTC has names of its own for the line that asks for an instance.
  if (first->file == SourceCopy::instance_name || first->file.starts_with("__nv")) {
    return usage_error(fmt::format("--kernel: '{}' cannot be instantiated: {}", request.instance, first->text), hint);
  }
  return usage_error(fmt::format("{} does not compile: {}", request.file, first->text), hint,
                     first->line > 0 ? fmt::format("{}:{}", first->file, first->line) : first->file);
}

std::vector<CompileError> errors_of(std::string_view log) {
  std::vector<CompileError> errors;
  for (const auto& line : split(log, '\n'))
    if (auto error = first_error(line)) errors.push_back(std::move(*error));
  return errors;
}

/// The file as CompileRequest::amended names it.
std::string main_path(const CompileRequest& request) {
  return std::filesystem::absolute(request.file).lexically_normal();
}

/// Compiles, where it has to with other options and without the host code that is wrong (second_attempt.h).
CompileOutcome compile_as_far_as_needed(CompileRequest request, const std::string& nvcc) {
  auto outcome = compile_with_nvcc(request, nvcc);
  const auto preprocessed = outcome.preprocessed;
  std::optional<CompileError> host;      ///< the first error that was passed over
  std::optional<CompileOutcome> before;  ///< what came of it with all its host code
  for (int attempt = 1; !outcome.succeeded && outcome.limit.empty() && !outcome.killed; ++attempt) {
    const auto errors = errors_of(outcome.compiled.log);
    auto next = next_attempt(request, outcome.compiled.log, errors, attempt);
    if (!next) break;
    if (!host && next->amended != request.amended) {
      host = errors.front();
      before = outcome;
    }
    request = std::move(*next);
    outcome = compile_with_nvcc(request, nvcc);
  }
  // What is kept is found by the file as it is, where it can be preprocessed so. Else by what was compiled, unless that
  // holds amended headers: changes of the headers themselves would go unseen.
  const bool headers = request.amended.size() > request.amended.count(main_path(request));
  if (!preprocessed.text.empty() || headers) outcome.preprocessed = preprocessed;
  if (!host) return outcome;
  if (!outcome.succeeded || lacks_device_code(outcome.compiled.ptx)) return *before;
  outcome.compiled.log = fmt::format("note: {}: host code that does not compile is passed over: {}:{}: {}\n",
                                     request.file, host->file, host->line, host->text) +
                         outcome.compiled.log;
  return outcome;
}

/// All that decides what comes out, but for the texts that the compiler reads.
std::string conditions(const CompileRequest& request, const Compiler& compiler) {
  const char* host_compiler = std::getenv("NVCC_CCBIN");
  const auto gcc = find_in_path("gcc");
  return sha256({version(), identity_of(compiler.path), host_compiler != nullptr ? host_compiler : "",
                 gcc ? identity_of(*gcc) : "", request.file, request.instance, std::to_string(request.architecture()),
                 join(request.options.words(), "\n"), request.isolation.on ? "isolated" : "",
                 request.isolation.alone ? "alone" : ""});
}

std::string own_folder(const CompileRequest& request) {
  return std::filesystem::path(main_path(request)).parent_path();
}

/// The folder in which nvcc looks for the file's neighbours. Empty where it is to see none (compilers/source_copy.h):
/// then the same text gives the same PTX wherever it lies, and what `check` compiled serves `grade`.
std::string seen_folder(const CompileRequest& request) { return request.isolation.alone ? "" : own_folder(request); }

void say(const CompileRequest& request, const std::string& log) {
  if (request.messages != nullptr)
    *request.messages += log;
  else
    std::fputs(log.c_str(), stderr);
}

Compiled compiled(CompileOutcome outcome, const CompileRequest& request, const Compiler& compiler) {
  if (outcome.succeeded) return std::move(outcome.compiled);
  say(request, outcome.compiled.log);
  if (outcome.killed) throw Killed("the compiler of " + request.file);
  throw failure(request, compiler, outcome);
}

/// What is known of a file's text: under which key that which was made of it is kept, and while what holds.
struct Known {
  std::string state, key;
};
std::optional<Known> known_of(const std::string& file_key) {
  auto texts = cached_texts(file_key);
  if (!texts || texts->size() != 2) return std::nullopt;
  return Known{std::move(texts->at(0)), std::move(texts->at(1))};
}

/// PTX is kept under the preprocessed text. Preprocessing takes a fifth of compiling: it is left out where the file is
/// known and all that it was made of is as it was.
Compiled by_nvcc(const CompileRequest& request, const Compiler& compiler) {
  const auto base = conditions(request, compiler), folder = seen_folder(request);
  const auto file_key = sha256({"file", base, folder, request.source});
  const auto before = known_of(file_key);
  if (before && holds(before->state)) {
    if (auto known = cached(before->key)) return std::move(*known);
  }
  const auto remember = [&](const Preprocessed& made) {
    auto key = sha256({"nvcc", base, made.text});
    // A folder that comes first may get a header of the same name: with -I the preprocessor is always asked.
    const auto state = request.options.places.empty() ? state_of(request.source, made.files, folder) : std::nullopt;
    keep_texts(file_key, {state.value_or(""), key});
    return key;
  };
  if (before) {
    if (const auto made = preprocess_with_nvcc(request, compiler.path)) {
      if (auto known = cached(remember(*made))) return std::move(*known);
    }
  }
  auto outcome = compile_as_far_as_needed(request, compiler.path);
  const auto preprocessed = std::move(outcome.preprocessed);
  auto made = compiled(std::move(outcome), request, compiler);
  if (!preprocessed.text.empty()) keep(remember(preprocessed), made);
  return made;
}

/// NVRTC shows no preprocessed text: in its place are the file and what it includes from beside it, where the text
/// shows all of that. Its PTX names the file by its whole path: a file that sees no neighbours has a folder, too.
Compiled by_nvrtc(const CompileRequest& request, const Compiler& compiler) {
  const auto files = included_files(request.file, request.source);
  const auto state =
      request.options.places.empty() ? state_of(request.source, files, own_folder(request)) : std::nullopt;
  const auto key =
      sha256({"nvrtc", conditions(request, compiler), own_folder(request), request.source, state.value_or("")});
  if (state) {
    if (auto known = cached(key)) return std::move(*known);
  }
  auto made = compiled(compile_with_nvrtc(request, compiler.path), request, compiler);
  if (state) keep(key, made);
  return made;
}

}  // namespace

Compiled compile(const CompileRequest& request, const Compiler& compiler) {
  auto made = compiler.kind == Compiler::Kind::nvcc ? by_nvcc(request, compiler) : by_nvrtc(request, compiler);
  say(request, made.log);
  return made;
}

}  // namespace gpulab
