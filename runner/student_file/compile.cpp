#include "runner/student_file/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/fnv.h"
#include "common/text.h"
#include "runner/student_file/compilers/messages.h"
#include "runner/student_file/compilers/nvcc.h"
#include "runner/student_file/compilers/nvrtc_process.h"
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
    return usage_error(fmt::format("{} does not compile: it goes beyond {}", request.file, outcome.limit), {},
                       compiler.path);
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
  if (request.isolation.on && first->text.find("Permission denied") != std::string::npos)
    hint = "a file sees its own folder and the toolkit alone; --no-isolation lets it read whatever you can";
  // NVRTC has names of its own for the line that asks for an instance.
  if (first->file == SourceCopy::instance_name || first->file.starts_with("__nv")) {
    return usage_error(fmt::format("--kernel: '{}' cannot be instantiated: {}", request.instance, first->text), hint);
  }
  return usage_error(fmt::format("{} does not compile: {}", request.file, first->text), hint,
                     first->line > 0 ? fmt::format("{}:{}", first->file, first->line) : first->file);
}

/// All that the PTX depends on.
std::uint64_t key_of(const CompileRequest& request, const Compiler& compiler) {
  return fnv1a64(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{:x}", version(), identity_of(compiler.path), request.file,
                             request.instance, request.architecture(), fmt::join(request.options.words(), "\n"),
                             content_hash(request.file, request.source)));
}

std::vector<CompileError> errors_of(std::string_view log) {
  std::vector<CompileError> errors;
  for (const auto& line : split(log, '\n'))
    if (auto error = first_error(line)) errors.push_back(std::move(*error));
  return errors;
}

/// Compiles, where it has to with other options and without the host code that is wrong (second_attempt.h).
CompileOutcome compile_as_far_as_needed(CompileRequest request, const std::string& nvcc) {
  auto outcome = compile_with_nvcc(request, nvcc);
  std::optional<CompileError> host;      ///< the first error that was passed over
  std::optional<CompileOutcome> before;  ///< what came of it with all its host code
  for (int attempt = 1; !outcome.succeeded && outcome.limit.empty(); ++attempt) {
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
  if (!host) return outcome;
  if (!outcome.succeeded || lacks_device_code(outcome.compiled.ptx)) return *before;
  outcome.compiled.log = fmt::format("note: {}: host code that does not compile is passed over: {}:{}: {}\n",
                                     request.file, host->file, host->line, host->text) +
                         outcome.compiled.log;
  return outcome;
}

}  // namespace

Compiled compile(const CompileRequest& request, const Compiler& compiler) {
  const auto key = key_of(request, compiler);
  auto known = cached(key);
  if (!known) {
    auto outcome = compiler.kind == Compiler::Kind::nvcc ? compile_as_far_as_needed(request, compiler.path)
                                                         : compile_with_nvrtc(request, compiler.path);
    if (!outcome.succeeded) {
      std::fputs(outcome.compiled.log.c_str(), stderr);
      throw failure(request, compiler, outcome);
    }
    keep(key, outcome.compiled);
    known = std::move(outcome.compiled);
  }
  std::fputs(known->log.c_str(), stderr);
  return std::move(*known);
}

}  // namespace gpulab
