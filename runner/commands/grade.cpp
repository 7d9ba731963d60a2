// `gpulab grade ASSIGNMENT --submission P…`: a class's submissions, judged and given points.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/child/confinement.h"
#include "common/child/interrupt.h"
#include "common/error.h"
#include "common/progress/ticker.h"
#include "common/text.h"
#include "runner/command.h"
#include "runner/execution/progress.h"
#include "runner/export/export.h"
#include "runner/export/pages/class_page.h"
#include "runner/export/pages/student_page.h"
#include "runner/export/statistics.h"
#include "runner/export/written_file.h"
#include "runner/grade/grades_report.h"
#include "runner/grade/grading.h"
#include "runner/grade/input/roster.h"
#include "runner/grade/standard.h"
#include "runner/judge/key_class.h"
#include "runner/judge/timing.h"
#include "runner/options/machine_options.h"
#include "runner/report/error_report.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

std::vector<std::string> export_names() {
  std::vector<std::string> names;
  for (const auto* format : export_formats()) names.emplace_back(format->name);
  return names;
}

/// "canvas=": a path follows.
std::vector<std::string> export_words() {
  auto words = export_names();
  for (auto& word : words) word += '=';
  return words;
}

OptionList own_options() {
  using heading::what_runs, heading::report;
  return {
      {"submission", "PATH", "a .cu file, or a student's folder with one; more may follow: class/*", what_runs},
      {"key", "FILE", "an instructor's key, of which hidden sizes and inputs are made (gpulab.key.v1)", what_runs},
      {"jobs", "N", "submissions at a time [1]", what_runs},
      {"device", "KIND", "sim, or gpu: items of the kind speed are timed, too, one submission at a time [sim]",
       what_runs},
      {"resume", "", "what --output has of the same submission, assignment and key is not done again", what_runs},
      {"fresh", "", "what --output has of other submissions goes, and with --resume that alone; else it stays",
       what_runs},
      {"no-isolation", "", "no confinement of compiler and kernel, where the system has none", what_runs},
      {"backstop", "SECONDS", "of one case by the clock [60]: met twice, it is no grade, but our trouble", what_runs},
      {"roster", "FILE", "who is in the class: a CSV with submission, name, id, email", report},
      {"output", "DIR", "a file for each submission (gpulab.grade.v1), gradebook.csv, statistics.csv", report},
      {"pages", "DIR", "an HTML page for each student", report},
      {"export", "FORMAT=PATH", "for another service: " + join(export_names()), report, false, export_words()},
      {"fail-under", "POINTS", "exit code 1 where a score is below that", report},
      {"fail-on", "STATUS", "attention: exit code 1 where there was nothing to judge", report, false, {"attention"}},
      {"format", "FORMAT", "table, csv, json or html [table]", report, false, {"table", "csv", "json", "html"}},
  };
}

Usage usage_of_grade(const Lab*) {
  return {joined({own_options(), only(machine_options(), {"profile"})}),
          "Each submission is judged in a process of its own, as 'gpulab check' does it, on inputs that everybody\n"
          "can see and on those of the key. Names of students are those of folders and files. Of hidden classes a\n"
          "report says right or wrong, and nothing else. Exit code 0: all is graded, whatever the grades.\n"
          "ASSIGNMENT is gpulab.assignment.v1 ('gpulab schema assignment'); 'gpulab assignment lint' tries it.\n"};
}

struct GradeOptions {
  std::vector<std::string> paths;
  std::string format = "table", secret;
  std::optional<std::string> output, pages;
  bool fails_on_attention = false;
  FolderUse use{};
  std::vector<RosterRow> roster;
  std::vector<Export> exports;
  std::optional<double> fail_under;
};

std::string format_of(const Given& given) {
  const auto* text = single_value(given, "format");
  const std::vector<std::string> known{"table", "csv", "json", "html"};
  if (text == nullptr) return known.front();
  if (!std::ranges::count(known, *text))
    throw usage_error(fmt::format("grade has no format '{}'", *text),
                      did_you_mean(*text, known, "formats: " + join(known)));
  return *text;
}

FolderUse use_of_folder(const Given& given, bool has_folder) {
  const FolderUse use{.resumes = single_value(given, "resume") != nullptr,
                      .is_fresh = single_value(given, "fresh") != nullptr};
  if (use.resumes && !has_folder)
    throw usage_error("--resume: there is nothing to go on with", "--output DIR says where it was written to");
  if (use.is_fresh && !has_folder)
    throw usage_error("--fresh: there is nothing to begin anew", "--output DIR says where results are");
  return use;
}

GradeOptions parse(const CommandLine& line) {
  GradeOptions options;
  options.paths = values_of(line.given, "submission");
  options.paths.insert(options.paths.end(), line.arguments.begin() + 1, line.arguments.end());
  if (options.paths.empty()) throw usage_error("grade: which submissions?", "as in --submission class/*");
  options.format = format_of(line.given);
  if (const auto* key = single_value(line.given, "key")) options.secret = read_key(*key);
  if (const auto* roster = single_value(line.given, "roster")) options.roster = read_roster(*roster);
  if (const auto* output = single_value(line.given, "output")) {
    if (output->empty()) throw usage_error("--output: the folder's name is empty");
    options.output = *output;
  }
  for (const auto& text : values_of(line.given, "export")) options.exports.push_back(parse_export(text));
  if (const auto* text = single_value(line.given, "fail-under")) {
    options.fail_under = parse_real(*text);
    if (!options.fail_under) throw usage_error(fmt::format("--fail-under: '{}' is no number of points", *text));
  }
  if (const auto* status = single_value(line.given, "fail-on")) {
    if (*status != "attention")
      throw usage_error(fmt::format("--fail-on: there is no status '{}' that it may be", visible(*status)),
                        "--fail-on attention, --fail-under POINTS");
    options.fails_on_attention = true;
  }
  if (const auto* pages = single_value(line.given, "pages")) {
    if (pages->empty()) throw usage_error("--pages: the folder's name is empty");
    options.pages = *pages;
  }
  options.use = use_of_folder(line.given, options.output.has_value());
  return options;
}

bool needs_attention(const nlohmann::json& grade) { return grade.at("status") == "attention"; }

/// One line for all of them: nobody reads a hundred.
void tell_of_attention(const std::vector<nlohmann::json>& grades) {
  constexpr std::size_t most_shown = 5;
  std::vector<std::string> shown;
  std::size_t count = 0;
  for (const auto& grade : grades)
    if (needs_attention(grade) && ++count <= most_shown)
      shown.push_back(
          fmt::format("{} ({})", grade.at("submission").get<std::string>(), grade.at("reason").get<std::string>()));
  if (count == 0) return;
  if (count > most_shown) shown.push_back(fmt::format("and {} more", count - most_shown));
  print_note(fmt::format("attention: nothing to judge in {}: {}", plural(count, "submission"), join(shown)));
}

void check_isolation(bool isolated) {
  if (!isolated || isolation_support().landlock > 0) return;
  throw Error(ExitCode::missing, "grade: this system cannot confine what students wrote: it has no Landlock", {},
              "grade in a virtual machine or a container that holds nothing else, with --no-isolation");
}

ExitCode exit_code(const GradeOptions& options, const std::vector<nlohmann::json>& grades) {
  const bool failed = std::ranges::any_of(grades, [&](const nlohmann::json& grade) {
    if (options.fails_on_attention && needs_attention(grade)) return true;
    return options.fail_under && !grade.at("score").is_null() && grade.at("score").get<double>() < *options.fail_under;
  });
  return failed ? ExitCode::wrong : ExitCode::ok;
}

/// Who is on the roster and handed nothing in, or the other way round: both may be a slip of a name.
void compare_with_roster(const std::vector<RosterRow>& roster, const std::vector<nlohmann::json>& grades) {
  if (roster.empty()) return;
  std::vector<std::string> names, missing, unknown;
  for (const auto& grade : grades) names.push_back(grade.at("submission"));
  for (const auto& row : roster)
    if (!std::ranges::count(names, row.submission)) missing.push_back(row.submission);
  for (const auto& name : names)
    if (!std::ranges::count(roster, name, &RosterRow::submission)) unknown.push_back(name);
  if (!missing.empty()) print_note(fmt::format("on the roster, and no submission: {}", join(missing)));
  if (!unknown.empty()) print_note(fmt::format("submissions of nobody on the roster: {}", join(unknown)));
}

GradedClass class_of(const std::vector<nlohmann::json>& grades, const std::vector<RosterRow>& roster) {
  GradedClass made{{}, roster};
  for (const auto& grade : grades) made.grades.push_back(grade_of(grade));
  return made;
}

/// By name; what needs attention last.
std::vector<nlohmann::json> sorted(std::vector<nlohmann::json> grades) {
  std::ranges::sort(grades, {}, [](const nlohmann::json& grade) {
    return std::pair(needs_attention(grade), grade.at("submission").get<std::string>());
  });
  return grades;
}

void write_pages(const std::string& folder, const GradedClass& graded) {
  for (const auto& grade : graded.grades)
    write_whole(folder + "/" + ResultFolder::file_name(grade.shown_submission(), ".html"),
                student_page(grade, graded.row_of(grade.submission)), "--pages");
}

/// The table for spreadsheets, as --export csv writes it.
std::string csv_of(const GradedClass& graded) {
  const auto formats = export_formats();
  ExportContext context{.option = "--format csv", .path = {}};
  return (*std::ranges::find(formats, "csv", &ExportFormat::name))->whole(graded, context);
}

/// Whatever the device, kernels are judged on the simulator. Throws Error (missing) where a GPU is asked for in vain;
/// with --resume that is asked when something is to be timed, for what is done needs none.
bool is_timed(const Given& given) {
  const auto* text = single_value(given, "device");
  const std::vector<std::string> known{"sim", "gpu"};
  if (text == nullptr || *text == known.front()) return false;
  if (*text != known.back())
    throw usage_error(fmt::format("grade has no device '{}'", *text),
                      did_you_mean(*text, known, "devices: " + join(known)));
  if (single_value(given, "resume") == nullptr) (void)timing_kind();
  return true;
}
std::vector<TimedQuestion> timed_questions(const Assignment& assignment) {
  std::vector<TimedQuestion> made;
  for (const auto& item : assignment.items)
    if (item.kind == ItemKind::speed) made.push_back({item.rung, item.size});
  return made;
}

/// On a terminal a line says how far it is.
std::vector<nlohmann::json> grade_all_and_show(GradingRequest& request, std::vector<Submission> submissions) {
  Progress progress;
  std::atomic<std::size_t> graded{0};
  const auto show = [&, all = submissions.size()] { progress.count(graded, all, "submissions"); };
  std::optional<Ticker> ticker;
  if (progress.is_seen()) ticker.emplace(show);
  request.progress = [&](std::size_t done) {
    graded = done;
    show();
  };
  auto grades = grade_all(request, std::move(submissions));
  request.progress = {};
  return grades;
}

/// All that the folder has, and not what this run has made alone: a gradebook is of the class.
std::vector<nlohmann::json> with_others(const ResultFolder& folder, const std::vector<nlohmann::json>& run) {
  folder.lock();
  auto grades = folder.others();
  if (const auto account = folder.account(run, grades.size()); !account.empty()) print_note(account);
  grades.insert(grades.end(), run.begin(), run.end());
  return sorted(std::move(grades));
}

/// `run`: the grades of this run; `grades`: with those of the runs before.
ExitCode report(const GradeOptions& options, const Assignment& assignment, const std::vector<nlohmann::json>& run,
                const std::vector<nlohmann::json>& grades, const ResultFolder* folder) {
  const auto graded = class_of(grades, options.roster);
  const auto statistics = statistics_of(graded.grades);
  const auto csv = csv_of(graded);
  compare_with_roster(options.roster, grades);
  tell_of_attention(grades);
  if (folder != nullptr) {
    folder->write_file("gradebook.csv", csv);
    folder->write_file("statistics.csv", statistics_csv(statistics));
  }
  for (const auto& wanted : options.exports)
    for (const auto& note : export_grades(wanted, is_of_one(wanted) ? class_of(run, options.roster) : graded))
      print_note(note);
  if (options.pages) write_pages(*options.pages, graded);
  const ReportTarget target("");
  print_report(options.format == "csv"    ? csv
               : options.format == "json" ? grades_json(grades, statistics)
               : options.format == "html" ? class_page(graded)
                                          : grades_table(grades, statistics, assignment.title, report_width(target)));
  return exit_code(options, grades);
}

ExitCode run_grade(const CommandLine& line) {
  const auto options = parse(line);
  const auto assignment = read_assignment(line.arguments.front(), *line.labs);
  auto submissions = find_submissions(options.paths, assignment.file);
  for (const auto& wanted : options.exports) check_export(wanted, submissions.size());
  GradingRequest request{.assignment = &assignment, .questions = questions_of(assignment, options.secret)};
  if (const auto& profile = parse_machine_options(line.given).profile) request.questions.profile = *profile;
  check_profile_for_points(request.questions.profile);
  request.questions.isolated = single_value(line.given, "no-isolation") == nullptr;
  check_isolation(request.questions.isolated);
  if (is_timed(line.given)) request.questions.trials.timed = timed_questions(assignment);
  if (const auto* jobs = single_value(line.given, "jobs"))
    request.jobs = static_cast<int>(whole_number("jobs", *jobs, 1, 256));
  if (const auto* limit = single_value(line.given, "backstop"))
    request.questions.backstop = std::chrono::seconds(whole_number("backstop", *limit, 1, 3600));
  if (!request.questions.trials.timed.empty()) request.jobs = 1;  // who is timed is alone
  if (options.secret.empty()) print_note("there is no --key: what hidden classes hold can be foretold");
  std::optional<ResultFolder> folder;
  if (options.output) folder.emplace(*options.output, options.use);
  request.folder = folder ? &*folder : nullptr;
  watch_for_interrupts();
  const auto run = grade_all_and_show(request, std::move(submissions));
  const auto grades = folder ? with_others(*folder, run) : sorted(run);
  return report(options, assignment, run, grades, folder ? &*folder : nullptr);
}

}  // namespace

extern const Command grade{
    .name = "grade",
    .positionals = {{"ASSIGNMENT", "which assignment?"}, {"SUBMISSION", "", true}},
    .help = "score submissions of an assignment",
    .usage = usage_of_grade,
    .run = run_grade,
    .example = "gpulab grade configs/assignments/reduce/assignment.json --submission class/*",
};

}  // namespace gpulab::command
