// Launches of global.cu, and which thread touches which element.
#include <fmt/format.h>

#include "tests/fidelity/suite.h"

namespace gpulab::fidelity {
namespace {

using Elements = std::function<std::int64_t(const Thread&)>;

/// out[to] = in[from]
std::vector<Step> copy(std::uint32_t width, Elements from, Elements to, Space source = Space::in) {
  return {{Action::load, source, width, std::move(from)}, {Action::store, Space::out, width, std::move(to)}};
}
std::int64_t own(const Thread& t) { return t.of_grid; }

struct Shape {
  Dim3 grid, block;
};
const Shape kOne{{1, 1, 1}, {32, 1, 1}}, kSome{{2, 1, 1}, {96, 1, 1}}, kRagged{{3, 1, 1}, {50, 1, 1}};

void add_strides(std::vector<Case>& cases, const Width& width) {
  const auto named = [&](const char* kernel) { return fmt::format("{}<{}>", kernel, width.type); };
  for (const int stride : {1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33}) {
    const auto strided = [=](const Thread& t) { return std::int64_t{t.of_grid} * stride; };
    const Shape& shape = stride == 3 ? kRagged : stride == 5 ? kSome : kOne;
    const std::vector<Argument> arguments = {Buffer::in, Buffer::out, stride};
    cases.push_back({named("load_stride"), shape.grid, shape.block, arguments, copy(width.bytes, strided, own)});
    cases.push_back({named("store_stride"), shape.grid, shape.block, arguments, copy(width.bytes, own, strided)});
  }
}

void add_offsets(std::vector<Case>& cases, const Width& width) {
  for (const auto& [from, to] : {std::pair{1, 0}, {0, 1}, {3, 5}, {7, 31}, {16, 2}, {33, 17}})
    cases.push_back({fmt::format("copy_offset<{}>", width.type),
                     kSome.grid,
                     kSome.block,
                     {Buffer::in, Buffer::out, from, to},
                     copy(
                         width.bytes, [from = from](const Thread& t) { return t.of_grid + from; },
                         [to = to](const Thread& t) { return t.of_grid + to; })});
}

void add_sharing(std::vector<Case>& cases, const Width& width) {
  for (const int share : {2, 3, 4, 8, 32})
    cases.push_back({fmt::format("load_shared_by<{}>", width.type),
                     kSome.grid,
                     kSome.block,
                     {Buffer::in, Buffer::out, share},
                     copy(
                         width.bytes, [=](const Thread& t) { return t.of_grid / share; }, own)});
  for (const int ignored : {1, 2, 3, 4, 8, 16, 24}) {
    const auto met = [=](const Thread& t) { return t.of_grid & ~ignored; };
    cases.push_back({fmt::format("copy_ignoring<{}>", width.type),
                     kOne.grid,
                     kOne.block,
                     {Buffer::in, Buffer::out, ignored},
                     copy(width.bytes, met, met)});
  }
}

void add_masks(std::vector<Case>& cases, const Width& width) {
  for (const int mask : {0x1, 0x55555555, static_cast<int>(0xaaaaaaaa), 0x0000ffff, static_cast<int>(0xfffe0000),
                         static_cast<int>(0x80000001), 0x11111111, 0x00ff00ff, 0x2f8b61c4}) {
    const auto masked = [=](const Thread& t) -> std::int64_t {
      return static_cast<std::uint32_t>(mask) >> t.lane & 1 ? t.of_grid : kIdle;
    };
    cases.push_back({fmt::format("copy_masked<{}>", width.type),
                     kSome.grid,
                     kSome.block,
                     {Buffer::in, Buffer::out, mask},
                     copy(width.bytes, masked, masked)});
  }
}

void add_orders(std::vector<Case>& cases, const Width& width) {
  for (const int last : {255, 256, 260}) {
    const auto reversed = [=](const Thread& t) { return last - t.of_grid; };
    cases.push_back({fmt::format("copy_reversed<{}>", width.type),
                     kSome.grid,
                     kSome.block,
                     {Buffer::in, Buffer::out, last},
                     copy(width.bytes, reversed, reversed)});
  }
  for (const int mask : {31, 127, 1023, 8191})
    cases.push_back({fmt::format("gather<{}>", width.type),
                     kSome.grid,
                     kSome.block,
                     {Buffer::in, Buffer::out, mask},
                     copy(
                         width.bytes,
                         [=](const Thread& t) -> std::int64_t {
                           const auto product = static_cast<std::uint32_t>(t.of_grid) * 2654435761u;
                           return (product >> 7) & static_cast<std::uint32_t>(mask);
                         },
                         own)});
  for (const int factor : {5, 11, 77})
    cases.push_back({fmt::format("scatter<{}>", width.type),
                     {2, 1, 1},
                     {64, 1, 1},
                     {Buffer::in, Buffer::out, factor, 127},
                     copy(width.bytes, own, [=](const Thread& t) { return t.of_grid * factor & 127; })});
}

void add_two_arrays(std::vector<Case>& cases, const Width& width) {
  for (const int mask : {0x55555555, 0x0000ffff, static_cast<int>(0xff000000), 0x1}) {
    const auto from = [=](bool other) {
      return [=](const Thread& t) -> std::int64_t {
        return (static_cast<std::uint32_t>(mask) >> t.lane & 1) == other ? t.of_grid : kIdle;
      };
    };
    Case one{fmt::format("two_arrays<{}>", width.type),
             kSome.grid,
             kSome.block,
             {Buffer::in, Buffer::out, Buffer::other, mask},
             {}};
    one.steps = {{Action::load, Space::in, width.bytes, from(false), {}, true},
                 {Action::load, Space::other, width.bytes, from(true)},
                 {Action::store, Space::out, width.bytes, own}};
    cases.push_back(std::move(one));
  }
}

void add_members(std::vector<Case>& cases) {
  for (const Shape& shape : {kOne, kSome, kRagged}) {
    cases.push_back({"load_member",
                     shape.grid,
                     shape.block,
                     {Buffer::in, Buffer::out},
                     copy(
                         4, [](const Thread& t) { return t.of_grid * 3 + 1; }, own)});
    Case all{"load_members", shape.grid, shape.block, {Buffer::in, Buffer::out}, {}};
    for (int member = 0; member < 3; ++member) {
      const auto at = [=](const Thread& t) { return t.of_grid * 3 + member; };
      for (auto& step : copy(4, at, at)) all.steps.push_back(step);
    }
    cases.push_back(std::move(all));
  }
}

void add_dimensions(std::vector<Case>& cases) {
  for (const Shape& shape : {Shape{{2, 2, 1}, {8, 8, 1}},
                             {{1, 2, 1}, {16, 3, 1}},
                             {{2, 1, 1}, {5, 7, 1}},
                             {{1, 1, 1}, {33, 2, 1}},
                             {{1, 3, 1}, {1, 32, 1}},
                             {{1, 1, 1}, {32, 8, 1}}})
    for (const int pitch : {64, 72}) {
      const auto row = [=](const Thread& t) { return t.gy * pitch + t.gx; };
      const auto column = [=](const Thread& t) { return t.gx * pitch + t.gy; };
      const std::vector<Argument> arguments = {Buffer::in, Buffer::out, pitch};
      cases.push_back({"copy_rows", shape.grid, shape.block, arguments, copy(4, row, row)});
      cases.push_back({"copy_columns", shape.grid, shape.block, arguments, copy(4, column, column)});
      cases.push_back({"transpose_rows", shape.grid, shape.block, arguments, copy(4, row, column)});
    }
  for (const Shape& shape : {Shape{{1, 1, 1}, {4, 3, 5}}, {{1, 2, 2}, {8, 4, 2}}, {{2, 1, 1}, {3, 3, 3}}}) {
    const auto cell = [](const Thread& t) { return t.gz * 512 + t.gy * 40 + t.gx; };
    cases.push_back({"copy_volume", shape.grid, shape.block, {Buffer::in, Buffer::out, 40, 512}, copy(4, cell, cell)});
  }
}

}  // namespace

std::vector<Case> global_cases() {
  std::vector<Case> cases;
  for (const Width& width : kWidths) {
    add_strides(cases, width);
    add_offsets(cases, width);
    add_sharing(cases, width);
    add_masks(cases, width);
    add_orders(cases, width);
    if (width.bytes == 4 || width.bytes == 16) add_two_arrays(cases, width);
  }
  add_members(cases);
  add_dimensions(cases);
  for (const int mask : {0, 3, 15})
    cases.push_back({"load_constant",
                     kSome.grid,
                     kSome.block,
                     {Buffer::out, mask},
                     copy(
                         4, [=](const Thread& t) { return t.of_grid & mask; }, own, Space::constant)});
  return cases;
}

}  // namespace gpulab::fidelity
