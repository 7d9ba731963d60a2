// The kernel's source with its counters to the left, then the worst lines in words. Columns that have nothing to say
// for a kernel (no shared memory, no branch) are left out.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "common/error.h"
#include "common/text.h"
#include "runner/report/explain/explain_report.h"
#include "runner/report/explain/line_columns.h"
#include "runner/report/explain/shown.h"
#include "runner/report/explain/time_text.h"
#include "runner/report/ladder/model_text.h"
#include "runner/report/ladder/rung_time.h"
#include "runner/report/words/lines.h"

namespace gpulab {
namespace {

constexpr std::size_t least_source = 12;  ///< columns of source, however narrow the page
constexpr std::size_t usual_source = 44;  ///< columns of it that the least important counters make room for
constexpr std::size_t time_width = 6;     ///< of the column of modelled time
constexpr std::size_t most_marks = 6;     ///< in words; the JSON has all

class Paint {
 public:
  explicit Paint(const Style& style) : on_(style.color) {}
  [[nodiscard]] std::string bold(const std::string& text) const { return code(text, "1"); }
  [[nodiscard]] std::string dim(const std::string& text) const { return code(text, "2"); }
  [[nodiscard]] std::string bad(const std::string& text) const { return code(text, "31"); }

 private:
  [[nodiscard]] std::string code(const std::string& text, const char* number) const {
    return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", number, text) : text;
  }
  bool on_;
};

double real(std::uint64_t count) { return static_cast<double>(count); }
std::uint64_t sectors(const Counters& c) { return c["global_load_sectors"] + c["global_store_sectors"]; }
std::uint64_t conflicts(const Counters& c) {
  return c["shared_load_bank_conflicts"] + c["shared_store_bank_conflicts"];
}

std::string right(const std::string& text, std::size_t columns_wide) {
  const auto have = columns(text);
  return std::string(columns_wide > have ? columns_wide - have : 0, ' ') + text;
}

/// Cut to `room` columns, tabs as two spaces.
std::string source_text(std::string_view line, std::size_t room) {
  std::string text;
  for (const char c : line) text += c == '\t' ? std::string("  ") : std::string(1, c);
  if (columns(text) <= room) return text;
  while (columns(text) > room - 1) {
    while ((text.back() & 0xc0) == 0x80) text.pop_back();  // the rest of one character
    text.pop_back();
  }
  return text + "…";
}

class Table {
 public:
  Table(const ExplainView& view, const Style& style)
      : view_(view),
        paint_(style),
        width_(style.width),
        launch_(view.result->lines[view.launch]),
        explained_(explanation_of(launch_, view.device.sm_count)),
        text_(lines_of(launch_.text)) {
    for (const auto& line : explained_.lines) numbers_ = std::max(numbers_, std::to_string(line.line).size());
    columns_ = line_columns(view);
    make_room();
    marked_ = std::min(explained_.marks.size(), most_marks);
  }

  std::string text() {
    head();
    source();
    time();
    marks();
    what_would_help();
    if (view_.phases) phases();
    if (view_.banks) banks(*view_.banks);
    return out_;
  }

 private:
  [[nodiscard]] bool is_ideal(const CounterInfo& info) const {
    const auto text = line_cell(info, launch_.counters);
    return text == "100%" || text == "0%" || (info.name == "active_lanes" && text == "32.0");
  }
  [[nodiscard]] bool is_spoken_of(const CounterInfo& info) const {
    return std::any_of(explained_.marks.begin(), explained_.marks.end(), [&](const Mark& mark) {
      const auto is = [&](std::string_view word) { return info.name.find(word) != std::string_view::npos; };
      return (mark.kind == "bank_conflict" && (is("shared") || is("conflict"))) ||
             (mark.kind == "uncoalesced" && is("sectors") &&
              is(mark.text.starts_with("uncoalesced store") ? "store" : "load")) ||
             (mark.kind == "divergence" && is("branch")) || (mark.kind == "atomic" && is("atomic"));
    });
  }
  /// What is had from other columns and from the source.
  static bool follows(const CounterInfo& counter) {
    return counter.name == "global_bytes_used" || counter.name == "global_requests";
  }
  /// Source stands beside its counters: those that matter least leave where both have no room.
  void make_room() {
    const auto taken = [&] {
      std::size_t sum = std::max<std::size_t>(numbers_, 4) + 2 + (launch_.time ? time_width : 0);
      for (const auto& column : columns_) sum += column.width;
      return sum;
    };
    while (columns_.size() > 3 && taken() + usual_source > width_) {
      const auto least = std::max_element(columns_.begin(), columns_.end(), [this](const auto& a, const auto& b) {
        // What is as it should be all over goes first, what a reason speaks of last; of equals the last.
        const auto rank = [this](const LineColumn& column) {
          const auto& counter = *column.counter;
          return std::tuple(!column.stays, is_ideal(counter), !is_spoken_of(counter), follows(counter),
                            counter.ladder.priority);
        };
        return rank(a) <= rank(b);
      });
      if (least->stays) return;
      left_out_.push_back(join({least->heading, least->second}, " "));
      columns_.erase(least);
    }
  }
  void line(const std::string& text = {}) { out_ += text.substr(0, text.find_last_not_of(' ') + 1) + '\n'; }
  void paragraph(const std::string& first, const std::string& text) {
    std::string label = first;
    for (const auto& part : wrapped(text, width_ - columns(first))) {
      line(label + part);
      label = std::string(columns(first), ' ');
    }
  }
  [[nodiscard]] std::uint64_t blocks() const { return launch_.grid.volume(); }

  void head() {
    const auto& result = *view_.result;
    const std::string what = view_.lab.empty() ? visible(view_.file) : view_.lab + " " + result.variant;
    line(paint_.bold(fmt::format("{} · {}", what, launch_.kernel)));
    paragraph("", fmt::format("simulated: grid {} × block {}, {} per block; PTX instructions, summed over all blocks",
                              dim_text(launch_.grid), dim_text(launch_.block),
                              plural((launch_.block.volume() + 31) / 32, "warp")));
    if (!view_.check_command.empty()) paragraph("", fmt::format("counted as by: {}", visible(view_.check_command)));
    if (result.lines.size() > 1)
      line(fmt::format("launch {} of {} (--launch N shows another)", view_.launch + 1, result.lines.size()));
    if (result.model) paragraph("", paint_.bold("bound by " + bound_text(*result.model)));
    if (const auto modelled = modelled_text(result); !modelled.empty()) paragraph("modelled: ", modelled);
    if (result.lines.size() > 1 && launch_.time)
      line(fmt::format("of these, this launch: {}", duration_text(launch_.time->ms)));
    if (const auto reason = ptx_reason(launch_); !reason.empty()) line(reason);
    if (result.status == CaseStatus::wrong) line(paint_.bad("the answer is wrong: " + result.message));
    line();
  }

  void source() {
    std::string top, bottom;
    if (launch_.time) {
      top += right("", time_width);
      bottom += right("time", time_width);
    }
    for (const auto& column : columns_) {
      top += right(column.heading, column.width);
      bottom += right(column.second, column.width);
    }
    line(paint_.dim(right("", numbers_) + top));
    line(paint_.dim(right("line", std::max<std::size_t>(numbers_, 4)) + bottom + "  " + visible(launch_.file)));
    std::uint32_t before = 0;
    for (const auto number : shown_lines(explained_, text_)) {
      if (before != 0 && number != before + 1) line(paint_.dim(right("⋮", std::max<std::size_t>(numbers_, 4))));
      row(number, text_[number - 1], find(number));
      before = number;
    }
    // Lines of a text that is not at hand, or that is shorter than they say.
    for (const auto& counted : explained_.lines)
      if (counted.line > text_.size()) row(counted.line, "", &counted);
    if (const auto* rest = find(0)) row(0, "(code that no line of this file stands for)", rest);
    line(paint_.dim(right("all", std::max<std::size_t>(numbers_, 4)) +
                    right(launch_.time ? "100%" : "", launch_.time ? time_width : 0) + cells(launch_.counters)));
    for (const auto& part : wrapped(
             "request: one access of a warp; sector: 32 bytes of memory; wavefront: one pass over the banks", width_))
      line(paint_.dim(part));
    if (std::any_of(explained_.marks.begin(), explained_.marks.begin() + static_cast<std::ptrdiff_t>(marked_),
                    [](const Mark& mark) { return !mark.victims.empty(); }))
      for (const auto& part :
           wrapped("◄: a reason below speaks of the line; ◁: that reason leaves it few lanes", width_))
        line(paint_.dim(part));
    if (left_out_.empty()) return;
    for (const auto& part : wrapped("Not shown for want of width: " + join(left_out_), width_)) line(paint_.dim(part));
  }

  [[nodiscard]] const ExplainedLine* find(std::uint32_t number) const {
    for (const auto& line : explained_.lines)
      if (line.line == number) return &line;
    return nullptr;
  }
  [[nodiscard]] std::string time_cell(const ExplainedLine* counted) const {
    const double share = counted != nullptr ? time_share(launch_, counted->line) : 0;
    return share < 0.005 ? "" : fmt::format("{:.0f}%", 100 * share);
  }
  [[nodiscard]] std::string cells(const Counters& counters) const {
    std::string text;
    for (const auto& column : columns_) text += right(line_cell(*column.counter, counters), column.width);
    return text;
  }
  /// "◄1,3 ◁2": which of the reasons below speak of the line, and whose victim it is.
  [[nodiscard]] std::string pointers(std::uint32_t number) const {
    std::vector<std::string> own, others;
    for (std::size_t i = 0; i < marked_ && number != 0; ++i) {
      const auto& mark = explained_.marks[i];
      if (mark.line == number) own.push_back(std::to_string(i + 1));
      if (is_victim(mark, number)) others.push_back(std::to_string(i + 1));
    }
    std::vector<std::string> both;
    if (!own.empty()) both.push_back("◄" + join(own, ","));
    if (!others.empty()) both.push_back("◁" + join(others, ","));
    return join(both, " ");
  }
  void row(std::uint32_t number, std::string_view source, const ExplainedLine* counted) {
    std::string text = right(number ? std::to_string(number) : "-", std::max<std::size_t>(numbers_, 4));
    if (launch_.time) text += right(time_cell(counted), time_width);
    if (counted != nullptr && counted->executions == 0) {
      std::size_t blank = 0;
      for (const auto& column : columns_) blank += column.width;
      text += right("never executed", blank);
    } else {
      text += cells(counted != nullptr ? counted->counters : Counters{});
    }
    const auto points = counted != nullptr ? pointers(number) : "";
    const auto taken = columns(text) + 2 + (points.empty() ? 0 : columns(points) + 1);
    const auto room = std::max<std::size_t>(least_source, width_ > taken ? width_ - taken : 0);
    text += "  " + source_text(source, room);
    line(points.empty() ? text : paint_.bold(text + ' ') + paint_.bad(points));
  }

  void time() {
    const auto lines = where_time_goes(launch_, text_, width_);
    if (lines.empty()) return;
    line();
    paragraph("", paint_.bold("Where warps spend the modelled time") + ", the most first" + start_text(launch_));
    for (const auto& words : lines) paragraph("  ", words);
    if (const auto darkest = darkest_line_text(explained_); !darkest.empty()) paragraph("", darkest);
  }
  void what_would_help() {
    const auto all = what_ifs(launch_, view_.device.sm_count);
    if (all.empty()) return;
    line();
    line(paint_.bold("What if") + ": modelled again with that cost gone");
    for (const auto& words : all) paragraph("  ", words);
  }

  bool spills() {
    const auto text = spill_text(*view_.result, launch_);
    if (text.empty()) return false;
    line();
    paragraph("", text);
    return true;
  }

  void marks() {
    const bool spilled = spills();
    line();
    if (marked_ == 0)
      return line(fmt::format("Nothing {}stands out: lanes agree, global memory is coalesced, no banks conflict.",
                              spilled ? "else " : ""));
    line(paint_.bold("What to look at, worst first"));
    std::uint32_t said = 0;                    // the line whose source stands above
    std::set<std::string> told;                // what holds of all lines of a kind
    std::map<std::string, std::size_t> whole;  // what was said of a line, and where
    for (std::size_t i = 0; i < marked_; ++i) {
      const auto& mark = explained_.marks[i];
      if (mark.line != 0 && mark.line != said) {
        const auto source = mark.line <= text_.size() ? text_[mark.line - 1] : std::string_view();
        line(source_text(fmt::format("line {}: {}", mark.line,
                                     source.substr(std::min(source.find_first_not_of(" \t"), source.size()))),
                         width_));
      }
      if (mark.line == 0 && of_launch(mark.kind)) line("the whole launch:");
      said = mark.line;
      if (const auto [before, fresh] = whole.emplace(mark.text, i + 1); !fresh) {
        paragraph(fmt::format("  ◄{} ", i + 1),
                  fmt::format("{}: as ◄{} ({})", mark.text.substr(0, mark.text.find_first_of(":;")), before->second,
                              share_text(mark)));
        continue;
      }
      const auto general = mark.own < mark.text.size() ? mark.kind + mark.text.substr(mark.own) : std::string();
      const bool is_new = general.empty() || told.insert(general).second;
      paragraph(fmt::format("  ◄{} ", i + 1),
                fmt::format("{} ({})", is_new ? mark.text : mark.text.substr(0, mark.own), share_text(mark)));
    }
    if (explained_.marks.size() > marked_)
      line(fmt::format("and {} more (--format json has all)", explained_.marks.size() - marked_));
  }
  static bool of_launch(const std::string& kind) {
    return kind == "few_blocks" || kind == "imbalance" || kind == "partial_warps";
  }

  void phases() {
    line();
    line(paint_.bold("Per block, by phase") + ": 0 is before the block's first barrier, 1 after it …");
    if (launch_.phases == most_phases)
      line(fmt::format("blocks pass more barriers than that: phase {} takes the rest", most_phases - 1));
    for (std::uint32_t first = 0; first < launch_.phases; first += 16)
      phase_page(first, std::min(launch_.phases, first + 16));
  }
  void phase_page(std::uint32_t first, std::uint32_t end) {
    std::string top = right("line", std::max<std::size_t>(numbers_, 4)) + "  " + "phase           ";
    for (auto phase = first; phase < end; ++phase) top += right(std::to_string(phase), 6);
    line(paint_.dim(top));
    using Count = std::function<std::uint64_t(const LineCounts&)>;
    const std::array<std::pair<const char*, Count>, 7> rows{{
        {"executions", [](const LineCounts& l) { return l.executions; }},
        {"load requests",
         [](const LineCounts& l) { return l.counters["global_load_requests"] + l.counters["shared_load_requests"]; }},
        {"store requests",
         [](const LineCounts& l) { return l.counters["global_store_requests"] + l.counters["shared_store_requests"]; }},
        {"atomic requests",
         [](const LineCounts& l) {
           return l.counters["global_atomic_requests"] + l.counters["shared_atomic_requests"];
         }},
        {"branches diverge", [](const LineCounts& l) { return l.counters["divergent_branches"]; }},
        {"sectors", [](const LineCounts& l) { return sectors(l.counters); }},
        {"bank conflicts", [](const LineCounts& l) { return conflicts(l.counters); }},
    }};
    for (const auto& counted : explained_.lines) {
      std::string number = counted.line ? std::to_string(counted.line) : "-";
      for (const auto& [name, count] : rows) {
        std::vector<std::uint64_t> values(end - first, 0);
        for (const auto& phase : counted.phases)
          if (phase.phase >= first && phase.phase < end) values[phase.phase - first] = count(phase);
        if (std::all_of(values.begin(), values.end(), [](auto v) { return v == 0; })) continue;
        std::string text = right(number, std::max<std::size_t>(numbers_, 4)) + fmt::format("  {:<16}", name);
        for (const auto value : values) text += right(per_block(value), 6);
        line(text);
        number.clear();
      }
    }
  }
  /// Whole numbers where every block does the same.
  [[nodiscard]] std::string per_block(std::uint64_t value) const {
    if (value == 0) return "·";
    if (value % blocks() == 0) return std::to_string(value / blocks());
    return fmt::format("{:.2f}", real(value) / real(blocks()));
  }

  void banks(std::uint32_t number) {
    for (const auto& access : shared_accesses(launch_, number)) {
      line();
      line(paint_.bold(fmt::format("Banks of line {}", number)) +
           fmt::format(": {}, {} × {}", access.instruction, plural(__builtin_popcount(access.mask), "lane"),
                       plural(access.width, "byte")) +
           (access.ptx_line ? fmt::format(" (PTX line {})", access.ptx_line) : ""));
      line(access.wavefronts > access.ideal_wavefronts
               ? paint_.bad(fmt::format("{} where {} would do: a bank gives one word per pass",
                                        passes(access.wavefronts), access.ideal_wavefronts))
               : fmt::format("no conflict: {}", passes(access.wavefronts)));
      for (const auto& bank : banks_of(access)) {
        std::vector<std::string> words;
        for (const auto& word : bank.words)
          words.push_back(fmt::format("word {} ← {}", word.word, lanes_text(word.lanes)));
        paragraph(fmt::format("  bank {:>2}  {:>2} {}  ", bank.number, bank.words.size(),
                              bank.words.size() == 1 ? "word " : "words"),
                  join(words));
      }
    }
    line("words are 4 bytes, counted from the start of the block's shared memory; bank = word mod 32");
  }
  static std::string passes(std::uint32_t n) { return n == 1 ? "1 pass" : fmt::format("{} passes", n); }
  /// "lane 3", "lanes 0-15", "lanes 0 4 8".
  static std::string lanes_text(const std::vector<int>& lanes) {
    if (lanes.size() == 1) return fmt::format("lane {}", lanes[0]);
    const bool run = lanes.back() - lanes.front() + 1 == static_cast<int>(lanes.size());
    return run ? fmt::format("lanes {}-{}", lanes.front(), lanes.back())
               : fmt::format("lanes {}", fmt::join(lanes, " "));
  }

  const ExplainView& view_;
  Paint paint_;
  std::size_t width_;  ///< of the page; source beyond it is cut
  const LaunchLines& launch_;
  Explanation explained_;
  std::vector<std::string_view> text_;
  std::vector<LineColumn> columns_;
  std::vector<std::string> left_out_;  ///< columns, for want of width
  std::size_t numbers_ = 1, marked_ = 0;
  std::string out_;
};

}  // namespace

std::string explain_table(const ExplainView& view, const Style& style) { return Table(view, style).text(); }

std::string ptx_reason(const LaunchLines& launch) {
  if (!launch.ptx) return {};
  return launch.file.ends_with(".ptx")
             ? fmt::format("lines are those of {}, which is PTX", visible(launch.file))
             : fmt::format("lines are PTX lines: the kernel has no line information for {}", visible(launch.file));
}

std::vector<LineAccess> shared_accesses(const LaunchLines& launch, std::uint32_t line) {
  std::vector<LineAccess> found;
  std::set<std::uint32_t> others;
  for (const auto& access : launch.accesses) {
    if (!access.shared) continue;
    others.insert(access.line);
    if (access.line == line) found.push_back(access);
  }
  if (found.empty())
    throw usage_error(fmt::format("--banks: line {} of {} has no access to shared memory", line, launch.file),
                      others.empty() ? std::string("no line of this kernel has")
                                     : fmt::format("lines that have: {}", fmt::join(others, ", ")));
  return found;
}

}  // namespace gpulab
