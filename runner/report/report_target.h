#pragma once
// Where a report goes: standard output, or a file that is known to be writable before anything runs.

#include <cstddef>
#include <optional>
#include <string>

namespace gpulab {

class ReportTarget {
 public:
  /// An empty name: standard output. Throws usage_error where the file cannot be opened; what it holds is kept
  /// until write().
  /// `option` is the culprit in messages.
  explicit ReportTarget(std::string file, const std::string& option = "--output");
  ~ReportTarget();
  ReportTarget(const ReportTarget&) = delete;
  ReportTarget& operator=(const ReportTarget&) = delete;

  /// Replaces the file's content. Where that fails, the report goes to standard output, so that no work is lost,
  /// and a usage_error is thrown.
  void write(const std::string& report);
  [[nodiscard]] bool is_terminal() const;
  /// Of the terminal; nothing where it is none, or does not say.
  [[nodiscard]] std::optional<std::size_t> columns() const;

 private:
  std::string file_;
  int descriptor_ = 1;    ///< standard output
  bool created_ = false;  ///< an empty file of ours is removed if nothing is written
};

/// Colours: on a terminal that takes them, unless NO_COLOR (no-color.org) is set.
[[nodiscard]] bool wants_color(const ReportTarget& target);

/// Columns of a report: as COLUMNS says where it is set, else as the terminal has, else `usual`. Never below 60:
/// narrower terminals wrap.
[[nodiscard]] std::size_t report_width(const ReportTarget& target, std::size_t usual = 100);

/// Writes to standard output. Throws usage_error where that fails (a full disk).
void print_report(const std::string& text);

}  // namespace gpulab
