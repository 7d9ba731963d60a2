#pragma once
// What `gpulab check` says of a student's kernel, as data: gpulab.check.v1.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/enum_text.h"
#include "labs/lab.h"
#include "runner/case/result.h"

namespace gpulab {

/// not_run: something before it failed, or nobody asked. pending: it needs what this machine lacks.
enum class Verdict : std::uint8_t { passed, failed, pending, not_run };
constexpr std::array<std::string_view, 4> words_of(Verdict) { return {"passed", "failed", "pending", "not_run"}; }

struct JudgedItem {
  std::string name;  ///< compile, signature, correct, sanitize, require
  Verdict verdict = Verdict::not_run;
  std::string message{};
};

/// An element that is not as it must be, and whose it was.
struct JudgedMismatch {
  Mismatch mismatch;
  std::optional<std::pair<Dim3, Dim3>> owner{};  ///< block and thread, where one thread makes the element
};

/// One size of one class of inputs.
struct JudgedShape {
  std::string name, about, hint;  ///< of the class
  std::string type;               ///< T of the kernel; empty: it has none
  std::vector<std::pair<std::string, ParamValue>> params{};
  Dim3 grid{}, block{};
  CaseStatus status = CaseStatus::skipped;  ///< skipped: not run, `message` says why
  std::string message{};
  bool unwatched = false;  ///< racecheck could not watch it (status error): it is neither right nor wrong
  std::string buffer{};    ///< of the mismatches
  std::vector<JudgedMismatch> mismatches{};
};

struct JudgedRequirement {
  std::string text{};     ///< as it was asked for
  std::string counter{};  ///< that it is about
  Verdict verdict = Verdict::not_run;
  std::string message{};  ///< what is, against what must be
  /// The same in numbers, of what can be compared. Modelled times beside a rung's: in times of that.
  std::optional<double> value{}, bound{};
  double share = 0;  ///< of the points: 1 where it passed, else by its nearness to the bound
};

/// A class of inputs of which nothing else is told.
struct HiddenClass {
  std::string name;
  bool right = false, late = false;    ///< late: it met the backstop of the wall clock
  bool unwatched = false;              ///< as of JudgedShape
  std::vector<std::string> accused{};  ///< by tools whose findings are errors
};

/// What a kernel is timed beside: a rung of the lab, at a size.
struct TimedQuestion {
  std::string rung;
  std::map<std::string, ParamValue, std::less<>> size;
};
/// Its time by the rung's.
struct TimedRatio {
  std::optional<double> ratio{};
  std::string wrong{};    ///< what the GPU saw it do wrong
  std::string problem{};  ///< ours: why there is no ratio
};

/// A launch that a kernel was judged with.
struct JudgedLaunch {
  std::string kernel;
  ContractLaunch launch;
  bool every_class = true;  ///< false: on a few classes alone
  std::string because{};    ///< "which its source asks for"; empty: the contract asks everybody for it
};

struct Judgement {
  DeviceInfo device;
  std::string lab, contract, signature, file;
  std::vector<std::string> kernels{};  ///< "total<float>"; several instances of one template
  std::uint64_t seed = 42;
  std::vector<JudgedItem> items{};
  std::vector<JudgedLaunch> launches{};
  /// The same in words: "blocks of 64, which its source asks for"; empty: there is no choice.
  std::string blocks{};
  bool asks_for_blocks = false;  ///< the source does
  std::vector<JudgedShape> shapes{};
  std::vector<Finding> findings{};
  std::vector<JudgedRequirement> requirements{};
  /// At the reference size: the kernel first, then rungs of the lab.
  std::vector<Result> beside{};
  std::vector<std::string> subject{};  ///< Lab::subject
  /// "gpulab explain FILE --contract C": what shows its lines as they were counted; empty: nothing does.
  std::string explain_command{};
  std::string output{};          ///< what the kernel printed
  bool out_of_time = false;      ///< a process that ran it had used up its CPU time
  std::uint64_t output_cut = 0;  ///< bytes beyond that
  std::string messages{};        ///< the compiler's, where it refuses the file
  std::vector<std::string>
      constructs{};  ///< that the kernels' PTX has: "atomics" (runner/judge/inspection/constructs.h)

  // Of a judging for a grade.
  std::vector<HiddenClass> hidden{};
  std::vector<Result> counted{}, hidden_counted{};  ///< each kernel at the reference size, and at a hidden one
  std::vector<TimedRatio> timed{};                  ///< in the order of the questions

  [[nodiscard]] bool passed() const {
    for (const auto& item : items)
      if (item.verdict == Verdict::failed) return false;
    return true;
  }
};

}  // namespace gpulab
