// What initcheck remembers of bytes, and of bits.
#include "common/simt/observers/shadows/init_shadow.h"

#include "tests/catch.h"

namespace gpulab::simt {
namespace {

TEST_CASE("of a byte some bits may hold a value, until all do or it is forgotten") {
  InitShadow shadow(64);
  CHECK(shadow.unknown_bits(4, 4) == 0xffffffff);
  CHECK_FALSE(shadow.in_parts(4, 4));
  shadow.set_bits(4, 4, 0xff0ff000);
  CHECK(shadow.unknown_bits(4, 4) == 0xff0ff000);
  CHECK(shadow.unknown(4, 4) == 0b1110);
  CHECK(shadow.unknown_bits(5, 1) == 0xf0);
  CHECK(shadow.in_parts(6, 1));
  CHECK_FALSE(shadow.in_parts(7, 1));  // of which nothing is known
  shadow.set(5, 1);
  CHECK(shadow.unknown_bits(4, 4) == 0xff0f0000);
  CHECK_FALSE(shadow.in_parts(4, 2));
  shadow.set_range(4, 4, false);
  CHECK(shadow.unknown_bits(4, 4) == 0xffffffff);
  CHECK_FALSE(shadow.in_parts(0, 16));
  shadow.set_bits(8, 8, 0x0100000000000000);
  CHECK(shadow.unknown_bits(8, 8) == 0x0100000000000000);
  shadow.set_bits(8, 8, 0);
  CHECK(shadow.known(8, 8));
}

TEST_CASE("which bytes hold a value takes memory where some of a page do and others do not") {
  constexpr std::uint64_t bytes = std::uint64_t{5} << 30;
  InitShadow shadow(bytes);
  const std::uint64_t before = shadow.memory();
  CHECK(before < bytes / 1000);
  shadow.set_range(3, bytes - 5, true);
  CHECK(shadow.memory() < before + (20 << 10));
  CHECK_FALSE(shadow.known(2, 2));
  CHECK(shadow.known_range(3, bytes - 5));
  CHECK_FALSE(shadow.known(bytes - 3, 2));
  shadow.set(bytes / 2, 16);  // which is known: no page of its own
  CHECK(shadow.memory() < before + (20 << 10));
  shadow.set_range(bytes / 2 + 1, 1, false);
  CHECK(shadow.unknown(bytes / 2, 4) == 0b0010);
  shadow.set_range(0, bytes, false);
  CHECK(shadow.unknown(bytes / 2, 16) == 0xffff);
  CHECK(shadow.unknown(bytes - 16, 16) == 0xffff);
}

TEST_CASE("bytes on both sides of a page's end are told apart") {
  constexpr std::uint64_t end = InitShadow::kPageBytes;
  InitShadow shadow(2 * end);
  shadow.set(end - 4, 16);
  CHECK(shadow.known(end - 4, 16));
  CHECK_FALSE(shadow.known(end - 5, 1));
  CHECK_FALSE(shadow.known(end + 12, 1));
  CHECK(shadow.unknown(end - 6, 8) == 0b11);
  shadow.set_range(end - 64, 128, true);
  CHECK(shadow.known_range(end - 64, 128));
  shadow.set_bits(end - 1, 2, 0x0100);
  CHECK(shadow.in_parts(end, 1));
  CHECK(shadow.known(end - 1, 1));
}

}  // namespace
}  // namespace gpulab::simt
