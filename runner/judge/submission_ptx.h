#pragma once
// A submission's PTX: compiled alone, with the instances that a contract asks of its templates.

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "runner/judge/judge.h"
#include "runner/judge/kernel_search/find_kernel.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {

class SubmissionPtx {
 public:
  /// Throws Error (missing) where there is no compiler.
  SubmissionPtx(const JudgeRequest& request, const std::vector<Contract>& contracts);

  /// For a GPU of this compute capability: 90 for 9.0. Why it does not compile; empty: it does. `messages` takes what
  /// the compiler says; null: standard error does. Throws Error: interrupted, killed (common/child/killed.h).
  [[nodiscard]] std::string compile(int capability, std::string* messages);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] int capability() const { return capability_; }
  /// Why templates have no instances; empty: they have, or there are none.
  [[nodiscard]] const std::string& instance_problem() const { return instance_problem_; }

 private:
  [[nodiscard]] std::optional<Error> compile_with(const std::string& instances, std::string* messages);
  [[nodiscard]] std::string problem_text(const Error& error) const;

  const JudgeRequest& request_;
  Compiler compiler_;
  std::string instances_, text_, instance_problem_;
  int capability_ = 0;
};

/// One of its kernels as a lab of one variant, to be run by a process of its own: what that makes of it is its own
/// affair (runner/execution/worker.h), and here nobody parses it. With what ptxas says of it, where there is one.
[[nodiscard]] Lab kernel_lab(const JudgeRequest& request, const SubmissionPtx& ptx, const FoundKernel& kernel,
                             bool with_resources);

}  // namespace gpulab
