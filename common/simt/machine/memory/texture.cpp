// Where a point lies among a texture's texels, and the weights that they get, as an H200 has them. The guide (Texture
// Fetching) gives the formulas; what it leaves open was read off the card, by textures of known texels: coordinates
// from 0 to 1 are cut to 21 bits behind the point, those of texels are rounded to 8, and weights are integers whose sum
// is 256.

#include "common/simt/machine/memory/texture.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/simt/machine/memory/texel_filter.h"

namespace gpulab::simt {

namespace {

constexpr int kFractionBits = 8;  ///< of a place between two texels
constexpr std::int64_t kOne = 1 << kFractionBits;
constexpr int kNormalizedBits = 21;    ///< behind the point of a coordinate from 0 to 1
constexpr double kFarthest = 1 << 28;  ///< coordinates beyond are as good as this one

/// Along one axis: the texels on both sides of a point, and how far it is from the first to the second.
struct Span {
  std::array<std::int64_t, 2> texel{};     ///< clamped, wrapped or mirrored; of seamless cubes perhaps -1 or the extent
  std::array<bool, 2> inside{true, true};  ///< false: the border
  std::int64_t fraction = 0;               ///< of kOne
};

std::int64_t floor_of(double x) {
  const auto towards_0 = static_cast<std::int64_t>(x);
  return towards_0 - (x < static_cast<double>(towards_0) ? 1 : 0);
}
std::int64_t remainder(std::int64_t a, std::int64_t n) { return a % n < 0 ? a % n + n : a % n; }

void fold(Span& span, int side, std::int64_t texel, std::int64_t extent, AddressMode mode) {
  std::int64_t& result = span.texel[static_cast<std::size_t>(side)];
  switch (mode) {
    case AddressMode::wrap:
      result = remainder(texel, extent);
      break;
    case AddressMode::mirror:
      result = remainder(texel, 2 * extent);
      if (result >= extent) result = 2 * extent - 1 - result;
      break;
    case AddressMode::border:
      span.inside[static_cast<std::size_t>(side)] = texel >= 0 && texel < extent;
      [[fallthrough]];
    case AddressMode::clamp:
      result = std::clamp<std::int64_t>(texel, 0, extent - 1);
  }
}

/// A coordinate in units of 2^-shift texels.
struct Place {
  std::int64_t units = 0;
  int shift = 0;
  [[nodiscard]] std::int64_t texel() const { return units >> shift; }
  /// From the middle of the first texel, in units of 1 / kOne of a texel, the nearest.
  [[nodiscard]] std::int64_t from_first_middle() const {
    const std::int64_t unit = std::int64_t{1} << (shift - kFractionBits);
    return (units - kOne / 2 * unit + unit / 2) >> (shift - kFractionBits);
  }
};

Place place_of(float coordinate, bool is_normalized, std::int64_t extent, AddressMode mode) {
  const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
  double x = coordinate;
  if (std::isnan(x)) x = 0;
  if (!is_normalized) {
    constexpr int bits = 20;
    return {floor_of(std::clamp(x, -kFarthest, kFarthest) * (1 << bits)), bits};
  }
  if (repeats) {
    const double period = mode == AddressMode::wrap ? 1 : 2;
    x = std::fabs(x) < kFarthest ? x - period * static_cast<double>(floor_of(x / period)) : 0;
  }
  x = std::clamp(x, -kFarthest / 256, kFarthest / 256);
  return {floor_of(x * (1 << kNormalizedBits)) * extent, kNormalizedBits};
}

Span span_of(const Texture& texture, int axis, float coordinate, bool is_normalized, bool filters) {
  const auto extent = static_cast<std::int64_t>(texture.extent[static_cast<std::size_t>(axis)]);
  AddressMode mode = texture.modes[static_cast<std::size_t>(axis)];
  const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
  if (!is_normalized && repeats) mode = AddressMode::clamp;  // as the guide says
  const Place place = place_of(coordinate, is_normalized, extent, mode);
  Span span;
  if (!filters) {
    fold(span, 0, place.texel(), extent, mode);
    span.texel[1] = span.texel[0];
    span.inside[1] = span.inside[0];
    return span;
  }
  const std::int64_t at = place.from_first_middle(), first = at >> kFractionBits;
  span.fraction = at & (kOne - 1);
  fold(span, 0, first, extent, mode);
  fold(span, 1, first + 1, extent, mode);
  // Beyond the middles of the outermost texels there is nothing to weigh.
  if (mode == AddressMode::clamp && (first < 0 || first >= extent - 1)) span.fraction = 0;
  return span;
}

using Spans = std::array<Span, 3>;

/// Of the texels at the corners: corner k is the second one along x, y, z where k's bit 0, 1, 2 is set.
CornerWeights weights_of(const Spans& spans) {
  const auto rounded = [](std::int64_t weight) { return (weight + kOne / 2) >> kFractionBits; };
  const std::int64_t x = spans[0].fraction, y = spans[1].fraction, z = spans[2].fraction;
  CornerWeights weights;
  weights.count = z == 0 ? 4 : 8;
  for (std::size_t k = 0; k < weights.count; k += 4) {
    const std::int64_t slice = k == 0 ? kOne - z : z, right = rounded(slice * x), left = slice - right;
    const std::int64_t left_top = rounded(left * (kOne - y)), right_bottom = rounded(right * y);
    weights.of[k] = left_top;
    weights.of[k + 1] = right - right_bottom;
    weights.of[k + 2] = left - left_top;
    weights.of[k + 3] = right_bottom;
  }
  for (std::size_t k = 0; k < weights.count; ++k)
    weights.is_used[k] = (k & 1 ? x : kOne - x) != 0 && (k & 2 ? y : kOne - y) != 0 && (k & 4 ? z : kOne - z) != 0;
  return weights;
}

const std::byte* texel_at(const Texture& t, const std::byte* texels, std::int64_t x, std::int64_t y,
                          std::uint64_t slice) {
  return texels + slice * t.slice_bytes + static_cast<std::uint64_t>(y) * t.row_bytes +
         static_cast<std::uint64_t>(x) * t.format.bytes();
}

/// A layer that there is none of is the last: it is an unsigned number.
std::uint64_t layer_of(const Texture& texture, std::uint32_t layer) { return std::min(layer, texture.layers - 1); }

Texel sample_spans(const Texture& t, const std::byte* texels, const Spans& spans, std::uint64_t first_slice) {
  TexelCorners corners{};
  const auto corner = [&](std::size_t k) {
    const std::size_t i = k & 1, j = k >> 1 & 1, l = k >> 2;
    if (!spans[0].inside[i] || !spans[1].inside[j] || !spans[2].inside[l])
      return static_cast<const std::byte*>(nullptr);
    return texel_at(t, texels, spans[0].texel[i], spans[1].texel[j],
                    first_slice + static_cast<std::uint64_t>(spans[2].texel[l]));
  };
  if (!t.filters) return nearest_texel(t, corner(0));
  const CornerWeights weights = weights_of(spans);
  for (std::size_t k = 0; k < weights.count; ++k) corners[k] = corner(k);
  return filtered_texel(t, corners, weights);
}

// ---- cube maps ----

/// Faces are in the order +x, -x, +y, -y, +z, -z (the guide: Cubemap Textures).
struct FacePoint {
  int face = 0;
  double s = 0, t = 0;  ///< -1 to 1
};

/// What a direction meets, whose component `axis` is the largest, or is taken for it.
FacePoint on_face(const std::array<double, 3>& d, int axis) {
  const bool positive = d[static_cast<std::size_t>(axis)] >= 0;
  const double length = std::fabs(d[static_cast<std::size_t>(axis)]);
  const double sign = positive ? 1 : -1;
  const double s = axis == 0 ? -sign * d[2] : axis == 1 ? d[0] : sign * d[0];
  const double t = axis == 1 ? sign * d[2] : -d[1];
  if (length == 0) return {2 * axis, 0, 0};
  return {2 * axis + (positive ? 0 : 1), s / length, t / length};
}
std::array<double, 3> direction_of(const FacePoint& p) {
  const double sign = p.face % 2 == 0 ? 1 : -1;
  if (p.face < 2) return {sign, -p.t, -sign * p.s};
  if (p.face < 4) return {p.s, sign, sign * p.t};
  return {sign * p.s, -p.t, sign};
}

/// A texel next to a face, beyond one of its edges, lies on the face behind the edge.
const std::byte* texel_beyond(const Texture& t, const std::byte* texels, int face, std::int64_t x, std::int64_t y,
                              std::uint64_t first_slice) {
  const auto extent = static_cast<std::int64_t>(t.extent[0]);
  const auto middle = [&](std::int64_t i) {
    return i < 0 ? -1.0 : i >= extent ? 1.0 : static_cast<double>(2 * i + 1) / static_cast<double>(extent) - 1;
  };
  const bool over_x = x < 0 || x >= extent, over_y = y < 0 || y >= extent;
  if (over_x || over_y) {
    std::array<double, 3> d = direction_of({face, middle(x), middle(y)});
    d[static_cast<std::size_t>(face / 2)] *= 1 - 1.0 / static_cast<double>(extent);
    const std::array<double, 3> edge = direction_of({face, over_x ? 1.0 : 0.0, over_y ? 1.0 : 0.0});
    int axis = 0;
    for (int k = 0; k < 3; ++k)
      if (k != face / 2 && edge[static_cast<std::size_t>(k)] != 0) axis = k;
    const FacePoint there = on_face(d, axis);
    const auto nearest = [&](double c) {
      return std::clamp<std::int64_t>(std::lround((c + 1) * static_cast<double>(extent) / 2 - 0.5), 0, extent - 1);
    };
    face = there.face;
    x = nearest(there.s);
    y = nearest(there.t);
  }
  return texel_at(t, texels, x, y, first_slice + static_cast<std::uint64_t>(face));
}

Texel sample_seamless(const Texture& t, const std::byte* texels, const FacePoint& at, const TexturePoint& on,
                      std::uint64_t first_slice) {
  const auto extent = static_cast<std::int64_t>(t.extent[0]);
  Spans spans;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t units = place_of(on.at[k], true, extent, AddressMode::border).from_first_middle();
    spans[k].fraction = units & (kOne - 1);
    spans[k].texel = {units >> kFractionBits, (units >> kFractionBits) + 1};
  }
  CornerWeights weights = weights_of(spans);
  TexelCorners corners{};
  for (std::size_t k = 0; k < 4; ++k) {
    const std::int64_t x = spans[0].texel[k & 1], y = spans[1].texel[k >> 1];
    const bool is_corner = (x < 0 || x >= extent) && (y < 0 || y >= extent);
    if (is_corner) {  // three faces meet, and there is no fourth texel: the other three share its weight
      const std::int64_t third = (2 * weights.of[k] + 3) / 6;
      weights.of[k ^ 1] += third;
      weights.of[k ^ 2] += third;
      weights.of[k ^ 3] += weights.of[k] - 2 * third;
      weights.of[k] = 0;
      weights.is_used[k] = false;
    }
    corners[k] = is_corner ? texels : texel_beyond(t, texels, at.face, x, y, first_slice);
  }
  return filtered_texel(t, corners, weights);
}

/// The direction's components by the largest, which is taken for z before y before x. What is no number is 0, and so
/// are all beside a number whose reciprocal is none of single precision.
std::array<double, 3> scaled(const std::array<float, 3>& direction) {
  float largest = 0;
  for (const float c : direction) largest = std::fmax(largest, std::fabs(c));
  const double reciprocal = largest > 0x1p126f ? 0 : 1 / static_cast<double>(largest);
  std::array<double, 3> d{};
  for (std::size_t k = 0; k < 3; ++k) d[k] = direction[k] * reciprocal;
  for (double& c : d)
    if (std::isnan(c)) c = 0;
  return d;
}

Texel sample_cube(const Texture& t, const std::byte* texels, const TexturePoint& direction) {
  const std::array<double, 3> d = scaled(direction.at);
  int axis = 2;
  for (const int k : {1, 0})
    if (std::fabs(d[static_cast<std::size_t>(k)]) > std::fabs(d[static_cast<std::size_t>(axis)])) axis = k;
  const FacePoint at = on_face(d, axis);
  const auto coordinate = [](double c) {  // 0 to 1, cut to what counts of it
    const double most = 1 - std::ldexp(1, -kNormalizedBits);
    return static_cast<float>(
        std::ldexp(std::floor(std::ldexp(std::min((c + 1) / 2, most), kNormalizedBits)), -kNormalizedBits));
  };
  const TexturePoint on{{coordinate(at.s), coordinate(at.t), 0}, 0};
  const std::uint64_t first_slice = 6 * layer_of(t, direction.layer);
  if (t.is_seamless && t.filters) return sample_seamless(t, texels, at, on, first_slice);
  Spans spans;
  for (int k = 0; k < 2; ++k)
    spans[static_cast<std::size_t>(k)] = span_of(t, k, on.at[static_cast<std::size_t>(k)], true, t.filters);
  return sample_spans(t, texels, spans, first_slice + static_cast<std::uint64_t>(at.face));
}

}  // namespace

Texel sample(const Texture& t, const std::byte* texels, Geometry geometry, const TexturePoint& point) {
  if (t.of_linear_memory) return Texel{};
  const bool wants_cube = geometry == Geometry::cube || geometry == Geometry::cubes;
  if (wants_cube && t.is_cube) {
    TexturePoint direction = point;
    if (geometry == Geometry::cube) direction.layer = 0;
    return sample_cube(t, texels, direction);
  }
  Spans spans;
  const auto set = [&](std::size_t axis, float coordinate) {
    spans[axis] = span_of(t, static_cast<int>(axis), coordinate, t.is_normalized, t.filters);
  };
  set(0, point.at[0]);
  // A line is a plane of one row, sampled at y = 0: by half in its border, if that is the mode along y.
  if (geometry == Geometry::line) set(1, 0);
  if (geometry != Geometry::line && geometry != Geometry::lines) set(1, point.at[1]);
  if (geometry == Geometry::volume) set(2, point.at[2]);
  const bool has_layers = geometry == Geometry::lines || geometry == Geometry::planes;
  return sample_spans(t, texels, spans, has_layers && !t.is_cube ? layer_of(t, point.layer) : 0);
}

Texel fetch(const Texture& t, const std::byte* texels, const std::array<std::int32_t, 3>& at, std::uint32_t layer) {
  if (t.extent[0] == 0) return Texel{};  // linear memory of no bytes
  std::array<std::int64_t, 3> inside{};
  bool is_outside = false;
  for (std::size_t k = 0; k < 3; ++k) {
    inside[k] = std::clamp<std::int64_t>(at[k], 0, static_cast<std::int64_t>(t.extent[k]) - 1);
    is_outside = is_outside || inside[k] != at[k];
  }
  if (is_outside && t.of_linear_memory) return Texel{};
  return nearest_texel(
      t, texel_at(t, texels, inside[0], inside[1],
                  t.is_cube ? 0 : layer_of(t, layer) * t.extent[2] + static_cast<std::uint64_t>(inside[2])));
}

Texel gather(const Texture& t, const std::byte* texels, const TexturePoint& point, int channel) {
  if (t.of_linear_memory) return Texel{};
  const Span x = span_of(t, 0, point.at[0], t.is_normalized, true),
             y = span_of(t, 1, point.at[1], t.is_normalized, true);
  const auto one = [&](std::size_t i, std::size_t j) {
    const bool inside = x.inside[i] && y.inside[j];
    return nearest_texel(
        t, inside ? texel_at(t, texels, x.texel[i], y.texel[j], 0) : nullptr)[static_cast<std::size_t>(channel)];
  };
  return {one(0, 1), one(1, 1), one(1, 0), one(0, 0)};
}

}  // namespace gpulab::simt
