#include "common/fnv.h"

#include "tests/catch.h"

namespace gpulab {

TEST_CASE("FNV-1a gives its authors' test vectors") {
  CHECK(fnv1a64(std::string_view("")) == 0xcbf29ce484222325U);
  CHECK(fnv1a64(std::string_view("a")) == 0xaf63dc4c8601ec8cU);
  CHECK(fnv1a64(std::string_view("foobar")) == 0x85944171f73967e8U);
  CHECK(fnv1a64(std::string_view("bar"), fnv1a64(std::string_view("foo"))) == 0x85944171f73967e8U);
}

}  // namespace gpulab
