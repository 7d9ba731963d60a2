#include "runner/report/pages/explain_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "runner/report/explain/explain_report.h"
#include "runner/report/explain/line_columns.h"
#include "runner/report/explain/shown.h"
#include "runner/report/explain/time_text.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/html/measure.h"
#include "runner/report/html/page.h"
#include "runner/report/ladder/model_text.h"
#include "runner/report/pages/highlight.h"
#include "runner/report/words/lines.h"
#include "runner/report/words/result_text.h"

namespace gpulab {
namespace {

using html::escaped;

/// Columns that are two blanks apart on a terminal.
std::vector<std::string> split_at_gaps(const std::string& line) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < line.size();) {
    const auto gap = std::min(line.find("  ", from), line.size());
    if (gap > from) parts.push_back(line.substr(from, gap - from));
    from = std::min(line.find_first_not_of(' ', gap), line.size());
  }
  return parts;
}

class ExplainPage {
 public:
  explicit ExplainPage(const ExplainView& view)
      : view_(view),
        launch_(view.result->lines[view.launch]),
        explained_(explanation_of(launch_, view.device.sm_count)),
        text_(lines_of(launch_.text)) {
    columns_ = line_columns(view);
    std::ranges::stable_partition(columns_, &LineColumn::stays);  // the lab's subject is seen without scrolling
    if (!launch_.ptx) coloured_ = pages::highlighted(launch_.text);
  }

  std::string body() {
    out_ =
        fmt::format("<h1>{}</h1>\n<p class=\"lead\"><code>{}</code></p>\n", escaped(title()), escaped(launch_.kernel));
    head();
    reasons();
    source();
    time();
    if (view_.banks) banks(*view_.banks);
    return out_;
  }
  [[nodiscard]] std::string title() const {
    return view_.lab.empty() ? view_.file : view_.lab + " · " + view_.result->variant;
  }

 private:
  void head() {
    const auto& r = *view_.result;
    std::vector<std::pair<std::string, std::string>> facts{
        {"simulated", escaped(fmt::format("grid {} × block {}, {} per block; PTX instructions, summed over all blocks",
                                          dim_text(launch_.grid), dim_text(launch_.block),
                                          plural((launch_.block.volume() + 31) / 32, "warp")))}};
    const auto add = [&](const char* term, const std::string& text) { facts.emplace_back(term, escaped(text)); };
    if (r.lines.size() > 1)
      add("launch", fmt::format("{} of {} (--launch N shows another)", view_.launch + 1, r.lines.size()));
    if (r.launch) add("resources", resources_text(*r.launch));
    if (r.occupancy) add("occupancy", occupancy_text(*r.occupancy));
    if (r.spread) add("SMs used", spread_text(*r.spread, r.occupancy));
    add("time, modelled", modelled_text(r));
    if (r.lines.size() > 1 && launch_.time) add("of these, this launch", duration_text(launch_.time->ms));
    add("counted as by", view_.check_command);
    add("lines", ptx_reason(launch_));
    if (r.status == CaseStatus::wrong)
      facts.emplace_back("answer", "<strong class=\"bad\">wrong</strong>: " + escaped(r.message));
    out_ += html::facts(facts);
  }

  void reasons() {
    out_ += "<h2 id=\"reasons\">What to look at, worst first</h2>\n";
    if (const auto spilled = spill_text(*view_.result, launch_); !spilled.empty())
      out_ += "<p>" + escaped(spilled) + ".</p>\n";
    if (explained_.marks.empty()) {
      out_ += "<p>Nothing stands out: lanes agree, global memory is coalesced, no banks conflict.</p>\n";
      return;
    }
    out_ += "<ol>\n";
    for (std::size_t i = 0; i < explained_.marks.size(); ++i) {
      const auto& mark = explained_.marks[i];
      const auto where =
          mark.line == 0 ? std::string("The whole launch") : fmt::format("<a href=\"#L{0}\">Line {0}</a>", mark.line);
      out_ += fmt::format("<li id=\"reason-{}\">{}: {} <span class=\"soft\">({})</span></li>\n", i + 1, where,
                          escaped(mark.text), escaped(share_text(mark)));
    }
    out_ += "</ol>\n";
  }

  [[nodiscard]] const ExplainedLine* find(std::uint32_t number) const {
    for (const auto& line : explained_.lines)
      if (line.line == number) return &line;
    return nullptr;
  }
  /// Links to the reasons that speak of the line.
  [[nodiscard]] std::string pointers(std::uint32_t number) const {
    std::string which;
    for (std::size_t i = 0; i < explained_.marks.size() && number != 0; ++i)
      if (explained_.marks[i].line == number)
        which += fmt::format("<a href=\"#reason-{0}\" aria-label=\"reason {0}\">◄{0}</a> ", i + 1);
      else if (is_victim(explained_.marks[i], number))
        which += fmt::format("<a href=\"#reason-{0}\" aria-label=\"few lanes by reason {0}\">◁{0}</a> ", i + 1);
    return which;
  }
  void row(std::uint32_t number, const std::string& code, const ExplainedLine* counted) {
    const double share = counted != nullptr ? time_share(launch_, number) : 0;
    constexpr double hottest = 9;
    const int heat = share < 0.005 ? 0 : static_cast<int>(std::clamp(std::ceil(share * 2 * hottest), 1.0, hottest));
    out_ += heat == 0 ? "<tr" : fmt::format("<tr class=\"heat{}\"", heat);
    out_ += number == 0 ? ">" : fmt::format(" id=\"L{}\">", number);
    out_ += fmt::format("<th class=\"no\" scope=\"row\">{}</th>", number == 0 ? "" : std::to_string(number));
    if (launch_.time)
      out_ += fmt::format("<td class=\"num\">{}</td>", share < 0.005 ? "" : fmt::format("{:.0f}%", 100 * share));
    out_ += fmt::format("<td class=\"code\">{}</td><td>{}</td>", code, pointers(number));
    if (counted != nullptr && counted->executions == 0) {
      out_ += fmt::format("<td colspan=\"{}\" class=\"soft\">never executed</td></tr>\n", columns_.size());
      return;
    }
    for (const auto& column : columns_)
      out_ += fmt::format("<td class=\"num\">{}</td>",
                          counted == nullptr ? "" : escaped(line_cell(*column.counter, counted->counters)));
    out_ += "</tr>\n";
  }
  [[nodiscard]] std::string code_of(std::uint32_t number) const {
    if (number <= coloured_.size()) return coloured_[number - 1];
    return number <= text_.size() ? escaped(text_[number - 1]) : std::string();
  }

  void source() {
    out_ += fmt::format(
        "<h2 id=\"source\">The source, line by line</h2>\n<div class=\"source\"><div class=\"wide\" "
        "role=\"region\" tabindex=\"0\" aria-label=\"Source with counters\"><table>\n<caption>{}: the "
        "stronger a line's colour, the more of the modelled time it takes</caption>\n<thead><tr><th "
        "scope=\"col\">line</th>",
        escaped(launch_.file));
    if (launch_.time) out_ += "<th scope=\"col\" class=\"num\">time</th>";
    out_ += "<th scope=\"col\">source</th><th scope=\"col\">why</th>";
    for (const auto& column : columns_)
      out_ +=
          fmt::format("<th scope=\"col\" class=\"num\">{}<br>{}</th>", escaped(column.heading), escaped(column.second));
    out_ += "</tr></thead>\n<tbody>\n";
    std::uint32_t before = 0;
    for (const auto number : shown_lines(explained_, text_)) {
      if (before != 0 && number != before + 1)
        out_ += fmt::format("<tr><th class=\"no\">⋮</th><td colspan=\"{}\"></td></tr>\n",
                            columns_.size() + 2 + (launch_.time ? 1 : 0));
      row(number, code_of(number), find(number));
      before = number;
    }
    // Lines of a text that is not at hand, or that is shorter than they say.
    for (const auto& counted : explained_.lines)
      if (counted.line > text_.size()) row(counted.line, "", &counted);
    if (const auto* rest = find(0))
      row(0, "<span class=\"soft\">(code that no line of this file stands for)</span>", rest);
    out_ += "</tbody>\n<tfoot><tr><th class=\"no\" scope=\"row\">all</th>";
    if (launch_.time) out_ += "<td class=\"num\">100%</td>";
    out_ += "<td></td><td></td>";
    for (const auto& column : columns_)
      out_ += fmt::format("<td class=\"num\">{}</td>", escaped(line_cell(*column.counter, launch_.counters)));
    out_ +=
        "</tr></tfoot></table></div></div>\n<p class=\"note\">request: one access of a warp; sector: 32 bytes of "
        "memory; "
        "wavefront: one pass over the banks. Counters are of the PTX as simulated; times are modelled, not "
        "measured.</p>\n";
  }

  void time() {
    const auto list = [&](const char* heading, const std::vector<std::string>& lines) {
      if (lines.empty()) return;
      out_ += fmt::format("<h2>{}</h2>\n<ul>\n", heading);
      for (const auto& line : lines) out_ += "<li>" + escaped(join(split_at_gaps(line), " · ")) + "</li>\n";
      out_ += "</ul>\n";
    };
    list(("Where warps spend the modelled time" + start_text(launch_)).c_str(), where_time_goes(launch_, text_, 400));
    if (const auto darkest = darkest_line_text(explained_); !darkest.empty())
      out_ += "<p>" + escaped(darkest) + "</p>\n";
    list("What if: modelled again with that cost gone", what_ifs(launch_, view_.device.sm_count));
  }

  void banks(std::uint32_t number) {
    for (const auto& access : shared_accesses(launch_, number)) {
      html::Column bank{"bank", {}, true, true}, passes{"words", {}, true}, words{"word ← lanes", {}};
      for (const auto& one : banks_of(access)) {
        bank.cells.push_back(std::to_string(one.number));
        passes.cells.push_back(std::to_string(one.words.size()));
        std::vector<std::string> texts;
        for (const auto& word : one.words)
          texts.push_back(fmt::format("{} ← {}", word.word, fmt::join(word.lanes, " ")));
        words.cells.push_back(escaped(join(texts)));
      }
      out_ += fmt::format(
          "<h2>Banks of line {}</h2>\n<p><code>{}</code>: {}, where {} would do; a bank gives one word per "
          "pass. Words are 4 bytes; bank = word mod 32.</p>\n{}",
          number, escaped(access.instruction), plural(access.wavefronts, "wavefront"), access.ideal_wavefronts,
          html::table("Which lane meets which bank", {bank, passes, words}));
    }
  }

  const ExplainView& view_;
  const LaunchLines& launch_;
  Explanation explained_;
  std::vector<std::string_view> text_;
  std::vector<std::string> coloured_;
  std::vector<LineColumn> columns_;
  std::string out_;
};

}  // namespace

std::string explain_page(const ExplainView& view, const Style&) {
  ExplainPage page(view);
  return html::document({.title = page.title() + " explained · gpulab",
                         .description = "Each line of a kernel with its counters, and what makes it slow",
                         .body = page.body()});
}

}  // namespace gpulab
