#include "runner/export/gradebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

/// Logins and addresses are the same in capitals.
std::string folded(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// What a person is called in a column that holds this; empty: not known.
std::string name_of(Person person, const Grade& grade, const RosterRow* row) {
  if (person == Person::submission) return folded(grade.submission);
  if (row == nullptr) return {};
  return folded(person == Person::id ? row->id : row->email);
}

/// (what of a person, its value) -> rows that hold it.
using Index = std::map<std::pair<Person, std::string>, std::set<std::size_t>>;

Index index_of(const Gradebook& book, const std::vector<NamingColumn>& columns) {
  Index index;
  for (const auto& naming : columns) {
    const auto column = book.table.find(0, naming.heading);
    if (!column) continue;
    for (const auto row : book.students)
      if (const auto value = folded(book.table.cell(row, *column)); !value.empty())
        for (const auto person : naming.holds) index[{person, value}].insert(row);
  }
  return index;
}

/// A roster says who a submission is of; where it does not, the submission's name has to.
std::set<std::size_t> rows_of(const Grade& grade, const RosterRow* roster, const Index& index) {
  std::set<std::size_t> rows;
  const auto add = [&](Person person) {
    const auto name = name_of(person, grade, roster);
    const auto found = name.empty() ? index.end() : index.find({person, name});
    if (found != index.end()) rows.insert(found->second.begin(), found->second.end());
  };
  add(Person::id);
  add(Person::email);
  if (rows.empty()) add(Person::submission);
  return rows;
}

std::string said_rows(const std::set<std::size_t>& rows) {
  std::vector<std::string> texts;
  for (const auto row : rows) texts.push_back(std::to_string(row + 1));
  return join(texts, " and ");
}

}  // namespace

std::string headings(const CsvTable& table) {
  std::vector<std::string> names;
  for (const auto& name : table.row(0)) names.push_back("'" + visible(name) + "'");
  return join(names);
}

void for_each_row(const Gradebook& book, const GradedClass& graded, const std::vector<NamingColumn>& columns,
                  ExportContext& context, const std::function<void(std::size_t row, const Grade& grade)>& put) {
  const auto index = index_of(book, columns);
  std::map<std::size_t, std::string> taken;
  for (const auto& grade : graded.grades) {
    const auto rows = rows_of(grade, graded.row_of(grade.submission), index);
    const auto who = grade.shown_submission();
    if (rows.empty()) {
      context.notes.push_back(fmt::format("{}: no row of {} is of '{}': a roster with its id or email tells",
                                          context.option, visible(context.path), who));
      continue;
    }
    if (rows.size() > 1)
      throw usage_error(
          fmt::format("{}: '{}' may be row {} of {}", context.option, who, said_rows(rows), visible(context.path)),
          "a roster with one id or email for each submission tells them apart");
    const auto [at, fresh] = taken.emplace(*rows.begin(), who);
    if (!fresh)
      throw usage_error(fmt::format("{}: row {} of {} is of two submissions, '{}' and '{}'", context.option,
                                    *rows.begin() + 1, visible(context.path), at->second, who));
    put(*rows.begin(), grade);
  }
}

}  // namespace gpulab
