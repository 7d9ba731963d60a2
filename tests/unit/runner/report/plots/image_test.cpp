#include "runner/report/plots/image.h"

#include <png.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

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

}  // namespace

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

TEST_CASE("a ladder is drawn as one bar per rung that was counted, a curve as one bar per point") {
  const auto file = path_of("gpulab_image_test.svg");
  auto skipped = rung("cub", 7);
  skipped.status = CaseStatus::skipped;
  write_image(file, run_of({rung("a<b>", 100), rung("fast", 50), skipped}));
  const auto ladder = text_of(file);
  CHECK(ladder.find("a&lt;b&gt;") != std::string::npos);
  CHECK(ladder.find("width=\"520.0\"") != std::string::npos);
  CHECK(ladder.find("width=\"260.0\"") != std::string::npos);
  CHECK(ladder.find("cub") == std::string::npos);

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
  CHECK(
      error_of([] { check_image_name("a.gif"); }) ==
      "--image: 'a.gif' ends neither in .png nor in .svg | a lab's picture is a .png; a curve or a ladder is an .svg");
}
