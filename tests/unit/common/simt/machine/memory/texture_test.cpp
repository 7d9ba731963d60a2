#include "common/simt/machine/memory/texture.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "tests/catch.h"

using namespace gpulab::simt;

namespace {

/// Floats, as many channels as `channels`, all modes alike.
Texture texture_of(std::array<std::uint32_t, 3> extent, std::uint32_t layers = 1, std::uint8_t channels = 1) {
  Texture t;
  t.format = {TexelKind::floating, channels, 32};
  t.extent = extent;
  t.layers = layers;
  t.row_bytes = std::uint64_t{extent[0]} * t.format.bytes();
  t.slice_bytes = t.row_bytes * extent[1];
  t.modes.fill(AddressMode::clamp);
  return t;
}

float first(const Texel& texel) { return std::bit_cast<float>(texel[0]); }
const std::byte* bytes_of(const std::vector<float>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}
std::vector<float> counted(std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i);
  return values;
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinite = std::numeric_limits<float>::infinity();
constexpr AddressMode kModes[] = {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border};
constexpr Geometry kGeometries[] = {Geometry::line,   Geometry::plane, Geometry::volume, Geometry::lines,
                                    Geometry::planes, Geometry::cube,  Geometry::cubes};

/// Coordinates of all kinds, those that are no numbers and those that no texture has among them.
class Coordinates {
 public:
  float next(float most) {
    constexpr float odd[] = {kNan, kInfinite, -kInfinite, 3e38f, -3e38f, 1e9f, -1e9f, 1e-40f, -0.0f, 65536, -65536.5f};
    if (random_() % 8 == 0) return odd[random_() % std::size(odd)];
    return std::uniform_real_distribution<float>(-2 * most, 3 * most)(random_);
  }
  std::uint32_t number() { return static_cast<std::uint32_t>(random_()); }

 private:
  std::mt19937 random_{7};
};

}  // namespace

TEST_CASE("the nearest texel is the one whose square holds the point") {
  const auto values = counted(12);
  const Texture t = texture_of({4, 3, 1});
  const auto at = [&](float x, float y) { return first(sample(t, bytes_of(values), Geometry::plane, {{x, y, 0}, 0})); };
  CHECK(at(0, 0) == 0);
  CHECK(at(1.99f, 0.5f) == 1);
  CHECK(at(2, 2) == 10);
  CHECK(at(-5, 77) == 8);
  CHECK(at(kNan, kInfinite) == 8);
}

TEST_CASE("what lies outside follows the address mode") {
  const auto values = counted(4);
  Texture t = texture_of({4, 1, 1});
  t.is_normalized = true;
  t.border = {std::bit_cast<std::uint32_t>(9.0f), 0, 0, 0};
  const auto at = [&](AddressMode mode, float x) {
    t.modes.fill(mode);
    return first(sample(t, bytes_of(values), Geometry::lines, {{x, 0, 0}, 0}));
  };
  CHECK(at(AddressMode::wrap, 1.3f) == 1);
  CHECK(at(AddressMode::wrap, -0.3f) == 2);
  CHECK(at(AddressMode::mirror, 1.1f) == 3);
  CHECK(at(AddressMode::mirror, -0.3f) == 1);
  CHECK(at(AddressMode::clamp, 1.3f) == 3);
  CHECK(at(AddressMode::border, 1.3f) == 9);
  CHECK(at(AddressMode::border, 0.9f) == 3);
}

TEST_CASE("a linear filter weighs by 256ths of the way from one texel's middle to the next") {
  const std::vector<float> values{10, 20, 40};
  Texture t = texture_of({3, 1, 1});
  t.filters = true;
  const auto at = [&](float x) { return first(sample(t, bytes_of(values), Geometry::lines, {{x, 0, 0}, 0})); };
  CHECK(at(0.5f) == 10);
  CHECK(at(1) == 15);
  CHECK(at(2.25f) == 35);
  CHECK(at(0.5f + 1 / 256.0f) == 10 + 10 / 256.0f);
  CHECK(at(0.5f + 1.4f / 256) == 10 + 10 / 256.0f);
  CHECK(at(0.2f) == 10);
  CHECK(at(2.9f) == 40);
}

TEST_CASE("filtered texels differ from the exact formula by no more than the rounding of three fractions to 256ths") {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> value(-1, 1), place(0.5f, 4.5f);
  std::vector<float> values(5 * 5 * 5);
  for (float& v : values) v = value(random);
  Texture t = texture_of({5, 5, 5});
  t.filters = true;
  for (int turn = 0; turn < 2000; ++turn) {
    const std::array<float, 3> at{place(random), place(random), place(random)};
    double exact = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      double weight = 1;
      std::size_t index = 0;
      for (std::size_t axis = 3; axis-- > 0;) {
        const double from = at[axis] - 0.5, low = std::min(std::floor(from), 3.0), fraction = from - low;
        weight *= k >> axis & 1 ? fraction : 1 - fraction;
        index = index * 5 + static_cast<std::size_t>(low) + (k >> axis & 1);
      }
      exact += weight * static_cast<double>(values[index]);
    }
    const double got = first(sample(t, bytes_of(values), Geometry::volume, {at, 0}));
    CHECK(std::fabs(got - exact) < 2 * (3 * 0.5 + 3 * 0.5) / 256);  // values from -1 to 1; the point, then the weights
  }
}

TEST_CASE("a texture of one value has it everywhere, and no point reads beside the texels") {
  Coordinates coordinates;
  for (const AddressMode mode : kModes)
    for (const bool normalized : {false, true})
      for (const bool filters : {false, true})
        for (const bool seamless : {false, true})
          for (const bool cube : {false, true}) {
            Texture t = texture_of(cube ? std::array<std::uint32_t, 3>{5, 5, 1} : std::array<std::uint32_t, 3>{7, 5, 3},
                                   cube ? 2 : 1, 2);
            t.is_cube = cube;
            t.modes.fill(mode);
            t.is_normalized = normalized, t.filters = filters, t.is_seamless = seamless;
            t.border.fill(std::bit_cast<std::uint32_t>(2.5f));
            const std::vector<float> values(t.bytes() / sizeof(float), 2.5f);  // not one more: ASan sees what is beside
            for (int turn = 0; turn < 300; ++turn)
              for (const Geometry geometry : kGeometries) {
                const float most = normalized || cube ? 1.0f : 7.0f;
                const TexturePoint point{{coordinates.next(most), coordinates.next(most), coordinates.next(most)},
                                         coordinates.number()};
                REQUIRE(first(sample(t, bytes_of(values), geometry, point)) == 2.5f);
                REQUIRE(first(gather(t, bytes_of(values), point, 1)) == 2.5f);
                const auto number = [&] { return static_cast<std::int32_t>(coordinates.number()); };
                REQUIRE(first(fetch(t, bytes_of(values), {number(), number(), number()}, coordinates.number())) ==
                        2.5f);
              }
          }
}

TEST_CASE("a cube map's direction meets the face of its largest component") {
  const std::vector<float> values = counted(6);
  Texture t = texture_of({1, 1, 1});
  t.is_cube = true;
  const auto face = [&](float x, float y, float z) {
    return first(sample(t, bytes_of(values), Geometry::cube, {{x, y, z}, 0}));
  };
  CHECK(face(2, 1, -1) == 0);
  CHECK(face(-2, 1, 1) == 1);
  CHECK(face(0.1f, 0.2f, 0.1f) == 2);
  CHECK(face(0.1f, -0.2f, 0.1f) == 3);
  CHECK(face(1, 1, 1) == 4);
  CHECK(face(0, 1e30f, -2e30f) == 5);
  CHECK(face(0, 0, 0) == 4);
}

TEST_CASE("at a seamless edge the texels of both faces weigh, and beyond it those of the other") {
  std::vector<float> values(6 * 4, 0.0f);  // two by two each; +x is all ones
  std::fill(values.begin(), values.begin() + 4, 1.0f);
  Texture t = texture_of({2, 2, 1});
  t.is_cube = t.filters = t.is_seamless = true;
  const auto at = [&](float x, float z) { return first(sample(t, bytes_of(values), Geometry::cube, {{x, 0, z}, 0})); };
  CHECK(at(1, 0) == 1);
  CHECK(std::fabs(at(1, 1) - 0.5f) <= 1 / 256.0f);
  CHECK(at(0, 1) == 0);
  t.is_seamless = false;
  CHECK(at(1, 0.999f) == 1);
}

TEST_CASE("linear memory is read by number alone, and has zeros outside") {
  const auto values = counted(3);
  Texture t = texture_of({3, 1, 1});
  t.of_linear_memory = true;
  const auto at = [&](std::int32_t i) { return first(fetch(t, bytes_of(values), {i, 0, 0}, 0)); };
  CHECK(at(2) == 2);
  CHECK(at(3) == 0);
  CHECK(at(-1) == 0);
  CHECK(at(std::numeric_limits<std::int32_t>::min()) == 0);
  CHECK(first(sample(t, bytes_of(values), Geometry::line, {{1, 0, 0}, 0})) == 0);
  t.extent[0] = 0;
  CHECK(at(0) == 0);
}

TEST_CASE("four texels around a point are gathered against the clock, from below on the left") {
  const auto values = counted(12);
  const Texture t = texture_of({4, 3, 1});
  const Texel four = gather(t, bytes_of(values), {{2, 1, 0}, 0}, 0);
  const std::array<float, 4> expected{5, 6, 2, 1};
  for (std::size_t k = 0; k < 4; ++k) CHECK(std::bit_cast<float>(four[k]) == expected[k]);
}

TEST_CASE("the largest arrays have as many bytes as 64 bits hold") {
  Texture t = texture_of({16384, 16384, 16384}, 1, 4);
  CHECK(t.bytes() == (std::uint64_t{1} << 46));
  t = texture_of({32768, 32768, 1}, 2046 / 6, 4);
  t.is_cube = true;
  CHECK(t.bytes() == 2046 * (std::uint64_t{1} << 34));
}

TEST_CASE("a handle is given once") {
  TextureTable table;
  const auto one = table.add(texture_of({1, 1, 1})), two = table.add(texture_of({2, 1, 1}));
  CHECK(one != two);
  REQUIRE(table.find(two) != nullptr);
  CHECK(table.find(two)->extent[0] == 2);
  table.remove(two);
  CHECK(table.find(two) == nullptr);
  CHECK(table.add(texture_of({1, 1, 1})) != two);
  CHECK(table.find(0) == nullptr);
}
