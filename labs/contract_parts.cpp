#include "labs/contract_parts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace gpulab {
namespace {

using Point = std::map<std::string, ParamValue, std::less<>>;

std::vector<Point> sizes(std::initializer_list<std::int64_t> all) {
  std::vector<Point> points;
  for (const auto n : all) points.push_back({{"n", n}});
  return points;
}

}  // namespace

std::vector<InputClass> row_classes() {
  return {
      {"usual", "whole blocks of everyday numbers", "the answer itself is wrong: follow one warp of elements by hand",
       sizes({512})},
      {"empty", "no elements at all", "with n = 0 nothing may be read; threads are there all the same", sizes({0})},
      {"one", "a single element", "all other threads of the block have no element: test i < n", sizes({1})},
      {"warps", "sizes around a warp", "the last warp is not full: which lanes have an element?", sizes({31, 32, 33})},
      {"blocks", "sizes around a block", "the last block is not full: test i < n before each access",
       sizes({255, 256, 257, 1023, 1025})},
      {"odd", "sizes that nothing divides", "what is left over behind whole blocks, warps or vectors?",
       sizes({777, 4099})},
      {"powers", "powers of two", "several full blocks: does each do its own part?", sizes({1024, 4096})},
      {"large", "more elements than 16 bits count", "which variable holds an index, and how many bits has it?",
       sizes({70001})},
      {"extreme", "the largest and the smallest numbers", "intermediate results need the whole range of the type",
       sizes({1000}), Values::extreme},
  };
}

std::vector<InputClass> matrix_classes(const std::string& rows, const std::string& cols, std::int64_t longest) {
  const auto points = [&](std::initializer_list<std::pair<std::int64_t, std::int64_t>> all) {
    std::vector<Point> made;
    for (const auto& [r, c] : all) made.push_back({{rows, r}, {cols, c}});
    return made;
  };
  return {
      {"usual", "whole tiles", "the answer itself is wrong: start with one tile by hand", points({{64, 64}})},
      {"rectangle", "whole tiles, but more of one side than of the other", "rows and columns are mixed up somewhere",
       points({{32, 96}, {96, 32}})},
      {"empty", "a side of no elements", "threads are there all the same: test before each access",
       points({{0, 0}, {0, 5}, {5, 0}})},
      {"one", "a single element, row or column", "all other threads have no element",
       points({{1, 1}, {1, 33}, {33, 1}})},
      {"odd", "sides that no tile divides", "the last tiles are not full: test rows and columns apart",
       points({{31, 33}, {65, 127}, {257, 40}, {3, 700}})},  // one side longer than any block
      {"long", "one side much longer than the other", "does the grid's shape follow the matrix's?",
       points({{1, longest}, {longest, 1}})},
      {"large", "more elements than 16 bits count", "which variable holds an index, and how many bits has it?",
       points({{301, 300}})},
  };
}

std::vector<InputClass> with_special(std::vector<InputClass> classes) {
  const auto odd = std::ranges::find(classes, "odd", &InputClass::name);
  std::vector<Point> points{odd->points.front()};
  std::erase_if(classes, [](const InputClass& c) { return c.values == Values::extreme; });
  classes.push_back({"special", "NaN, infinities, negative zero, denormal numbers",
                     "moved data is moved as it is: no arithmetic on it, no other type", std::move(points),
                     Values::special});
  return classes;
}

std::vector<InputClass> with_param(std::vector<InputClass> classes, const std::string& name,
                                   const std::vector<ParamValue>& values) {
  std::size_t next = 0;
  for (auto& one : classes)
    for (auto& point : one.points) point[name] = values[next++ % values.size()];
  return classes;
}

std::vector<std::byte> floats(std::size_t count, std::uint64_t seed, std::size_t summands, Values values,
                              std::uint64_t stream) {
  // A float holds 24 bits: those of a value, and those by which a sum can be larger.
  const int bits = std::clamp(24 - static_cast<int>(std::bit_width(summands)), 4, 13);
  const double most = std::ldexp(1.0, bits) - 1;
  const auto random = random_values(Scalar::i32, count, seed, -most, most, stream);
  const int scale = values == Values::extreme ? 60 - bits : -bits;
  std::vector<float> made(count);
  std::ranges::transform(view_as<std::int32_t>(random), made.begin(),
                         [&](std::int32_t k) { return std::ldexp(static_cast<float>(k), scale); });
  if (values == Values::special) {
    constexpr std::array<std::uint32_t, 8> odd{0x7fc01234, 0x7f800000, 0xff800000, 0x80000000,
                                               0x00000001, 0x807fffff, 0x7f7fffff, 0xffc00001};
    for (std::size_t i = 0; i < count; i += 3) made[i] = std::bit_cast<float>(odd[(i / 3 + seed) % odd.size()]);
  }
  return bytes_of(std::span<const float>(made));
}

std::vector<std::byte> integers(Scalar type, std::size_t count, std::uint64_t seed, Values values,
                                std::uint64_t stream) {
  const bool all = values == Values::extreme || type == Scalar::u32;
  const double low = type == Scalar::u32 ? 0 : all ? (type == Scalar::i64 ? -0x1p63 : -0x1p31) : -999;
  const double high = type == Scalar::u32 ? 0x1p32 - 1 : all ? (type == Scalar::i64 ? 0x1p63 : 0x1p31 - 1) : 999;
  auto bytes = random_values(type, count, seed, low, high, stream);
  if (values != Values::extreme) return bytes;
  with_element_type(type, [&](auto zero) {
    using T = decltype(zero);
    const auto view = view_as<T>(std::span(bytes));
    for (std::size_t i = 0; i < view.size(); i += 5)
      view[i] = i % 2 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
  });
  return bytes;
}

Dim3 in_a_row(const Case&, std::uint64_t index) { return {static_cast<std::uint32_t>(index), 0, 0}; }

bool is_one_warp(const ContractLaunch& launch) { return launch.block.volume() <= 32; }

const ContractLaunch* next_smaller(const std::vector<ContractLaunch>& launches) {
  const ContractLaunch* next = nullptr;
  for (const auto& launch : launches) {
    const auto threads = launch.block.volume();
    if (is_one_warp(launch) || threads >= launches.front().block.volume()) continue;
    if (next == nullptr || threads > next->block.volume()) next = &launch;
  }
  return next;
}

Contract row_contract(std::string name, std::string signature, std::string summary) {
  Contract contract{.name = std::move(name), .signature = std::move(signature), .summary = std::move(summary)};
  contract.launches = {{{256}}, {{128}}, {{512}}, {{1024}}, {{64}}, {{32}}};
  contract.takes_any_block = true;
  contract.grid = "a thread for each element, in x; the last block may have threads to spare";
  contract.reference = {{"n", std::int64_t{1} << 17}};
  contract.classes = row_classes();
  contract.place = in_a_row;
  return contract;
}

}  // namespace gpulab
