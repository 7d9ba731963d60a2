#include "runner/report/plots/image.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "common/error.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/plots/chart.h"

namespace gpulab {
namespace {

[[noreturn]] void cannot_write(const std::string& file, const std::string& why) {
  throw usage_error(fmt::format("--image: cannot write {}: {}", file, why), "name a file in a folder you can write to");
}

void write_png(const std::string& file, const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, file.c_str(), 0, picture.rgb.data(), 0, nullptr) == 0)
    cannot_write(file, image.message);
}

void write_svg(const std::string& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (!stream) cannot_write(file, std::strerror(errno));
}

void demand(const std::string& file, const std::string& extension, const std::string& what) {
  if (file.ends_with(extension)) return;
  throw usage_error(fmt::format("--image: {} is written as {}, not to {}", what, extension.substr(1), file),
                    fmt::format("name a file that ends in {}", extension));
}

Heading heading(const Run& run, const std::string& of) {
  const auto& device = run.device;
  return {fmt::format("{} on {}{}", of, device.modelled ? "the simulator, modelling " : "",
                      device.modelled ? device.profile : device.name),
          shared_case(run)};
}

}  // namespace

void check_image_name(const std::string& file) {
  if (file.ends_with(".png") || file.ends_with(".svg")) return;
  throw usage_error(fmt::format("--image: '{}' ends neither in .png nor in .svg", file),
                    "a lab's picture is a .png; a curve, a ladder or a sweep is an .svg");
}

void write_image(const std::string& file, const Run& run) {
  const auto find = [&](const auto& drawn) { return std::find_if(run.results.begin(), run.results.end(), drawn); };
  if (const auto it = find([](const Result& r) { return r.picture.has_value(); }); it != run.results.end()) {
    demand(file, ".png", "a picture");
    return write_png(file, *it->picture);
  }
  // Of several results what tells them apart; a curve is one result's own.
  if (run.results.size() > 1) {
    const auto sweep = sweep_svg(run, heading(run, run.lab));
    const auto drawn = sweep.empty() ? ladder_svg(run, heading(run, run.lab)) : sweep;
    if (!drawn.empty()) {
      demand(file, ".svg", sweep.empty() ? "a ladder" : "a sweep");
      return write_svg(file, drawn);
    }
  }
  if (const auto it = find([](const Result& r) { return r.curve && !r.curve->x.empty(); }); it != run.results.end()) {
    demand(file, ".svg", "a curve");
    return write_svg(file, curve_svg(*it->curve, heading(run, it->curve->name)));
  }
  throw usage_error(fmt::format("--image: this run of {} has nothing to draw", run.lab),
                    "a lab's picture, a calculator's curve, or several variants ('--variant all')");
}

}  // namespace gpulab
