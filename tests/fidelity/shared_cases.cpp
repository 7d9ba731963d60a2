// Launches of shared.cu, and which thread touches which element.
#include <fmt/format.h>

#include "tests/fidelity/suite.h"

namespace gpulab::fidelity {
namespace {

using Elements = std::function<std::int64_t(const Thread&)>;

std::int64_t own(const Thread& t) { return t.linear; }
bool chosen(int mask, const Thread& t) { return static_cast<std::uint32_t>(mask) >> t.lane & 1; }

/// The tile's first n elements, in turns of the block's `threads`.
std::vector<Step> filled(std::uint32_t width, int n, int threads) {
  std::vector<Step> steps;
  for (int first = 0; first < n; first += threads) {
    const auto at = [=](const Thread& t) -> std::int64_t {
      const int i = first + static_cast<int>(t.linear);
      return i < n ? i : kIdle;
    };
    steps.push_back({Action::load, Space::in, width, at});
    steps.push_back({Action::store, Space::shared, width, at});
  }
  return steps;
}

/// A tile filled, read by `from`, stored by `to`.
Case read_back(std::string kernel, const Width& width, int threads, std::vector<Argument> numbers, Elements from,
               Elements to = own) {
  Case one{fmt::format("{}<{}>", kernel, width.type), {1, 1, 1}, {static_cast<std::uint32_t>(threads), 1, 1}, {}, {}};
  one.arguments = {Buffer::in, Buffer::out};
  one.arguments.insert(one.arguments.end(), numbers.begin(), numbers.end());
  one.steps = filled(width.bytes, std::get<int>(numbers[0]), threads);
  one.steps.push_back({Action::load, Space::shared, width.bytes, std::move(from)});
  one.steps.push_back({Action::store, Space::out, width.bytes, std::move(to)});
  return one;
}

/// A pattern of stores, read back by the same.
Case write_back(std::string kernel, const Width& width, Dim3 block, std::vector<Argument> numbers, Elements from,
                Elements at, Elements back) {
  Case one{fmt::format("{}<{}>", kernel, width.type), {1, 1, 1}, block, {Buffer::in, Buffer::out}, {}};
  one.arguments.insert(one.arguments.end(), numbers.begin(), numbers.end());
  one.steps = {{Action::load, Space::in, width.bytes, from},
               {Action::store, Space::shared, width.bytes, std::move(at)},
               {Action::load, Space::shared, width.bytes, std::move(back)},
               {Action::store, Space::out, width.bytes, from}};
  return one;
}

void add_strides(std::vector<Case>& cases, const Width& width) {
  for (const int stride : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 24, 31, 32, 33}) {
    const auto strided = [=](const Thread& t) { return std::int64_t{t.linear} * stride; };
    cases.push_back(read_back("shared_load_stride", width, 32, {31 * stride + 1, stride, 0}, strided));
    cases.push_back(write_back("shared_store_stride", width, {32, 1, 1}, {stride}, own, strided, strided));
  }
  for (const int offset : {1, 3, 8})
    cases.push_back(read_back("shared_load_stride", width, 64, {64 + offset, 1, offset},
                              [=](const Thread& t) { return std::int64_t{t.linear} + offset; }));
}

void add_sharing(std::vector<Case>& cases, const Width& width) {
  for (const int share : {2, 3, 4, 8, 16, 32})
    cases.push_back(read_back("shared_load_shared_by", width, 64, {32, share},
                              [=](const Thread& t) { return std::int64_t{t.linear} / share; }));
  for (const int ignored : {1, 2, 3, 4, 8, 16, 17, 18, 31}) {
    const auto met = [=](const Thread& t) { return std::int64_t{t.linear} & ~ignored; };
    cases.push_back(read_back("shared_load_ignoring", width, 32, {32, ignored}, met));
    cases.push_back(write_back("shared_store_ignoring", width, {32, 1, 1}, {ignored}, met, met, met));
  }
}

void add_mixtures(std::vector<Case>& cases, const Width& width) {
  for (const int bit : {4, 8, 16})
    cases.push_back(read_back("shared_load_mixed", width, 32, {32, bit}, [=](const Thread& t) -> std::int64_t {
      return t.linear & (t.lane & static_cast<std::uint32_t>(bit) ? ~2u : ~1u);
    }));
}

void add_columns(std::vector<Case>& cases, const Width& width) {
  for (const int degree : {2, 3, 4, 5, 8, 16, 27, 32}) {
    const int row = static_cast<int>(128 / width.bytes);
    if (degree * row > 1056) continue;
    cases.push_back(read_back("shared_load_column", width, 32, {degree * row, degree, row},
                              [=](const Thread& t) { return std::int64_t{t.linear} % degree * row; }));
  }
  struct Tile {
    Dim3 block;
    int pitch;
  };
  for (const Tile& tile : {Tile{{32, 32, 1}, 32},
                           {{32, 32, 1}, 33},
                           {{16, 16, 1}, 16},
                           {{16, 16, 1}, 17},
                           {{8, 8, 1}, 8},
                           {{8, 8, 1}, 9}}) {
    const int wide = static_cast<int>(tile.block.x), pitch = tile.pitch;
    cases.push_back(write_back(
        "shared_columns", width, tile.block, {pitch}, own,
        [=](const Thread& t) { return std::int64_t{t.linear} / wide * pitch + t.linear % wide; },
        [=](const Thread& t) { return std::int64_t{t.linear} % wide * pitch + t.linear / wide; }));
  }
}

void add_masks(std::vector<Case>& cases, const Width& width) {
  for (const int mask : {0x55555555, static_cast<int>(0xaaaaaaaa), 0x0000ffff, static_cast<int>(0xffff0000), 0x000000ff,
                         0x0f0f0f0f, 0x33333333, static_cast<int>(0x80000001), 0x2f8b61c4})
    for (const int stride : {1, 2, 8}) {
      const auto strided = [=](const Thread& t) -> std::int64_t {
        return chosen(mask, t) ? std::int64_t{t.linear} * stride : kIdle;
      };
      const auto masked = [=](const Thread& t) -> std::int64_t { return chosen(mask, t) ? t.linear : kIdle; };
      cases.push_back(read_back("shared_load_masked", width, 32, {31 * stride + 1, mask, stride}, strided, masked));
      cases.push_back(write_back("shared_store_masked", width, {32, 1, 1}, {mask, stride}, masked, strided, strided));
    }
}

}  // namespace

std::vector<Case> shared_cases() {
  std::vector<Case> cases;
  for (const Width& width : kWidths) {
    add_strides(cases, width);
    add_sharing(cases, width);
    add_mixtures(cases, width);
    add_columns(cases, width);
    add_masks(cases, width);
    for (const int mask : {15, 63, 1023})
      cases.push_back(read_back("shared_gather", width, 96, {mask + 1, mask}, [=](const Thread& t) -> std::int64_t {
        return (t.linear * 2654435761u >> 7) & static_cast<std::uint32_t>(mask);
      }));
  }
  const auto at = [](const Thread& t) -> std::int64_t { return t.at.y * 32 + (t.at.x ^ t.at.y); };
  const auto back = [](const Thread& t) -> std::int64_t { return t.at.x * 32 + (t.at.y ^ t.at.x); };
  Case swizzled = write_back("shared_swizzled", kWidths[2], {32, 32, 1}, {}, own, at, back);
  swizzled.kernel = "shared_swizzled";
  cases.push_back(std::move(swizzled));
  return cases;
}

}  // namespace gpulab::fidelity
