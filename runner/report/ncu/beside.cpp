#include "runner/report/ncu/beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "common/error.h"
#include "common/text.h"

namespace gpulab::ncu {
namespace {

/// The fields of a table of RFC 4180, from the line that begins with "ID" on.
std::vector<std::vector<std::string>> table_of(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  auto at = text.starts_with("\"ID\"") ? 0 : text.find("\n\"ID\"");
  if (at == std::string_view::npos) return rows;
  if (text[at] == '\n') ++at;
  std::vector<std::string> row;
  std::string field;
  bool inside = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (inside) {
      if (c != '"') {
        field += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        field += '"';
        ++at;
      } else {
        inside = false;
      }
    } else if (c == '"') {
      inside = true;
    } else if (c == ',') {
      row.push_back(std::move(field));
      field.clear();
    } else if (c == '\n') {
      row.push_back(std::move(field));
      field.clear();
      rows.push_back(std::move(row));
      row.clear();
    } else if (c != '\r') {
      field += c;
    }
  }
  if (!row.empty() || !field.empty()) {
    row.push_back(std::move(field));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<double> number(std::string text) {
  std::erase(text, ',');
  return parse_real(text);
}

/// ncu's units with a prefix, in its base unit.
double factor_of(std::string_view unit) {
  struct Prefixed {
    std::string_view unit;
    double factor;
  };
  constexpr std::array prefixed{Prefixed{"ns", 1},        Prefixed{"nsecond", 1},  Prefixed{"us", 1e3},
                                Prefixed{"usecond", 1e3}, Prefixed{"ms", 1e6},     Prefixed{"msecond", 1e6},
                                Prefixed{"s", 1e9},       Prefixed{"second", 1e9}, Prefixed{"Kbyte", 1e3},
                                Prefixed{"Mbyte", 1e6},   Prefixed{"Gbyte", 1e9},  Prefixed{"Kbyte/block", 1e3}};
  const auto found = std::ranges::find(prefixed, unit, &Prefixed::unit);
  return found == prefixed.end() ? 1 : found->factor;
}

class Columns {
 public:
  explicit Columns(const std::vector<std::string>& names) : names_(names) {}
  [[nodiscard]] std::string in(const std::vector<std::string>& row, std::string_view name) const {
    const auto at = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    return at < row.size() ? row[at] : std::string();
  }
  [[nodiscard]] bool has(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }

 private:
  const std::vector<std::string>& names_;
};

bool is_id(const std::string& text) { return parse_integer(text).has_value(); }

MeasuredLaunch launch_of(const Columns& columns, const std::vector<std::string>& row) {
  return {base_name(columns.in(row, "Kernel Name")), columns.in(row, "Grid Size"), columns.in(row, "Block Size")};
}

void read_details(const Columns& columns, const std::vector<std::vector<std::string>>& rows,
                  std::vector<MeasuredLaunch>& launches) {
  std::string id;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!is_id(rows[i][0])) continue;
    if (launches.empty() || rows[i][0] != id) {
      id = rows[i][0];
      launches.push_back(launch_of(columns, rows[i]));
    }
    const auto* row = find_label(columns.in(rows[i], "Section Name"), columns.in(rows[i], "Metric Name"));
    const auto value = number(columns.in(rows[i], "Metric Value"));
    if (row != nullptr && value)
      launches.back().values[std::string(row->name)] = *value * factor_of(columns.in(rows[i], "Metric Unit"));
  }
}

void read_raw(const Columns& columns, const std::vector<std::vector<std::string>>& rows,
              std::vector<MeasuredLaunch>& launches) {
  std::vector<std::string> units;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!is_id(rows[i][0])) {
      units = rows[i];
      continue;
    }
    launches.push_back(launch_of(columns, rows[i]));
    for (std::size_t k = 0; k < std::min(rows[0].size(), rows[i].size()); ++k)
      if (const auto value = number(rows[i][k]); value && find_metric(rows[0][k]) != nullptr)
        launches.back().values[rows[0][k]] = *value * (k < units.size() ? factor_of(units[k]) : 1);
  }
}

std::string difference(double theirs, double ours) {
  if (theirs == ours) return "equal";
  if (theirs == 0) return "-";
  return fmt::format("{:+.1f}%", 100 * (ours - theirs) / theirs);
}

}  // namespace

std::vector<MeasuredLaunch> read_ncu_csv(std::string_view text, const std::string& name) {
  const auto rows = table_of(text);
  const auto refuse = [&] {
    return usage_error(fmt::format("--beside: {} has no table of ncu", visible(name)),
                       "ncu --csv --page raw PROGRAM > FILE.csv writes one");
  };
  if (rows.empty()) throw refuse();
  const Columns columns(rows[0]);
  if (!columns.has("Kernel Name")) throw refuse();
  std::vector<MeasuredLaunch> launches;
  if (columns.has("Metric Name"))
    read_details(columns, rows, launches);
  else
    read_raw(columns, rows, launches);
  return launches;
}

std::string beside_text(const View& view, const std::vector<MeasuredLaunch>& measured) {
  const auto extents = [](const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); };
  std::string text;
  std::vector<bool> taken(measured.size(), false);
  for (const auto& launch : view.launches) {
    const auto name = base_name(launch.kernel->name);
    text += fmt::format("  {} {}x{}\n", visible(name), extents(launch.grid), extents(launch.block));
    std::size_t at = 0;
    while (at < measured.size() &&
           (taken[at] || measured[at].kernel != name || measured[at].grid != extents(launch.grid) ||
            measured[at].block != extents(launch.block)))
      ++at;
    if (at == measured.size()) {
      text += "    your file has no launch of this kernel, grid and block\n\n";
      continue;
    }
    taken[at] = true;
    text += fmt::format("    {:<74} {:>15} {:>15} {:>8}  {}\n", "Metric", "yours (ncu)", "gpulab", "differs", "source");
    for (const auto& [metric, theirs] : measured[at].values) {
      const auto& row = *find_metric(metric);
      const auto value = value_of(row, launch);
      const auto ours = value.number ? std::optional(*value.number * row.base) : std::nullopt;
      text +=
          fmt::format("    {:<74} {:>15} {:>15} {:>8}  {}\n", metric, number_text(theirs),
                      ours ? number_text(*ours) : "n/a", ours ? difference(theirs, *ours) : "", word_of(row.source));
      if (const auto stands = ours_text(row, launch); !ours && !stands.empty())
        text += fmt::format("    {:<74} {}\n", "", stands);
    }
    text += '\n';
  }
  const auto left = std::ranges::count(taken, false);
  if (left > 0) text += fmt::format("  {} of {} launches in your file have no launch here\n", left, taken.size());
  return text;
}

}  // namespace gpulab::ncu
