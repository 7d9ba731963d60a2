#pragma once
// Formats of other services. Each is one file runner/export/formats/NAME.cpp, which defines `extern const ExportFormat
// NAME` in the namespace gpulab::exports; the build finds it there, and --export, --help and errors name it.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/export/grade_record.h"

namespace gpulab {

/// A line of a roster, as far as it is filled.
struct RosterRow {
  std::string submission, name, id, email;
};

struct GradedClass {
  std::vector<Grade> grades;
  std::vector<RosterRow> roster;

  [[nodiscard]] const RosterRow* row_of(const std::string& submission) const;
};

/// What formats may know beside the grades.
struct ExportContext {
  std::string option;                                                           ///< "--export canvas", for errors
  std::string path;                                                             ///< of the file that is filled
  std::function<std::optional<std::string>(const std::string&)> environment{};  ///< variables
  std::string now{};                                                            ///< "2026-06-01T14:32:01Z"
  std::vector<std::string> notes{};  ///< for the instructor, on standard error
};

/// One of `submission`, `whole` and `fill` is there.
struct ExportFormat {
  std::string_view name, summary;
  std::string_view follows;         ///< whose published format this is, and of when
  std::string_view file_name = {};  ///< of one submission's file in a folder
  bool one_submission = false;      ///< it is made where one submission is graded, and nowhere else
  /// The file of one submission. Nothing: there is to be none, and an older one goes.
  std::optional<std::string> (*submission)(const Grade& grade, ExportContext& context) = nullptr;
  /// The file of the whole class.
  std::string (*whole)(const GradedClass& graded, ExportContext& context) = nullptr;
  /// A file that the instructor exported from the service, with a column filled.
  std::string (*fill)(const GradedClass& graded, const std::string& exported, ExportContext& context) = nullptr;
};

/// By name.
[[nodiscard]] std::span<const ExportFormat* const> export_formats();

struct Export {
  const ExportFormat* format = nullptr;
  std::string path;
};

/// FORMAT=PATH. Throws usage_error.
[[nodiscard]] Export parse_export(const std::string& text);
/// PATH is the file of one submission: of the one that is graded, however many were before.
[[nodiscard]] bool is_of_one(const Export& wanted);
/// Before anything is graded: can it be written for so many submissions? Throws usage_error.
void check_export(const Export& wanted, std::size_t submissions);
/// Writes the files; what the instructor should know of them comes back. Throws usage_error.
std::vector<std::string> export_grades(const Export& wanted, const GradedClass& graded);

/// The file of a submission: PATH itself, PATH with {submission} replaced, or a folder of its own in the folder PATH.
[[nodiscard]] std::string export_path(const Export& wanted, const std::string& submission);

}  // namespace gpulab
