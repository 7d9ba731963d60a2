#pragma once
// What requirements compare a kernel with: rungs of the lab and the assignment's reference solution, at the size at
// which kernels are counted and at the key's. Counted once for an assignment, and not for each submission.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "common/error.h"
#include "runner/grade/input/assignment.h"
#include "runner/grade/judging_child.h"

namespace gpulab {

/// Of an assignment, what its submissions are asked. `secret`: of the key; empty: there is none.
[[nodiscard]] Questions questions_of(const Assignment& assignment, const std::string& secret);

/// The assignment's own reference is not right: nothing can be compared with it. Exit code 2.
class WrongReference : public Error {
 public:
  WrongReference(const Assignment& assignment, const std::string& why)
      : Error(ExitCode::usage, assignment.path + ": the reference is not right: " + why, assignment.reference,
              "'gpulab assignment lint' says more"),
        why(why) {}
  std::string why;
};

/// The same without what is hidden: items, and classes and sizes of a key.
[[nodiscard]] Assignment public_part(Assignment assignment);
[[nodiscard]] Questions public_questions(const Assignment& assignment);

/// What a requirement may name, of a kernel that was counted.
[[nodiscard]] Measured measured_in(const CountFact& count, const std::string& counter);

class Standard {
 public:
  /// Judges the reference solution where something is compared with it. Throws WrongReference; Error where our own
  /// trouble kept it from being judged. Where all is public it may be missing: students do not have it.
  Standard(const Assignment& assignment, const Questions& questions);

  /// Nothing is asked but what everybody may see: there are no verdicts on inputs of a key.
  [[nodiscard]] bool is_public() const { return !questions_.trials.hidden; }

  /// `type`: T of the kernel that is compared. Threads may ask at once.
  [[nodiscard]] Measured value(const std::string& rung, const std::string& counter, const std::string& type,
                               bool hidden);

 private:
  [[nodiscard]] Measured of_reference(const std::string& counter, const std::string& type, bool hidden) const;
  const Result& counted(const std::string& rung, const std::string& type, bool hidden);

  const Assignment& assignment_;
  const Questions& questions_;
  std::optional<Facts> reference_;
  std::mutex mutex_;
  std::unique_ptr<Executor> simulator_;
  std::map<std::tuple<std::string, std::string, bool>, Result> rungs_;
};

/// The reference's facts, as of any submission.
[[nodiscard]] Facts judge_file(const Questions& questions, const std::string& path);

}  // namespace gpulab
