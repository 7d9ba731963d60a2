// The roofline on a terminal: characters for the picture, numbers below.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "runner/report/grid_text.h"
#include "runner/report/roofline/drawing.h"

namespace gpulab {
namespace {

constexpr std::size_t plot_height = 18, axis_width = 9, most_columns = 100;
constexpr std::string_view letters = "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::string letter_of(std::size_t number) {
  return number > 0 && number <= letters.size() ? std::string(1, letters[number - 1]) : "*";
}

class Characters {
 public:
  Characters(const sheet::Window& window, std::size_t width)
      : window_(window), width_(width), rows_(plot_height, std::string(width, ' ')) {}

  void roof(const sheet::Roof& roof) {
    for (std::size_t col = 0; col < width_; ++col) {
      const double x = window_.left * std::pow(window_.right / window_.left, (double(col) + 0.5) / double(width_));
      if (x < roof.x1 || x > roof.x2) continue;
      const double y = roof.is_slope ? roof.y1 * x / roof.x1 : roof.y1;
      put(x, y, roof.dashed ? '.' : roof.is_slope ? '/' : '-');
    }
  }
  void put(double x, double y, char letter) {
    const auto col = place(std::log(x / window_.left) / std::log(window_.right / window_.left), width_);
    const auto row = place(std::log(y / window_.bottom) / std::log(window_.top / window_.bottom), plot_height);
    char& at = rows_[plot_height - 1 - row][col];
    const bool is_row = letters.find(at) != std::string_view::npos;
    at = is_row && letter != at ? '*' : letter;  // several rows on one place
  }
  [[nodiscard]] const std::vector<std::string>& rows() const { return rows_; }

 private:
  static std::size_t place(double part, std::size_t parts) {
    return static_cast<std::size_t>(std::clamp(std::floor(part * double(parts)), 0.0, double(parts) - 1));
  }
  sheet::Window window_;
  std::size_t width_;
  std::vector<std::string> rows_;
};

std::string picture(const Roofline& roofline, std::size_t width) {
  const auto window = sheet::window_of(roofline);
  const auto across = std::min(width, most_columns) - axis_width - 1;
  Characters characters(window, across);
  const auto roofs = sheet::roofs(roofline, window);
  for (const auto& roof : roofs) characters.roof(roof);
  const auto numbers = sheet::numbers(roofline);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != 0)
      characters.put(roofline.rows[i].intensity(), roofline.rows[i].per_second(), letter_of(numbers[i]).front());
  std::vector<std::string> marks(plot_height);
  for (const double tick : sheet::ticks(window.bottom, window.top)) {
    const double part = std::log(tick / window.bottom) / std::log(window.top / window.bottom);
    const auto row = std::min(plot_height - 1, static_cast<std::size_t>(part * double(plot_height)));
    marks[plot_height - 1 - row] = si_text(tick);
  }
  std::string text = roofline.rate_unit() + "\n";
  for (std::size_t row = 0; row < plot_height; ++row) {
    const auto& line = characters.rows()[row];
    text += fmt::format("{:>{}} |{}\n", marks[row], axis_width - 1, line.substr(0, line.find_last_not_of(' ') + 1));
  }
  text += std::string(axis_width, ' ') + "+" + std::string(across, '-') + "\n";
  std::string below(axis_width + 1 + across, ' ');
  for (const double tick : sheet::ticks(window.left, window.right)) {
    const double part = std::log(tick / window.left) / std::log(window.right / window.left);
    const auto words = si_text(tick);
    const auto at = axis_width + 1 + static_cast<std::size_t>(part * double(across));
    const auto from = std::min(at - words.size() / 2, below.size() - words.size());
    if (from > 0 && below[from - 1] == ' ' && below[from] == ' ') below.replace(from, words.size(), words);
  }
  text += below.substr(0, below.find_last_not_of(' ') + 1) + "\n";
  text += fmt::format("{:>{}}\n", roofline.operation() + "s a byte of memory", axis_width + 1 + across);
  for (const auto& roof : roofs)
    text += fmt::format("{} {}\n", roof.dashed ? "..." : roof.is_slope ? "///" : "---", roof.words);
  return text;
}

std::string shares_text(const RooflineRow& row) {
  std::string text;
  for (const auto& share : row.shares) {
    if (share.share < 0.005 || (&share != row.shares.data() && columns(text) > 24)) break;
    text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", share.ceiling, 100 * share.share);
  }
  return text;
}

std::string numbers_text(const Roofline& roofline, std::size_t width) {
  const auto numbers = sheet::numbers(roofline);
  TextColumn number{{"", "#"}, {}}, name{{"", "kernel"}, {}, false}, time{{"", "time"}, {}},
      intensity{{roofline.of_instructions ? "instr./" : "FLOP/", "byte"}, {}, true, 2},
      rate{{roofline.of_instructions ? "instr." : "FLOP", "a second"}, {}, true, 1}, share{{"of its", "roof"}, {}},
      shares{{"of the ceilings,", "largest first"}, {}, false, 3};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& row = roofline.rows[i];
    if (numbers[i] == 0) continue;
    number.cells.push_back(letter_of(numbers[i]));
    name.cells.push_back(visible(row.name));
    time.cells.push_back(duration_text(row.ms));
    intensity.cells.push_back(fmt::format("{:.3g}", row.intensity()));
    rate.cells.push_back(si_text(row.per_second()));
    share.cells.push_back(fmt::format("{:.0f}%", 100 * row.per_second() / roofline.roof_over(row)));
    shares.cells.push_back(shares_text(row));
  }
  std::vector<std::string> left_out;
  return aligned({number, name, time, intensity, rate, share, shares}, width, left_out);
}

}  // namespace

std::string roofline_table(const Roofline& roofline, const Style& style) {
  std::string text;
  const auto say = [&](const std::string& words) {
    for (const auto& line : wrapped(words, style.width)) text += line + "\n";
  };
  say(fmt::format("Roofline: {}", roofline.of));
  say(fmt::format("{}: times and ceilings {}{}", roofline.gpu,
                  roofline.measured ? "measured" : "modelled, not measured",
                  roofline.measured || roofline.validated ? "" : ", from its data sheet"));
  text += "\n";
  const bool any = std::ranges::any_of(roofline.rows, [](const RooflineRow& row) { return row.missing.empty(); });
  if (any) text += picture(roofline, style.width) + "\n" + numbers_text(roofline, style.width) + "\n";
  for (const auto& row : roofline.rows) {
    if (!row.missing.empty()) say(fmt::format("not in the picture: {}: {}", visible(row.name), visible(row.missing)));
    for (const auto& share : row.shares)
      if (!share.why.empty())
        say(fmt::format("{}: {:.0f}% of {}: {}", visible(row.name), 100 * share.share, share.ceiling, share.why));
    for (const auto& one : row.not_bound_by)
      say(fmt::format("{} is not bound by {}: {}", visible(row.name), one.ceiling, one.why));
  }
  if (!text.ends_with("\n\n")) text += "\n";
  for (const auto& ceiling : roofline.ceilings)
    say(fmt::format("{:<12}{:>8} {:<10}{}", ceiling.name,
                    fmt::format("{:.{}f}", ceiling.value, ceiling.value < 100 ? 1 : 0), sheet::unit_text(ceiling),
                    ceiling.from));
  say("Bytes: " + roofline.bytes + ".");
  for (const auto& note : roofline.notes) say(visible(note));
  return text;
}

}  // namespace gpulab
