// A format that one_place_test.py adds, for runs, explanations and errors: nothing but this file knows of it.

#include "runner/report/explain/explain_report.h"
#include "runner/report/report.h"

namespace gpulab::report {
namespace {

std::string run_in_words(const Run& run, const Style&) {
  return run.lab + " ran " + std::to_string(run.results.size()) + " variants\n";
}

std::string explanation_in_words(const ExplainView& view, const Style&) {
  return view.lab + " has " + std::to_string(view.result->lines.size()) + " launches to explain\n";
}

std::string error_in_words(const Error& error) { return std::string("in words: ") + error.what() + '\n'; }

}  // namespace

extern const Format words{.name = "words",
                          .summary = "one sentence",
                          .run = run_in_words,
                          .explanation = explanation_in_words,
                          .error = error_in_words};

}  // namespace gpulab::report
