#include "labs/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "labs/contract_parts.h"
#include "labs/julia/colors.h"
#include "labs/julia/reference.h"

namespace gpulab::labs::julia {
namespace {

constexpr std::array<Dim3, 4> shapes{{{256, 1}, {32, 8}, {16, 16}, {8, 4}}};

std::uint32_t width(const Case& c) { return static_cast<std::uint32_t>(c.params.integer("width")); }
std::uint32_t height(const Case& c) { return static_cast<std::uint32_t>(c.params.integer("height")); }
std::size_t pixels(const Case& c) { return std::size_t{width(c)} * height(c); }

Problem problem(const Case& c) {
  std::vector<std::int32_t> counts(pixels(c));
  iterate(c.params, counts);
  Problem p;
  p.buffers = {{"counts", Scalar::i32, counts.size(), BufferRole::output}};
  p.expected = {{.buffer = "counts", .exact = bytes_of(std::span<const std::int32_t>(counts))}};
  return p;
}

std::vector<Argument> arguments(const Case& c) {
  const auto integer = [&](const char* name) { return static_cast<std::int32_t>(c.params.integer(name)); };
  const auto real = [&](const char* name) { return static_cast<float>(c.params.real(name)); };
  return {BufferArgument{"counts"}, integer("width"), integer("height"), integer("iterations"), real("re"), real("im")};
}

Picture picture(const Case& c, std::span<const std::int32_t> counts) {
  const auto colors = palette(c.params.integer("iterations"));
  Picture picture{width(c), height(c), {}};
  picture.rgb.reserve(3 * counts.size());
  for (const auto count : counts) {
    const auto& color = colors.at(static_cast<std::size_t>(count));
    picture.rgb.insert(picture.rgb.end(), color.begin(), color.end());
  }
  return picture;
}

/// What the picture says of the work in it.
Commentary commentary(const Case& c, std::span<const std::int32_t> counts) {
  const auto iterations = c.params.integer("iterations");
  const auto count = static_cast<double>(std::max<std::size_t>(1, counts.size()));
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0), mean = all / count;
  const auto inside = static_cast<double>(std::ranges::count(counts, iterations));
  Commentary commentary;
  commentary.picture = picture(c, counts);
  commentary.metrics = {{"mean_iterations", mean, ""}, {"pixels_inside", inside / count, "ratio"}};
  commentary.lines = {fmt::format("A pixel needs {:.1f} of {} iterations on average; {:.1f}% need all of them.", mean,
                                  iterations, 100 * inside / count)};
  return commentary;
}

Commentary of_fixed(const Case& c, const ReadBuffer& read) {
  const auto bytes = read("counts");
  auto all = commentary(c, view_as<std::int32_t>(bytes));
  const double useful = all.metrics[0].value / static_cast<double>(c.params.integer("iterations"));
  all.metrics.push_back({"useful_iterations", useful, "ratio"});
  all.lines.push_back(
      fmt::format("Every lane is busy all the time, and {:.1f}% of what it does is for nothing.", 100 * (1 - useful)));
  return all;
}

Commentary of_early_exit(const Case& c, const ReadBuffer& read) {
  const auto bytes = read("counts");
  const auto counts = view_as<std::int32_t>(bytes);
  auto all = commentary(c, counts);
  all.metrics.push_back({"lanes_at_work", lanes_at_work(counts, width(c), height(c), c.block), "ratio"});
  all.lines.emplace_back("A warp goes on as long as its slowest pixel. Of the lanes' iterations, there is work in");
  for (const auto& block : shapes) {
    const auto across = std::min(block.x, 32U);
    all.lines.push_back(fmt::format("  {:>5.1f}%  with blocks of {}x{}, {}x{} pixels to a warp",
                                    100 * lanes_at_work(counts, width(c), height(c), block), block.x, block.y, across,
                                    32 / across));
  }
  return all;
}

Commentary of_picture(const Case& c, const ReadBuffer& read) {
  const auto bytes = read("counts");
  return commentary(c, view_as<std::int32_t>(bytes));
}

/// Where rounding decides how often a pixel iterates, each of these answers is right: with and without fused
/// multiply-adds, in double, and from where a rounding error of the start would be.
std::vector<std::vector<std::int32_t>> right_counts(const Case& c) {
  std::vector<std::int32_t> first(pixels(c));
  iterate(c.params, first);
  std::vector<std::vector<std::int32_t>> all{std::move(first)};
  const auto integer = [&](const char* name) { return static_cast<std::int32_t>(c.params.integer(name)); };
  const std::int32_t columns = integer("width"), lines = integer("height"), most = integer("iterations");
  const auto from = [&](auto zero, double shift) {
    using Real = decltype(zero);
    const Real re0 = static_cast<float>(c.params.real("re")), im0 = static_cast<float>(c.params.real("im"));
    const Real pixel = Real{4} / static_cast<Real>(std::min(columns, lines));
    auto& counts = all.emplace_back();
    for (std::int32_t row = 0; row < lines; ++row) {
      for (std::int32_t col = 0; col < columns; ++col) {
        Real re = (static_cast<Real>(col) + Real(0.5) - Real(0.5) * static_cast<Real>(columns)) * pixel;
        Real im = (static_cast<Real>(row) + Real(0.5) - Real(0.5) * static_cast<Real>(lines)) * pixel;
        re += static_cast<Real>(shift) * re, im -= static_cast<Real>(shift) * im;
        std::int32_t count = 0;
        for (; count < most && re * re + im * im <= 4; ++count) {
          const Real next = re * re - im * im + re0;
          im = 2 * re * im + im0;
          re = next;
        }
        counts.push_back(count);
      }
    }
  };
  from(0.0F, 0);
  from(0.0, 0);
  for (const double shift : {2e-7, -2e-7, 1e-6, -1e-6}) from(0.0, shift);
  return all;
}

std::vector<Contract> contracts() {
  Contract one{
      .name = "julia",
      .signature = "(int* counts, int width, int height, int iterations, float c_re, float c_im)",
      .summary =
          "writes each pixel's number of iterations of z = z * z + c while |z| <= 2, at most `iterations`, row "
          "after row; z starts at ((col + 0.5 - width / 2) s, (row + 0.5 - height / 2) s), s = 4 / min(width, "
          "height)"};
  one.launches = {{{32, 8}}, {{16, 16}}, {{256, 1}}, {{32, 32}}, {{16, 4}}, {{8, 8}}};
  one.takes_any_block = true;
  one.grid = "a thread for each pixel, x along its columns, y along its rows";
  one.precision = "float or double, fused or not; where rounding decides a pixel's number, any is right";
  one.params = {{"re", -0.79}, {"im", 0.15}, {"iterations", std::int64_t{64}}};
  one.reference = {{"width", std::int64_t{128}}, {"height", std::int64_t{128}}};
  one.rungs = {"pixel_fixed", "pixel_early_exit"};
  one.classes = matrix_classes("height", "width", 33'000);  // an index needs more than 15 bits
  std::erase_if(one.classes, [](const InputClass& c) { return c.name == "large"; });
  one.classes.push_back(
      {"iterations",
       "one iteration, and many",
       "the loop ends by itself, too",
       {{{"width", std::int64_t{40}}, {"height", std::int64_t{30}}, {"iterations", std::int64_t{1}}},
        {{"width", std::int64_t{40}}, {"height", std::int64_t{30}}, {"iterations", std::int64_t{300}}}}});
  one.problem = [](const Case& c, Values) { return problem(c); };
  one.settle = [](const Case& c, const Problem&, std::span<const std::byte> got, Expected& expected) {
    const auto all = right_counts(c);
    const auto given = view_as<std::int32_t>(got);
    const auto right = view_as<std::int32_t>(expected.exact);
    for (std::size_t i = 0; i < right.size(); ++i) {
      const bool rounding_decides =
          std::ranges::any_of(all, [&](const auto& counts) { return counts[i] != all[0][i]; });
      if (rounding_decides && given[i] >= 0 && given[i] <= c.params.integer("iterations")) right[i] = given[i];
    }
  };
  one.place = [](const Case& c, std::uint64_t index) {
    return Dim3{static_cast<std::uint32_t>(index % width(c)), static_cast<std::uint32_t>(index / width(c)), 0};
  };
  return {one};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 13;
  lab.topic = "divergence in practice";
  lab.question = "When neighbours need different amounts of work, what does a warp pay?";
  lab.headline = "pixel_early_exit";
  lab.prerequisites = {"divergence"};
  lab.params = {
      {"width", "pixels per row", std::int64_t{1024}, {}, 0, 65535},
      {"height", "rows of pixels", std::int64_t{1024}, {}, 0, 65535},
      {"iterations", "at most, per pixel", std::int64_t{256}, {}, 1, 65536, {std::int64_t{1}, std::int64_t{77}}},
      {"re", "real part of c", -0.79, {}, 0, 0, {0.0, 0.285, -3.0}},
      {"im", "imaginary part of c", 0.15, {}, 0, 0, {0.0, 0.01, 2.5}}};
  lab.block_presets = {shapes.begin(), shapes.end()};
  lab.default_block = {32, 8};
  lab.extent = [](const Case& c) { return Dim3{width(c), height(c)}; };
  lab.problem = problem;
  lab.arguments = arguments;
  lab.work = [](const Case& c) {
    const auto count = static_cast<double>(pixels(c));
    return Work{.bytes = 4 * count, .elements = count};
  };
  lab.metrics = {
      {"mean_iterations", "", "iterations that a pixel needs, on average"},
      {"pixels_inside", "ratio", "pixels that need all iterations / all pixels"},
      {"useful_iterations", "ratio", "iterations that pixels need / iterations that are made"},
      {"lanes_at_work", "ratio", "of the lanes of the warps' iterations, those whose pixel still needs one"}};
  lab.contracts = contracts();
  lab.subject = {"warp_instructions", "warp_execution_efficiency"};
  lab.variants = {
      {.name = "pixel_fixed",
       .summary = "one thread per pixel, all iterations for all: no lane ever waits, nearly all work is for nothing",
       .kernel = "julia_fixed",
       .blocks = {.dimensions = 2},
       .commentary = of_fixed},
      {.name = "pixel_early_exit",
       .summary = "a pixel stops when |z| exceeds 2, a warp with its last pixel: far less work, lanes wait",
       .kernel = "julia_early_exit",
       .blocks = {.dimensions = 2},
       .claims = {falls("warp_instructions"), falls("thread_instructions")},
       .commentary = of_early_exit},
      {.name = "cpu",
       .summary = "a loop on the CPU, one pixel after the other, in the same operations",
       .commentary = of_picture,
       .host =
           [](const HostCall& call) {
             iterate(*call.params, view_as<std::int32_t>(call.buffers.find("counts")->second));
           }},
  };
  return lab;
}

}  // namespace gpulab::labs::julia
