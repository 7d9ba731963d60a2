// JUnit XML, as Jenkins and most CI services read it: a suite for each submission, a test for each item.
//
// Pending items are skipped, our own failures are errors; neither counts as failed. Hidden items say that they are, and
// not why they failed: what CI shows, students may see.

#include <fmt/format.h>

#include <array>

#include "runner/export/export.h"
#include "runner/export/export_text.h"
#include "runner/export/feedback.h"

namespace gpulab::exports {
namespace {

constexpr std::size_t most_name = 200, most_message = 400, most_text = 16 << 10;

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
};

std::string name_of(std::string_view text) { return xml_escaped(cut(one_line(text), most_name)); }

std::string outcome(const char* element, const std::string& type, const std::string& message, const std::string& text) {
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element, type,
                     xml_escaped(cut(one_line(message), most_message)), xml_escaped(cut(text, most_text)));
}

std::string test_of(const Grade& grade, const GradeItem& item, Counts& counts) {
  ++counts.tests;
  const auto open = fmt::format("    <testcase classname=\"{}\" name=\"{}\"{}>\n", name_of(grade.shown_submission()),
                                name_of(item.name), item.hidden ? " group=\"hidden\"" : "");
  const auto reason = item.hidden ? std::string("hidden") : item.reason;
  std::string inner;
  if (!item.earned) {
    const bool ours = grade.status == GradeStatus::infrastructure;
    ++(ours ? counts.errors : counts.skipped);
    inner = ours ? outcome("error", "infrastructure", why_ungraded(grade), "")
                 : outcome("skipped", "pending", reason.empty() ? "pending" : reason, "");
  } else if (!item.passed()) {
    ++counts.failures;
    const auto points = fmt::format("{} of {} points", points_text(*item.earned), points_text(item.points));
    inner = outcome("failure", "failed", points + (reason.empty() ? "" : ": " + reason),
                    item.hidden ? reason : feedback_of(item, most_text));
  }
  return open + inner + "    </testcase>\n";
}

std::string suite_of(const Grade& grade, Counts& all) {
  Counts counts;
  std::string tests;
  for (const auto& item : grade.items) tests += test_of(grade, item, counts);
  if (grade.items.empty() && !grade.score) {
    ++counts.tests;
    ++counts.errors;
    tests = fmt::format("    <testcase classname=\"{}\" name=\"grade\">\n{}    </testcase>\n",
                        name_of(grade.shown_submission()),
                        outcome("error", std::string(to_text(grade.status)), why_ungraded(grade), ""));
  }
  const auto score = grade.score ? points_text(*grade.score) : "";
  const std::array<std::pair<const char*, std::string>, 3> properties{
      {{"score", score}, {"max", points_text(grade.max)}, {"file", grade.file}}};
  std::string facts;
  for (const auto& [name, value] : properties)
    facts += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml_escaped(cut(value, most_message)));
  all.tests += counts.tests;
  all.failures += counts.failures;
  all.errors += counts.errors;
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n    <properties>\n{}"
      "    </properties>\n{}  </testsuite>\n",
      name_of(grade.shown_submission()), counts.tests, counts.failures, counts.errors, counts.skipped, facts, tests);
}

std::string write(const GradedClass& graded, ExportContext&) {
  Counts all;
  std::string suites;
  for (const auto& grade : graded.grades) suites += suite_of(grade, all);
  const auto title = graded.grades.empty() ? std::string("gpulab") : graded.grades.front().assignment;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" "
      "errors=\"{}\">\n{}</testsuites>\n",
      name_of(title), all.tests, all.failures, all.errors, suites);
}

}  // namespace

extern const ExportFormat junit{.name = "junit",
                                .summary = "JUnit XML of the class, a suite for each submission",
                                .follows = "junit-10.xsd of Jenkins' xUnit plugin",
                                .whole = write};

}  // namespace gpulab::exports
