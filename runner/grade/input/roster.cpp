#include "runner/grade/input/roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "common/error.h"
#include "common/text.h"
#include "runner/export/csv_table.h"
#include "runner/grade/input/submission.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

std::string lower(std::string text) {
  for (auto& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::vector<RosterRow> parse_roster(std::string_view text, const std::string& file) {
  const CsvTable table(text, "--roster: " + file);
  std::vector<std::string> heads;
  if (table.rows() > 0)
    for (const auto& head : table.row(0)) heads.push_back(lower(trimmed(head)));
  const auto column = [&](const char* name) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(heads, name);
    if (found == heads.end()) return std::nullopt;
    return static_cast<std::size_t>(found - heads.begin());
  };
  const auto submission = column("submission"), name = column("name"), id = column("id"), email = column("email");
  if (!submission) {
    std::vector<std::string> shown;
    for (const auto& head : heads)
      if (shown.size() < 10) shown.push_back(shown_name(head.substr(0, 40)));
    throw usage_error(fmt::format("--roster: {} has no column 'submission'", file),
                      shown.empty() ? "the first line names the columns" : "its first line has " + join(shown));
  }
  std::vector<RosterRow> all;
  std::set<std::string> seen;
  for (std::size_t i = 1; i < table.rows(); ++i) {
    const auto at = [&](std::optional<std::size_t> where) {
      return where ? trimmed(table.cell(i, *where)) : std::string();
    };
    RosterRow row{shown_name(at(submission)), at(name), at(id), at(email)};
    if (row.submission.empty()) throw usage_error(fmt::format("--roster: {}: row {} names no submission", file, i + 1));
    if (!seen.insert(row.submission).second)
      throw usage_error(fmt::format("--roster: {} has the submission '{}' twice", file, row.submission));
    all.push_back(std::move(row));
  }
  return all;
}

std::vector<RosterRow> read_roster(const std::string& file) {
  return parse_roster(read_source(file, "--roster"), file);
}

}  // namespace gpulab
