#include "common/scalar.h"

#include "tests/catch.h"

using gpulab::Scalar;

namespace {
constexpr Scalar all[] = {Scalar::u8,  Scalar::i8,  Scalar::u16, Scalar::i16,  Scalar::u32, Scalar::i32,
                          Scalar::u64, Scalar::i64, Scalar::f16, Scalar::bf16, Scalar::f32, Scalar::f64};
}

TEST_CASE("every element type is found by its short name and by its C++ name") {
  for (Scalar type : all) {
    CHECK(gpulab::scalar_named(gpulab::name_of(type)) == type);
    CHECK(gpulab::scalar_named(gpulab::cpp_name_of(type)) == type);
  }
}

TEST_CASE("the number in a type's name is its size in bits") {
  for (Scalar type : all) {
    const auto name = gpulab::name_of(type);
    CHECK(std::stoul(std::string(name.substr(name.find_first_of("0123456789")))) == 8 * gpulab::size_of(type));
    CHECK(gpulab::is_floating(type) == (name.find('f') != name.npos));
  }
}

TEST_CASE("the labs' words for types are understood, others are not") {
  CHECK(gpulab::scalar_named("int") == Scalar::i32);
  CHECK(gpulab::scalar_named("long") == Scalar::i64);
  CHECK(gpulab::scalar_named("byte") == Scalar::u8);
  CHECK(gpulab::cpp_name_of(Scalar::u8) == "unsigned char");
  CHECK_FALSE(gpulab::scalar_named("quad"));
  CHECK_FALSE(gpulab::scalar_named(""));
}
