#include "runner/grade/grading.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "common/child/interrupt.h"
#include "common/error.h"
#include "runner/grade/grade_document.h"
#include "runner/judge/timing.h"
#include "runner/report/json_text.h"
#include "runner/student_file/compilers/sha256.h"
#include "runner/student_file/source_file.h"
#include "runner/student_file/toolchain.h"
#include "runner/version.h"

namespace gpulab {
namespace {

using Json = nlohmann::json;

/// All that decides about each grade, but for the submission.
std::string basis_of(const GradingRequest& request) {
  const auto& questions = request.questions;
  const auto& assignment = *request.assignment;
  const auto reference = assignment.reference.empty()
                             ? std::string()
                             : read_source(main_file(assignment, assignment.reference), "assignment");
  const auto nvcc = find_nvcc();
  const auto secret = sha256({"gpulab key", questions.trials.hidden ? questions.trials.hidden->secret : ""});
  return sha256({version(), identity_of("/proc/self/exe"), assignment.text, reference, secret, questions.profile,
                 questions.isolated ? "isolated" : "", nvcc ? identity_of(*nvcc) : "",
                 questions.program ? questions.program->digest : ""});
}

/// Whatever the device, all but times is the same: what has nothing left to time need not be done again.
bool waits_for_time(const std::string& text) {
  const auto grade = Json::parse(text);
  return std::ranges::any_of(grade.at("items"), [](const Json& item) {
    return item.at("kind") == to_text(ItemKind::speed) && item.at("status") == to_text(Graded::pending);
  });
}

class Grading {
 public:
  Grading(const GradingRequest& request, std::vector<Submission> submissions)
      : request_(request),
        submissions_(std::move(submissions)),
        standard_(*request.assignment, request.questions),
        basis_(request.folder != nullptr ? basis_of(request) : ""),  // for what is kept
        documents_(submissions_.size()) {}

  std::vector<Json> run() {
    if (request_.folder != nullptr) {
      std::vector<std::string> names;
      for (const auto& submission : submissions_) names.push_back(shown_name(submission.name));
      request_.folder->begin(basis_, request_.assignment->title, names);
    }
    std::vector<std::thread> threads;
    const auto count = std::min<std::size_t>(static_cast<std::size_t>(request_.jobs), submissions_.size());
    threads.reserve(count);
    try {
      for (std::size_t i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // no more threads can be had: those that there are grade all
    }
    if (threads.empty()) work();
    for (auto& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    std::ranges::sort(late_);
    for (const auto index : late_) grade(index, true);
    return std::move(documents_);
  }

 private:
  void work() {
    try {
      for (std::size_t index = 0; (index = next_++) < submissions_.size();) {
        if (interrupted()) throw Error(ExitCode::interrupted, "interrupted");
        grade(index, false);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = submissions_.size();
    }
  }

  void grade(std::size_t index, bool alone) {
    auto& submission = submissions_[index];
    if (!alone) read_submission(submission, further_files());
    std::string others;
    for (const auto& [name, text] : submission.others) others += sha256({name, text});
    const auto basis =
        sha256({basis_, submission.name, submission.file, submission.source, submission.unreadable, others});
    const auto shown = shown_name(submission.name);
    if (request_.folder != nullptr && !alone) {
      const auto known = request_.folder->done(shown, basis);
      if (known && (!is_timed() || !waits_for_time(*known))) return settle(index, *known);
    }
    GradedSubmission made{.submission = submission, .facts = {}, .items = {}, .is_public = standard_.is_public()};
    if (submission.unreadable.empty() && !judge(index, alone, made)) return;
    const auto text = json_text(grade_json(*request_.assignment, made));
    if (request_.folder != nullptr) request_.folder->write(shown, basis, text, made.facts.trouble.empty());
    settle(index, text);
  }

  /// False: it is to be judged again, alone.
  bool judge(std::size_t index, bool alone, GradedSubmission& made) {
    if (is_timed()) (void)timing_kind();  // before anything is judged in vain
    auto questions = request_.questions;
    if (questions.program) questions.program->alone = alone;
    made.facts =
        judge_in_child(questions, shown_name(made.submission.file), made.submission.source, made.submission.others);
    if ((made.facts.is_late() || made.facts.was_killed) && !alone) {
      const std::lock_guard lock(mutex_);
      late_.push_back(index);
      return false;
    }
    if (made.facts.is_late())
      made.facts.trouble = "a launch came to no end within the time that this machine has for it";
    if (made.facts.trouble.empty()) made.items = grade_items(*request_.assignment, made.facts, standard_);
    return true;
  }

  [[nodiscard]] std::vector<std::string> further_files() const {
    return request_.assignment->program ? request_.assignment->program->files : std::vector<std::string>();
  }

  [[nodiscard]] bool is_timed() const { return !request_.questions.trials.timed.empty(); }

  void settle(std::size_t index, const std::string& text) {
    const std::lock_guard lock(mutex_);
    documents_[index] = Json::parse(text);
    submissions_[index].source.clear();
    submissions_[index].others.clear();
    ++done_;
    if (request_.progress) request_.progress(done_);
  }

  const GradingRequest& request_;
  std::vector<Submission> submissions_;
  Standard standard_;
  std::string basis_;
  std::vector<Json> documents_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::vector<std::size_t> late_;
  std::size_t done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<Json> grade_all(const GradingRequest& request, std::vector<Submission> submissions) {
  return Grading(request, std::move(submissions)).run();
}

}  // namespace gpulab
