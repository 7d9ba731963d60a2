#include "runner/judge/submission_ptx.h"

#include <memory>
#include <utility>

#include "runner/student_file/compile.h"
#include "runner/student_file/compilers/ptxas.h"
#include "runner/student_file/kernel_file.h"

namespace gpulab {
namespace {

Compiler compiler_here() {
  const auto nvcc = find_nvcc();
  return choose_compiler("auto", without_stand_in(nvcc), [&] { return find_nvrtc(nvcc); });
}

/// The file sees no file beside it.
Isolation isolation_of(const JudgeRequest& request) { return {.on = request.isolated, .alone = true}; }

}  // namespace

SubmissionPtx::SubmissionPtx(const JudgeRequest& request, const std::vector<Contract>& contracts)
    : request_(request),
      compiler_(compiler_here()),
      instances_(wanted_instances(request.source, contracts, request.kernel)) {}

std::string SubmissionPtx::compile(int capability, std::string* messages) {
  capability_ = capability;
  auto error = compile_with(instances_, messages);
  // What we ask for may be what is wrong: a template that is not for these types stands beside the kernel.
  if (error && !instances_.empty() && !compile_with("", messages)) {
    instance_problem_ = problem_text(*error);
    error.reset();
  }
  return error ? problem_text(*error) : "";
}

std::optional<Error> SubmissionPtx::compile_with(const std::string& instances, std::string* messages) {
  try {
    text_ = gpulab::compile({.file = request_.file,
                             .source = request_.source,
                             .instance = instances,
                             .compute_capability = capability_,
                             .isolation = isolation_of(request_),
                             .options = request_.compile,
                             .amended = {},
                             .messages = messages},
                            compiler_)
                .ptx;
    return std::nullopt;
  } catch (const Error& error) {
    if (error.code != ExitCode::usage) throw;
    return error;
  }
}

/// "FILE:7: expected a ";"".
std::string SubmissionPtx::problem_text(const Error& error) const {
  std::string what = error.what();
  const auto known = request_.file + " does not compile: ";
  if (!error.where.empty() && what.starts_with(known)) what = error.where + ": " + what.substr(known.size());
  if (what.find("No such file or directory") != std::string::npos)
    what += " (it is compiled alone, and sees no file beside it; -I FOLDER adds one)";
  return what;
}

Lab kernel_lab(const JudgeRequest& request, const SubmissionPtx& ptx, const FoundKernel& kernel, bool with_resources) {
  KernelFile file;
  file.file = request.file;
  file.source = request.source;
  file.ptx = ptx.text();
  file.compute_capability = ptx.capability();
  file.entry = kernel.entry;
  if (with_resources) {
    if (const auto ptxas = find_ptxas(find_nvcc()))
      file.resources = resources(file.ptx, kernel.entry, file.compute_capability, *ptxas, isolation_of(request));
  }
  Lab lab;
  lab.name = "run";
  lab.file = std::make_shared<const LoadedKernelFile>(std::move(file));
  lab.variants.push_back({.name = kernel.signature.name, .summary = {}, .kernel = kernel.entry});
  return lab;
}

}  // namespace gpulab
