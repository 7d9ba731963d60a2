#include "runner/report/roofline/drawing.h"

#include <algorithm>
#include <cmath>

#include "runner/report/plots/glyphs.h"
#include "tests/catch.h"

using namespace gpulab;
using namespace gpulab::sheet;

namespace {

Roofline two_rungs() {
  Roofline roofline{.of = "reduce, n 4", .gpu = "NVIDIA H200"};
  roofline.ceilings = {{"memory", "GB/s", 4000}, {"L2", "GB/s", 8000}, {"fp32", "GFLOP/s", 60000}};
  roofline.rows = {{.name = "slow", .ms = 1, .operations = 1e9, .bytes = 4e9, .roof = "fp32"},
                   {.name = "broken", .missing = "it was wrong"},
                   {.name = "fast", .ms = 0.5, .operations = 1e9, .bytes = 1e8, .roof = "fp32"}};
  return roofline;
}

struct Word {
  std::string text;
  double x, y, size;
  Colour colour;
};

class Noted final : public Sheet {
 public:
  void line(double, double, double, double, Colour, double, bool) override {}
  void box(double, double, double, double, Colour) override {}
  void dot(double x, double y, double, Colour) override { dots.emplace_back(x, y); }
  void text(double x, double y, std::string_view words, double size, Anchor, Colour colour) override {
    this->words.push_back({std::string(words), x, y, size, colour});
  }
  std::vector<std::pair<double, double>> dots;
  std::vector<Word> words;
};

/// Relative luminance and contrast as the Web Content Accessibility Guidelines define them.
double luminance(Colour c) {
  const auto part = [](std::uint8_t value) {
    const double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(c.r) + 0.7152 * part(c.g) + 0.0722 * part(c.b);
}
double contrast_on_white(Colour c) { return 1.05 / (luminance(c) + 0.05); }

}  // namespace

TEST_CASE("a roofline's words can be read from a lecture hall's last row") {
  const auto roofline = two_rungs();
  Noted sheet;
  draw(roofline, sheet);
  CHECK(sheet.words.size() > 10);
  for (const auto& word : sheet.words) {
    INFO(word.text);
    CHECK(word.size >= 1280 / 50.0);  // of a screen 16:9, a twenty-eighth of its height
    CHECK(contrast_on_white(word.colour) >= 7);
  }
}

TEST_CASE("a long title is smaller, or in two lines, and whole") {
  auto roofline = two_rungs();
  for (const int copies : {1, 3, 5}) {
    roofline.of = "reduce";
    for (int i = 0; i < copies; ++i) roofline.of += ", elements 4194304";
    Noted sheet;
    draw(roofline, sheet);
    std::string title;
    for (const auto& word : sheet.words)
      if (word.y < 60) title += word.text;
    INFO(title);
    CHECK(title == "Roofline: " + roofline.of);
  }
}

TEST_CASE("each kernel has a dot and a number of its own, and what is missing has none") {
  const auto roofline = two_rungs();
  CHECK(numbers(roofline) == std::vector<std::size_t>{1, 0, 2});
  Noted sheet;
  draw(roofline, sheet);
  CHECK(sheet.dots.size() == 2);
  for (const auto* name : {"1 slow", "2 fast", "fp32 60 TFLOP/s", "memory 4 TB/s", "L2 8 TB/s"})
    CHECK(std::ranges::count(sheet.words, name, &Word::text) == 1);
}

TEST_CASE("no number stands on another or on a dot, also where all kernels lie in one place") {
  auto roofline = two_rungs();
  roofline.rows.clear();
  for (int i = 0; i < 12; ++i)
    roofline.rows.push_back({.name = "same", .ms = 1 + i * 1e-4, .operations = 1e9, .bytes = 4e9, .roof = "fp32"});
  Noted sheet;
  draw(roofline, sheet);
  std::vector<Word> labels;
  for (const auto& word : sheet.words)
    if (word.colour.r == mark.r && word.colour.g == mark.g) labels.push_back(word);
  REQUIRE(labels.size() == 12);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      CHECK((std::abs(labels[i].x - labels[j].x) > 20 || std::abs(labels[i].y - labels[j].y) > 20));
    for (const auto& [x, y] : sheet.dots) CHECK(std::hypot(labels[i].x - x, labels[i].y - 10 - y) > 12);
  }
}

TEST_CASE("a number stands at the height of its dot where no other is near") {
  auto roofline = two_rungs();
  roofline.rows.clear();
  for (const double ms : {1.0, 1.0001, 1.0002, 1000.0})
    roofline.rows.push_back({.name = "same", .ms = ms, .operations = 1e9, .bytes = 4e9, .roof = "fp32"});
  Noted sheet;
  draw(roofline, sheet);
  const auto alone = std::ranges::find(sheet.words, "4", &Word::text);
  REQUIRE(alone != sheet.words.end());
  CHECK(std::abs(alone->y - sheet.dots[3].second) < 14);
}

TEST_CASE("a page has the picture without its title, and microseconds with their letter") {
  const auto roofline = two_rungs();
  CHECK(roofline_svg(roofline).find(">Roofline: ") != std::string::npos);
  CHECK(roofline_svg(roofline, false).find("font-size=\"34\"") == std::string::npos);
  CHECK(unit_text({"launch", "us", 2.7, ""}) == "µs");
  CHECK(unit_text({"memory", "GB/s", 4800, ""}) == "GB/s");
}

TEST_CASE("the window holds every kernel and the ridge that is near, and dots take more than a tenth of it") {
  const auto roofline = two_rungs();
  const auto window = window_of(roofline);
  CHECK(window.left < 0.25);
  CHECK(window.right > 15);
  CHECK(window.top > 60e12);
  Noted sheet;
  draw(roofline, sheet);
  CHECK(std::abs(sheet.dots[0].first - sheet.dots[1].first) > 128);
  auto far = roofline;
  far.rows.pop_back();
  far.ceilings[2].value = 60e6;  // a ridge 60000 times as far as the kernel
  CHECK(window_of(far).right < 1);
  CHECK(std::ranges::none_of(roofs(far, window_of(far)), [](const Roof& roof) { return !roof.is_slope; }));
}

TEST_CASE("ticks are round, and neither too few nor too many") {
  REQUIRE(ticks(0.2, 0.9).size() == 5);
  CHECK(ticks(0.07, 0.45).size() == 6);  // 0.07, 0.1, 0.15, 0.2, 0.3, 0.4
  CHECK(ticks(0.1, 1) == std::vector{0.1, 0.2, 0.5, 1.0});
  CHECK(ticks(0.5, 2000) == std::vector<double>{1, 3, 10, 30, 100, 300, 1000});
  CHECK(ticks(0.5, 20000).size() == 5);
  CHECK(ticks(1e-9, 1e9).size() <= 9);
  CHECK(si_text(0.05) == "0.05");
  CHECK(si_text(1e10) == "10 G");
  CHECK(si_text(999.9) == "1 k");
  CHECK(si_text(64.6e12) == "64.6 T");
}

TEST_CASE("letters without a font: every one of ASCII that pictures use, and others by what stands for them") {
  for (char c = '!'; c <= '~'; ++c) CHECK(glyph(c) != glyph('\x7f'));
  CHECK(plain_letters("5 µs × 2…") == "5 us x 2..");
  CHECK(plain_letters("ü") == "\x7f");
}

TEST_CASE("the roof over a kernel is the lower of slope and flat") {
  const auto roofline = two_rungs();
  CHECK(roofline.roof_over(roofline.rows[0]) == Catch::Detail::Approx(1e12));
  CHECK(roofline.roof_over(roofline.rows[2]) == Catch::Detail::Approx(4e13));
}
