#include "runner/report/plots/image.h"

#include <png.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "common/text.h"
#include "runner/report/plots/panels.h"
#include "tests/catch.h"
#include "tests/unit/error_of.h"

using namespace gpulab;

namespace {

std::string path_of(const std::string& name) { return (std::filesystem::temp_directory_path() / name).string(); }

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  std::filesystem::remove(file);
  return text.str();
}

Run run_of(std::vector<Result> results) {
  Run run;
  run.lab = "reduce";
  run.device.modelled = true;
  run.device.profile = "h200";
  run.results = std::move(results);
  return run;
}

Result rung(const std::string& name, std::uint64_t instructions) {
  Result result;
  result.variant = name;
  result.counters = Counters{};
  (*result.counters)["warp_instructions"] = instructions;
  return result;
}

/// Places of texts, each a line of 13 px; how wide they are is an estimate on the safe side.
struct Label {
  double left, right, baseline;
  std::string text;
};
std::vector<Label> labels_in(const std::string& svg) {
  static const std::regex pattern(R"re(<text x="([-0-9.]+)" y="([-0-9.]+)" text-anchor="(\w+)"[^>]*>([^<]*)<)re");
  std::vector<Label> labels;
  for (std::sregex_iterator it(svg.begin(), svg.end(), pattern), end; it != end; ++it) {
    const double x = std::stod((*it)[1]), y = std::stod((*it)[2]);
    const double width = 6.5 * static_cast<double>(columns((*it)[4].str()));
    const double left = (*it)[3] == "end" ? x - width : (*it)[3] == "middle" ? x - width / 2 : x;
    labels.push_back({left, left + width, y, (*it)[4]});
  }
  return labels;
}
void check_legible(const std::string& svg) {
  const double width = std::stod(svg.substr(svg.find("width=\"") + 7));
  const auto labels = labels_in(svg);
  REQUIRE(labels.size() > 4);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    INFO(labels[i].text);
    CHECK(labels[i].left >= 0);
    CHECK(labels[i].right <= width);
    for (std::size_t j = i + 1; j < labels.size(); ++j) {
      INFO(labels[j].text);
      const bool apart = labels[i].right < labels[j].left || labels[j].right < labels[i].left ||
                         std::abs(labels[i].baseline - labels[j].baseline) >= 12;
      CHECK(apart);
    }
  }
}

}  // namespace

TEST_CASE("a sweep is drawn as lines over its number, one for each variant; two values of it are a ladder") {
  const auto file = path_of("gpulab_image_test.svg");
  std::vector<Result> results;
  for (const auto* name : {"slow", "fast"}) {
    for (const std::int64_t n : {1024, 4096, 65536, 1048576}) {
      results.push_back(rung(name, static_cast<std::uint64_t>(name[0] == 's' ? 50 * n : n)));
      results.back().params = {{"n", n}};
    }
  }
  auto skipped = rung("cub", 7);
  skipped.status = CaseStatus::skipped;
  skipped.params = {{"n", std::int64_t{1024}}};
  results.push_back(skipped);
  write_image(file, run_of(results));
  const auto sweep = text_of(file);
  check_legible(sweep);
  CHECK(std::ranges::count(split(sweep, '\n'), "</svg>") == 1);
  for (const auto* word : {">slow<", ">fast<", ">cub: skipped<", ">n, logarithmic<", "<polyline", "lower is better"}) {
    INFO(word);
    CHECK(sweep.find(word) != std::string::npos);
  }
  write_image(file, run_of({results[0], results[1], results[4], results[5]}));
  const auto ladder = text_of(file);
  CHECK(ladder.find("<polyline") == std::string::npos);
  CHECK(ladder.find(">slow, n 1024 (2^10)<") != std::string::npos);
  check_legible(ladder);
}

TEST_CASE("the labels of a chart do not overlap, wherever its marked point is") {
  const auto file = path_of("gpulab_image_test.svg");
  for (const double marked : {1, 16, 32}) {
    Result result;
    result.curve = Curve{"c", "a long name of x", "a long name of y that goes on", {}, {}, 1, marked};
    for (int i = 1; i <= 32; ++i) {
      result.curve->x.push_back(i);
      result.curve->y.push_back(1.0 / i);
    }
    result.curve->y.back() = 1;
    write_image(file, run_of({result}));
    check_legible(text_of(file));
  }
}

TEST_CASE("a ladder draws the counters in which its rungs differ, what the lab is about first") {
  auto slow = rung("slow", 1000), fast = rung("fast", 1000);
  for (auto* r : {&slow, &fast}) {
    (*r->counters)["branches"] = 100;
    (*r->counters)["global_atomic_requests"] = 5000;
  }
  (*slow.counters)["divergent_branches"] = 90;
  (*fast.counters)["global_atomic_requests"] = 4000;
  auto run = run_of({slow, fast});
  run.subject = {"atomic_requests"};
  const auto shown = panels(run, 4);
  REQUIRE(shown.size() == 2);
  CHECK(shown[0].name == "atomics");
  CHECK(shown[1].name == "branch eff.");
  CHECK(shown[1].more_is_better);
  run.results[0].spread = spread_of(1, {}, 132);
  run.results[1].spread = spread_of(500, {}, 132);
  run.results[1].model.emplace().ms = 0.5;
  const auto idle = panels(run, 3);
  REQUIRE(idle.size() == 3);
  CHECK(idle[0].name == "time, modelled");
  CHECK(idle[1].name == "SMs used");
  CHECK(idle[2].name == "atomics");
}

TEST_CASE("a picture is written as PNG, every pixel as it was") {
  Result result;
  result.picture = Picture{3, 2, {255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const auto file = path_of("gpulab_image_test.png");
  write_image(file, run_of({result}));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&image, file.c_str()) != 0);
  CHECK(image.width == 3);
  CHECK(image.height == 2);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  REQUIRE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) != 0);
  CHECK(pixels == result.picture->rgb);
  std::filesystem::remove(file);
}

TEST_CASE("a ladder is drawn as one bar per rung that was counted, others are named; a curve as one bar per point") {
  const auto file = path_of("gpulab_image_test.svg");
  auto skipped = rung("cub", 7);
  skipped.status = CaseStatus::skipped;
  skipped.message = "no GPU";
  write_image(file, run_of({rung("a<b>", 100), rung("fast", 50), skipped}));
  const auto ladder = text_of(file);
  CHECK(ladder.find("a&lt;b&gt;") != std::string::npos);
  CHECK(ladder.find("width=\"130.0\"") != std::string::npos);
  CHECK(ladder.find("width=\"65.0\"") != std::string::npos);
  CHECK(ladder.find(">cub<") != std::string::npos);
  CHECK(ladder.find("skipped: no GPU") != std::string::npos);
  CHECK(ladder.find("shorter is better") != std::string::npos);

  Result result;
  result.curve = Curve{"occupancy", "threads", "warps", {32, 64}, {0.5, 1}, 1, 64};
  write_image(file, run_of({result}));
  const auto curve = text_of(file);
  CHECK(curve.find("height=\"150.0\"") != std::string::npos);
  CHECK(curve.find("height=\"300.0\"") != std::string::npos);
}

TEST_CASE("what cannot be drawn says why and what to do") {
  Result picture, curve;
  picture.picture = Picture{1, 1, {0, 0, 0}};
  curve.curve = Curve{"c", "x", "y", {1}, {1}, 1, 1};
  const auto drawn = [](const std::string& file, std::vector<Result> results) {
    return error_of([&] { write_image(file, run_of(std::move(results))); });
  };
  CHECK(drawn("a.svg", {picture}) ==
        "--image: a picture is written as png, not to a.svg | name a file that ends in .png");
  CHECK(drawn("a.png", {curve}) == "--image: a curve is written as svg, not to a.png | name a file that ends in .svg");
  CHECK(drawn("a.png", {rung("a", 1), rung("b", 1)}) ==
        "--image: a ladder is written as svg, not to a.png | name a file that ends in .svg");
  CHECK(drawn("a.png", {rung("a", 1)}) ==
        "--image: this run of reduce has nothing to draw | a lab's picture, a calculator's curve, or several variants "
        "('--variant all')");
  CHECK(drawn("/nowhere/a.svg", {curve}) ==
        "--image: cannot write /nowhere/a.svg: No such file or directory | name a file in a folder you can write to");
  CHECK(error_of([] { check_image_name("a.gif"); }) ==
        "--image: 'a.gif' ends neither in .png nor in .svg | a lab's picture is a .png; a curve, a ladder or a sweep "
        "is an .svg");
}
