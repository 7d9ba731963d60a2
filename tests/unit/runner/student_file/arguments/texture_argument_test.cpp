#include "runner/student_file/arguments/texture_argument.h"

#include "runner/student_file/arguments/file_argument.h"
#include "tests/catch.h"
#include "tests/unit/error_of.h"

namespace gpulab {
namespace {

std::string refusal(const std::string& text) {
  return error_of([&] { (void)parse_argument(text); });
}

TEST_CASE("a texture's texels, their channels and their extents are those of the type") {
  const auto t = parse_argument("t:texture f32x4[64x48]=iota");
  REQUIRE(t.texture);
  CHECK(t.type == Scalar::f32);
  CHECK(t.count == 64U * 48 * 4);
  CHECK(t.texture->extent == std::array<std::uint32_t, 3>{64, 48, 1});
  CHECK(t.texture->channels == 4);
  CHECK_FALSE(t.texture->is_surface);
  CHECK_FALSE(t.texture->filters);
  CHECK(t.texture->mode == simt::AddressMode::clamp);
  CHECK(t.value == "iota");
  CHECK(parse_argument("s:surface u8[2x3x4]=zeros").texture->is_surface);
  CHECK_FALSE(parse_argument("x:f32[4]=zeros").texture);
}

TEST_CASE("words behind 'texture' say how it is read") {
  const auto t = *parse_argument("t:texture.linear.fractions.normalized.mirror u8[2^4]=random").texture;
  CHECK((t.filters && t.as_fractions && t.is_normalized));
  CHECK(t.mode == simt::AddressMode::mirror);
  CHECK(t.extent[0] == 16);
}

TEST_CASE("what is no texture is refused by its part") {
  CHECK_THAT(refusal("t:texture=1"), ContainsSubstring("--arg t: 'texture' has no texels"));
  CHECK_THAT(refusal("t:textures f32[4]=1"), ContainsSubstring("is neither 'texture' nor 'surface'"));
  CHECK_THAT(refusal("t:texture.lineal f32[4]=1"), ContainsSubstring("knows no 'lineal'"));
  CHECK_THAT(refusal("t:texture f32x3[4]=1"), ContainsSubstring("has not 1, 2 or 4 channels"));
  CHECK_THAT(refusal("t:texture f32[2x2x2x2]=1"), ContainsSubstring("has more than three extents"));
  CHECK_THAT(refusal("t:texture f32[0]=1"), ContainsSubstring("has an extent that is not from 1 to 131072"));
  CHECK_THAT(refusal("t:texture f32[200000]=1"), ContainsSubstring("has an extent that is not from 1 to 131072"));
  CHECK_THAT(refusal("t:texture f64[4]=1"), ContainsSubstring("has texels of no texture"));
  CHECK_THAT(refusal("t:texture.fractions f32[4]=1"), ContainsSubstring("has no fractions"));
  CHECK_THAT(refusal("t:texture.linear u8[4]=1"), ContainsSubstring("cannot be filtered"));
  CHECK_THAT(refusal("t:texture f32[131072x131072x131072]=1"), ContainsSubstring("is larger than any memory"));
  CHECK_THAT(error_of([] { (void)parse_argument("t:texture f32[4]=1", "--set"); }),
             ContainsSubstring("is a texture: kernels get these as arguments"));
}

}  // namespace
}  // namespace gpulab
